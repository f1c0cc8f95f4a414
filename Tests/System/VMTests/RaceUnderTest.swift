import Foundation
import Racing
import Testing
import Timeline
import TouchgateAPI
import TouchgateClient

/// One race: a visitor taps, updates come in a stream, and a reader and libinput watch. All of them are processes of
/// their own.
struct RaceOnTrial {
  /// The line `Guard=` of the handler: nil leaves it out.
  let guarding: String
  private(set) var updates = 0
  private(set) var taps = 0
  /// The handler's first instructions.
  private(set) var starts: [Instant] = []
  /// What the independent reader saw.
  private(set) var seen = Account([])
  /// What the tapper did.
  private(set) var made = Account([])
  /// What the reader saw of each tap.
  private(set) var byTap = TapAccount(made: [], seen: [])
  private(set) var libinput = LibinputLog("", device: "")
  /// The `guard` of the service's status.
  private(set) var counters: [String: Int] = [:]
  private(set) var failed: [String] = []
  /// All that happened, in order, for the person who looks for a fault.
  private var story: [(time: Instant, text: String)] = []

  /// How long each start came after the beginning of the contact that it lies in, as the reader saw it.
  var hits: [Duration] { seen.hits(starts) }

  /// Half touches, but for the ends whose beginning was kept from others by a guard that was released over them, as
  /// often as the service counted that.
  var halves: Int {
    let over = counters["releasedOver"] ?? 0
    return seen.beginsWithoutEnd.count + max(0, seen.endsWithoutBegin.count - over)
      + seen.pressesWithoutRelease.count + max(0, seen.releasesWithoutPress.count - over)
  }

  init(guarding: String, fingers: Int = 1, lasting span: Duration, seed: UInt64) throws {
    self.guarding = guarding
    let service = try ServiceOnTrial(start: false)
    let folder = service.folder
    // It runs a little, so that taps fall into it too.
    try service.handler("race", exec: "\(Companion.folder)/race-stamp \(folder)/starts 10", more: "Guard=\(guarding)")
    try service.start()
    let tapper = try Companion("racer", ["tap", "Lobby", "\(seed)", "\(fingers)", "\(folder)/made"])
    let node = try #require(tapper.hear())
    let reader = try Companion("racer", ["watch", node, "\(folder)/seen"])
    try #require(reader.hear() == node)
    let peer = try LibinputOnTrial(folder: folder)
    let device = String(node.split(separator: "/").last ?? "")
    try #require(eventually { peer.text.contains("\(device) ") })
    try #require(try service.knows(screens: 1))

    try tapper.say("go")
    updates = try Self.submit(to: service, for: span, seed: seed)
    try tapper.say("stop")
    taps = Int(try #require(tapper.hear()).prefix { $0.isNumber }) ?? 0
    try #require(
      try eventually(within: .seconds(30)) {
        let counts = try service.status().updates
        return counts["waiting"] == 0 && counts["applying"] == 0
      })
    counters = try service.guardCounters()
    failed = try service.connection.updates(state: "failed").compactMap { $0.result?.message }
    service.kill(SIGTERM)
    #expect(reader.end() == 0)
    let sightings = (made: try Self.sightings("\(folder)/made"), seen: try Self.sightings("\(folder)/seen"))
    (made, seen) = (Account(sightings.made), Account(sightings.seen))
    byTap = TapAccount(made: sightings.made, seen: sightings.seen)
    let runs = try String(contentsOfFile: "\(folder)/starts", encoding: .utf8).split(separator: "\n").map { line in
      line.split(separator: " ").compactMap { Int64($0) }.map { Instant(nanoseconds: $0) }
    }
    starts = runs.map { $0[0] }
    story += sightings.made.map { ($0.time, "tapper   \($0)") }
    story += sightings.seen.map { ($0.time, "reader   \($0)") }
    story += runs.flatMap { [($0[0], "handler  starts"), ($0[1], "handler  ends")] }
    story.sort { $0.time < $1.time }
    // libinput has had all events by now; what it says is read when it has said as much as will come.
    var (before, now) = ("", peer.text)
    while before != now {
      usleep(300_000)
      (before, now) = (now, peer.text)
    }
    libinput = LibinputLog(now, device: device)
    #expect(tapper.end() == 0)
  }

  /// Never more than three wait: some start at the end of a touch, some in the pause after it.
  private static func submit(to service: ServiceOnTrial, for span: Duration, seed: UInt64) throws -> Int {
    let end = ContinuousClock.now + span
    var count = 0
    while ContinuousClock.now < end {
      _ = try service.submit("race")
      count += 1
      usleep(UInt32.random(in: 0...20_000))
      while try service.status().updates["waiting"] ?? 0 > 2 && ContinuousClock.now < end { usleep(2000) }
    }
    return count
  }

  private static func sightings(_ path: String) throws -> [Sighting] {
    try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map { line in
      try #require(Sighting(line: line), "\(line)")
    }
  }
}

extension RaceOnTrial {
  /// What happened around the first halves that the reader saw and the first starts inside a contact.
  var faults: String {
    let halves = seen.beginsWithoutEnd + seen.endsWithoutBegin + seen.pressesWithoutRelease + seen.releasesWithoutPress
    let inside = starts.filter { !seen.hits([$0]).isEmpty }
    return (halves.sorted().prefix(5) + inside.sorted().prefix(5)).map { fault in
      let around = story.filter { $0.time > fault - .milliseconds(100) && $0.time < fault + .milliseconds(100) }
      return "around \(fault):\n" + around.map { "  \($0.time)  \($0.text)\n" }.joined()
    }.joined()
  }
}

extension RaceOnTrial: CustomStringConvertible {
  var description: String {
    let depth = hits.map(\.wholeNanoseconds).sorted()
    let window =
      depth.isEmpty
      ? "" : ", \(depth[depth.count / 2] / 1000) us after it began (median), \(depth[depth.count - 1] / 1000) at most"
    return """
      Guard=\(guarding): \(updates) updates against \(taps) taps (\(made.contacts.count) contacts; \
      \(seen.contacts.count) seen by the reader, \(libinput.downs) by libinput)
        handler starts inside a contact that the reader saw: \(hits.count) of \(starts.count)\(window)
        handler starts inside a contact that the tapper made: \(made.hits(starts).count)
        taps that the reader saw by half: \(byTap.halves); not at all: \(byTap.swallowed)
        half touches by its slots: \(seen.beginsWithoutEnd.count) beginnings without end, \(seen.endsWithoutBegin.count) ends \
      without beginning, keys \(seen.pressesWithoutRelease.count) and \(seen.releasesWithoutPress.count); \
      libinput: \(libinput.left) not lifted, \(libinput.contradictions) contradictions
        the service counted: \(counters.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", "))
      """
  }
}

extension ServiceOnTrial {
  /// The numbers under `guard` of `GET /v1/status`.
  func guardCounters() throws -> [String: Int] {
    let (_, body) = try connection.send(method: "GET", path: "/v1/status", body: [])
    let status = try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
    return status?["guard"] as? [String: Int] ?? [:]
  }
}
