import Foundation
import Glibc
import Haptics
import Linux
import Testing
import Timeline
import TouchgateAPI
import TouchgateClient
import VirtualVibrator

/// The service with a virtual vibrator, called through the socket as by an application.
final class HapticsBench {
  let service: ServiceUnderTest

  init(haptics: String = "") throws {
    service = try ServiceUnderTest(gate: "FirstScreenTimeout=100ms\n[Haptics]\n\(haptics)")
  }

  struct Call {
    let asked: Instant
    let answered: Instant
    let reply: FeedbackReply

    var took: Duration { answered - asked }
  }

  /// One call; its answer is the action.
  func play(_ kind: FeedbackKind) throws -> Call {
    calls += 1
    let asked = SystemClock.monotonic
    let reply = try service.connection.play(kind.rawValue)
    return Call(asked: asked, answered: SystemClock.monotonic, reply: reply)
  }

  /// How often a call has been made, by any of these functions.
  private(set) var calls = 0

  /// Calls again until `isWanted`, for a minute at most. If other programs keep this machine busy, an answer comes late
  /// now and then: the call is silent then, as it should be, or takes longer. What can be judged is that it comes out as
  /// wanted when the machine lets it, and that each call is answered once. `before` runs before each call.
  func play(_ kind: FeedbackKind, before: () throws -> Void = {}, until isWanted: (Call) throws -> Bool) throws -> Call
  {
    let end = ContinuousClock.now + .seconds(60)
    while true {
      try before()
      let call = try play(kind)
      if try isWanted(call) { return call }
      try #require(ContinuousClock.now < end, "\(kind): \(call.reply), after \(call.took)")
      // What was sent to the device nevertheless has ended by then.
      hold(for: .milliseconds(500))
    }
  }

  func playFelt(_ kind: FeedbackKind, before: () -> Void = {}) throws -> Call {
    try play(kind, before: before) { $0.reply.silentBecause == nil }
  }

  /// Without a pulse, and without the lead, which no answer that waits for it can come before.
  func playAtOnce(_ kind: FeedbackKind) throws -> Call {
    try play(kind) { $0.reply.silentBecause != nil && $0.took < .milliseconds(50) }
  }

  /// Whether the service has chosen this device and expects it to work, or has none. All devices that came and went
  /// before the call count; that has no event.
  func isReady(device: String?) throws -> Bool {
    try settleUdev()
    try service.catchUp()
    let haptics = try #require(try service.status().haptics)
    return haptics.device == device && (device == nil) == (haptics.silentBecause != nil)
  }

  /// Whether a thread of the service is in a system call that cannot be interrupted, as an upload that nobody answers.
  var isInKernel: Bool {
    let folder = "/proc/\(service.pid)/task"
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return threads.contains { contents("\(folder)/\($0)/stat").split(separator: ")").last?.hasPrefix(" D") == true }
  }

  func silentBecause() throws -> String? { try service.status().haptics?.silentBecause }

  /// A handler that writes the time when it runs: nanoseconds of the wall clock.
  func stampingHandler(_ name: String, exit code: Int = 0, more: String) throws {
    try service.handler(
      name, exec: #"/bin/sh -c "date +%s%N >> \#(service.folder)/\#(name).stamps; exit \#(code)""#, more: more)
  }

  func stamps(_ name: String) -> [Int64] {
    let text = (try? String(contentsOfFile: "\(service.folder)/\(name).stamps", encoding: .utf8)) ?? ""
    return text.split(separator: "\n").compactMap { Int64($0) }
  }
}

/// What the last line of `make haptics-test` adds up.
enum Tally {
  /// `ran`: how many actions ran, of how many that were asked for; an answer of the socket is an action.
  static func tell(kinds: Int = 0, plays: Int, ran: Int, of asked: Int, skew: Duration? = nil) {
    let worst = skew.map { ", skew \($0.wholeNanoseconds / 1000) us" } ?? ""
    print("haptics-tally: kinds \(kinds), plays \(plays), violations \(abs(asked - ran))\(worst)")
  }
}

extension Duration {
  var inMilliseconds: Double { Double(wholeNanoseconds / 1000) / 1000 }
}

extension [VirtualVibrator.Stamped] {
  /// The pulses of each write that played something, as `[magnitude, length, delay]` by the uploads before it.
  var patterns: [[[Int]]] {
    var effects: [Int: [Int]] = [:]
    var patterns: [[[Int]]] = []
    var isNew = true
    for stamped in self {
      switch stamped.event {
      case .upload(let id, _, let magnitude, let length, let delay): effects[id] = [magnitude, length, delay]
      case .gain: isNew = true  // Each write begins with it.
      case .play(let id):
        if isNew { patterns.append([]) }
        isNew = false
        patterns[patterns.count - 1].append(effects[id] ?? [])
      case .stop, .erase, .unanswered: break
      }
    }
    return patterns
  }
  var uploads: [VirtualVibrator.Stamped] { filter { if case .upload = $0.event { true } else { false } } }
  var plays: [VirtualVibrator.Stamped] { filter { if case .play = $0.event { true } else { false } } }
}
