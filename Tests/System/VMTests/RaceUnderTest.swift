import Foundation
import Racing
import Testing
import Timeline
import TouchgateAPI
import TouchgateClient

/// One race: a visitor taps, updates arrive in a stream, and a reader and libinput watch. Each is a separate process.
struct RaceUnderTest {
  /// `Guard=` of the handler.
  let guarding: String
  private(set) var updates = 0
  private(set) var taps = 0
  /// When the handlers executed their first instruction.
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
  /// Everything that happened, in order, to find the cause of a fault.
  private var story: [(time: Instant, text: String)] = []

  /// For each start inside a contact that the reader saw: the time since that contact began.
  var hits: [Duration] { seen.hits(starts) }

  /// Half touches, except ends whose beginning was hidden by a guard that was released during the touch, as often as the
  /// service counted that.
  var halves: Int {
    let over = counters["releasedOver"] ?? 0
    return seen.beginsWithoutEnd.count + max(0, seen.endsWithoutBegin.count - over)
      + seen.pressesWithoutRelease.count + max(0, seen.releasesWithoutPress.count - over)
  }

  init(guarding: String, fingers: Int = 1, lasting span: Duration, seed: UInt64) throws {
    self.guarding = guarding
    let service = try ServiceUnderTest(start: false)
    let folder = service.folder
    // It runs for a while, so that some taps happen during it.
    try service.handler("race", exec: "\(Companion.folder)/race-stamp \(folder)/starts 10", more: "Guard=\(guarding)")
    try service.start()
    let tapper = try Companion("racer", ["tap", "Lobby", "\(seed)", "\(fingers)", "\(folder)/made"])
    let node = try #require(tapper.receive())
    let reader = try Companion("racer", ["watch", node, "\(folder)/seen"])
    try #require(reader.receive() == node)
    let peer = try LibinputPeer(folder: folder)
    let device = String(node.split(separator: "/").last ?? "")
    try #require(eventually { peer.text.contains("\(device) ") })
    try #require(try service.knows(screens: 1))

    try tapper.send("go")
    let submitted = try Self.submit(to: service, for: span)
    updates = submitted.count
    try tapper.send("stop")
    taps = Int(try #require(tapper.receive()).prefix { $0.isNumber }) ?? 0
    for id in submitted { try #require(try service.end(id, within: .seconds(30)) != nil) }
    let counts = try service.status().updates
    try #require(counts["waiting"] == 0 && counts["applying"] == 0)
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
    // libinput has received all events by now; its log is complete when it no longer grows.
    var (before, now) = ("", peer.text)
    while before != now {
      hold(for: .milliseconds(300))
      (before, now) = (now, peer.text)
    }
    libinput = LibinputLog(now, device: device)
    #expect(tapper.end() == 0)
  }

  /// At most three wait: some start at the end of a touch, some between two touches. Returns their ids.
  private static func submit(to service: ServiceUnderTest, for span: Duration) throws -> [String] {
    let end = ContinuousClock.now + span
    let events = try service.events
    var ids: [String] = []
    while ContinuousClock.now < end {
      ids.append(try service.submit("race"))
      hold(for: .microseconds(Int.random(in: 0...20_000)))
      _ = events.becomes(within: end - .now) { ids.count - events.startedUpdates <= 2 }
    }
    return ids
  }

  private static func sightings(_ path: String) throws -> [Sighting] {
    try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map { line in
      try #require(Sighting(line: line), "\(line)")
    }
  }
}

extension RaceUnderTest {
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

extension RaceUnderTest: CustomStringConvertible {
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

extension ServiceUnderTest {
  /// The numbers under `guard` of `GET /v1/status`.
  func guardCounters() throws -> [String: Int] {
    let (_, body) = try connection.send(method: "GET", path: "/v1/status", body: [])
    let status = try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
    return status?["guard"] as? [String: Int] ?? [:]
  }
}
