import Foundation
import Glibc
import Haptics
import Testing
import Timeline
import TouchgateAPI
import TouchgateClient
import VirtualVibrator

/// The service beside a virtual vibrator, asked by the socket as an application would.
final class HapticsBench {
  let service: ServiceOnTrial

  init(haptics: String = "") throws {
    service = try ServiceOnTrial(gate: "FirstScreenTimeout=100ms\n[Haptics]\n\(haptics)")
  }

  struct Call {
    let asked: Instant
    let answered: Instant
    let reply: FeedbackReply

    var took: Duration { answered - asked }
  }

  /// The answer is the action.
  func play(_ kind: FeedbackKind) throws -> Call {
    let asked = monotonicNow()
    let reply = try service.connection.play(kind.rawValue)
    return Call(asked: asked, answered: monotonicNow(), reply: reply)
  }

  /// Again, until it was felt: where other programs keep this machine busy, a device's answer comes late now and then,
  /// and the call is silent, as it should be. `before` comes before each.
  func playFelt(_ kind: FeedbackKind, before: () -> Void = {}) throws -> Call {
    var call: Call?
    for _ in 0..<20 {
      before()
      call = try play(kind)
      if call?.reply.silentBecause == nil { break }
      // What was sent to the device nevertheless has ended by then.
      usleep(500_000)
    }
    let felt = try #require(call)
    try #require(felt.reply.silentBecause == nil)
    return felt
  }

  /// Waits until the service has chosen a device that works, or has none that does.
  func isReady(device: String?) throws -> Bool {
    try eventually {
      let haptics = try #require(try service.status().haptics)
      return haptics.device == device && (device == nil) == (haptics.silentBecause != nil)
    }
  }

  func silentBecause() throws -> String? { try service.status().haptics?.silentBecause }

  /// A handler that writes when it runs, in nanoseconds of the wall clock.
  func stampingHandler(_ name: String, exit code: Int = 0, more: String) throws {
    try service.handler(
      name, exec: #"/bin/sh -c "date +%s%N >> \#(service.folder)/\#(name).stamps; exit \#(code)""#, more: more)
  }

  func stamps(_ name: String) -> [Int64] {
    let text = (try? String(contentsOfFile: "\(service.folder)/\(name).stamps", encoding: .utf8)) ?? ""
    return text.split(separator: "\n").compactMap { Int64($0) }
  }
}

/// What the last line of `make haptics-test` sums up.
enum Tally {
  /// `ran`: how many actions ran, of as many as were asked for; answers of the socket are actions.
  static func tell(kinds: Int = 0, plays: Int, ran: Int, of asked: Int, skew: Duration? = nil) {
    let worst = skew.map { ", skew \($0.wholeNanoseconds / 1000) us" } ?? ""
    print("haptics-tally: kinds \(kinds), plays \(plays), violations \(abs(asked - ran))\(worst)")
  }
}

extension Duration {
  var inMilliseconds: Double { Double(wholeNanoseconds / 1000) / 1000 }
}

extension [VirtualVibrator.Stamped] {
  var uploads: [VirtualVibrator.Stamped] { filter { if case .upload = $0.event { true } else { false } } }
  var plays: [VirtualVibrator.Stamped] { filter { if case .play = $0.event { true } else { false } } }
}
