import Scheduling
import Testing
import Timeline
import TouchgateAPI

@testable import ControlAPI

@Suite("Submissions: key, priority, quiet period, times")
struct SubmissionOrderTests {
  /// 2023-11-14T22:13:20Z
  private let now = WallTime(millisecondsSinceEpoch: 1_700_000_000_000)

  /// The fields other than the handler.
  private func read(_ fields: String) throws(CallRefusal) -> Submission {
    try Submission(body: Array(#"{"handler":"page",\#(fields)}"#.utf8), now: now)
  }

  private func problem(_ fields: String) -> Problem? {
    do throws(CallRefusal) {
      try read(fields).checkDeadline(now)
      return nil
    } catch {
      return error.problem
    }
  }

  private func later(_ seconds: Double) -> WallTime { now + .milliseconds(Int64(seconds * 1000)) }

  @Test("the defaults are no key, priority 0, the handler's quiet period and no times")
  func nothing() throws {
    let submission = try read(#""key":null,"priority":null,"quietPeriod":null,"notBefore":null,"deadline":null"#)
    #expect(submission.key == nil && submission.priority == 0 && submission.quietPeriod == nil)
    #expect(submission.notBefore == nil && submission.deadline == nil && submission.onDeadline == nil)
    #expect(try read(#""onDeadline":null"#) == submission)
  }

  @Test("all fields together are accepted")
  func all() throws {
    let submission = try read(
      #"""
      "key":"sign/é","priority":-7,"quietPeriod":"1min 30s","notBefore":"2023-11-15T00:00:00Z","deadline":"2h",
      "onDeadline":"apply"
      """#)
    #expect(submission.key == "sign/é" && submission.priority == -7 && submission.quietPeriod == .seconds(90))
    #expect(submission.notBefore == WallTime(rfc3339: "2023-11-15T00:00:00Z").map(Moment.wall))
    #expect(submission.deadline == span(to: later(7200)) && submission.onDeadline == .apply)
  }

  // MARK: key

  @Test("a key of 1 to 200 bytes is accepted", arguments: ["x", " ", String(repeating: "x", count: 200)])
  func goodKey(_ key: String) throws {
    #expect(try read(#""key":"\#(key)""#).key == key)
  }

  @Test(
    "an empty key or one of more than 200 bytes is refused; bytes count, not characters",
    arguments: ["", String(repeating: "x", count: 201), String(repeating: "ü", count: 101)])
  func badKey(_ key: String) {
    #expect(
      problem(#""key":"\#(key)""#) == Problem(code: "badKey", message: "a key has 1 to 200 bytes", field: "key"))
  }

  // MARK: priority

  @Test("a priority from -100 to 100 is accepted", arguments: [-100, -1, 0, 1, 100])
  func goodPriority(_ priority: Int) throws {
    #expect(try read(#""priority":\#(priority)"#).priority == priority)
  }

  @Test(
    "a priority below -100 or above 100 is refused",
    arguments: ["-101", "101", "9223372036854775807", "-9223372036854775808"])
  func badPriority(_ priority: String) {
    let expected = Problem(
      code: "badPriority", message: "'priority' must be from -100 to 100", field: "priority")
    #expect(problem(#""priority":\#(priority)"#) == expected)
  }

  @Test(
    "a priority that is not a whole number has the wrong type",
    arguments: [#""5""#, "true", "[]", "{}", "1.5", "1e300", "9223372036854775808"])
  func priorityType(_ value: String) {
    let found = problem(#""priority":\#(value)"#)
    #expect(found?.code == "wrongType" && found?.field == "priority", "\(found.map { "\($0)" } ?? "taken")")
  }

  @Test(
    "the other fields must be strings",
    arguments: ["key", "quietPeriod", "notBefore", "deadline", "onDeadline"])
  func otherTypes(_ field: String) {
    for value in ["5", "true", "[]", "{}"] {
      let found = problem(#""\#(field)":\#(value)"#)
      #expect(found == Problem(code: "wrongType", message: "'\(field)' must be a string", field: field))
    }
  }

  // MARK: quietPeriod

  @Test(
    "a quiet period is rounded up, the coarser the longer: 10 ms up to 1 s, 100 ms up to 1 min, then 1 s",
    arguments: [
      ("0", 0), ("1us", 10), ("1ms", 10), ("10ms", 10), ("10.001ms", 20), ("11ms", 20), ("999ms", 1000), ("1s", 1000),
      ("1001ms", 1100), ("1.1s", 1100), ("30s", 30_000), ("59.95s", 60_000), ("60s", 60_000), ("60.001s", 61_000),
      ("1min 30s", 90_000), ("59min 59.5s", 3_600_000), ("1h", 3_600_000), ("3600", 3_600_000),
    ])
  func quietPeriod(_ text: String, _ milliseconds: Int) throws {
    #expect(try read(#""quietPeriod":"\#(text)""#).quietPeriod == .milliseconds(milliseconds))
  }

  @Test("there are few different quiet periods, because a recheck costs as much as there are")
  func fewQuietPeriods() throws {
    let different = try Set((0...36_000).map { try read(#""quietPeriod":"\#($0 * 100)ms""#).quietPeriod })
    #expect(different.count < 5000)
  }

  @Test(
    "a quiet period of more than an hour is refused", arguments: ["3600.001s", "1h 1us", "61min", "1d", "infinity"])
  func longQuietPeriod(_ text: String) {
    let expected = Problem(code: "badTime", message: "'quietPeriod' must be at most 1 h", field: "quietPeriod")
    #expect(problem(#""quietPeriod":"\#(text)""#) == expected)
  }

  @Test(
    "a quiet period that is not a time span is refused with a reason",
    arguments: ["", " ", "soon", "5 parsecs", "-1s", "1..5s", "1s,"])
  func badQuietPeriod(_ text: String) {
    let found = problem(#""quietPeriod":"\#(text)""#)
    #expect(found?.code == "badTime" && found?.field == "quietPeriod")
    #expect(found?.message.isEmpty == false)
  }

  // MARK: notBefore and deadline

  @Test(
    "a time is RFC 3339, the next local time such as 04:00, or a time span from now, which is counted on the steady clock",
    arguments: ["notBefore", "deadline"])
  func times(_ field: String) throws {
    for (text, expected) in [
      ("2023-11-14T22:13:20.001Z", .wall(later(0.001))), ("2023-11-14T22:13:21Z", .wall(later(1))),
      ("1ms", span(to: later(0.001))), ("90", span(to: later(90))), ("1h 30min", span(to: later(5400))),
      ("2024-02-29T00:00:00.5Z", WallTime(rfc3339: "2024-02-29T00:00:00.500Z").map(Moment.wall)),
      ("520w", span(to: later(520 * 7 * 86400))),
      ("9999-12-31T23:59:59Z", WallTime(rfc3339: "9999-12-31T23:59:59Z").map(Moment.wall)),
      // In UTC+1 it is 23:13:20.
      ("23:14", .wall(later(40))), ("23:13", .wall(later(86_380))), ("4:00", .wall(later(17_200))),
      ("2023-11-15T00:00:00+01:00", .wall(later(2800))), ("2023-11-14T12:00:00.5-11:30", .wall(later(4600.5))),
    ] as [(String, Moment?)] {
      let submission = try read(#""\#(field)":"\#(text)""#)
      #expect((field == "notBefore" ? submission.notBefore : submission.deadline) == expected, "\(text)")
      #expect(expected != nil)
    }
  }

  @Test(
    "any other time is refused", arguments: ["notBefore", "deadline"])
  func badTimes(_ field: String) {
    for text in [
      "", "tomorrow", "2023-11-15", "2023-11-15T00:00:00", "2023-11-15T00:00:00+0100", "2023-02-29T00:00:00Z", "24:00",
      "4:0", "04:60", "04:00:00", "2023-11-15T00:00:00+24:00", "2023-11-15T00:00:00 01:00",
      "2023-11-15T24:00:00Z", "2023-11-15t00:00:00z", "-1h", "infinity", "3651d", "1700000000000ms 1y",
    ] {
      let found = problem(#""\#(field)":"\#(text)""#)
      #expect(found?.code == "badTime" && found?.field == field, "\(text)")
    }
  }

  @Test("the message about a timestamp in another form names RFC 3339")
  func timestampForm() {
    for text in ["2023-11-15T00:00:00+0100", "2023-11-15 00:00:00", "2023-02-29T00:00:00Z"] {
      #expect(problem(#""deadline":"\#(text)""#)?.message.contains("RFC 3339") == true, "\(text)")
    }
  }

  @Test(
    "a deadline that has passed is refused, even in the same millisecond",
    arguments: ["2023-11-14T22:13:20Z", "2023-11-14T22:13:19.999Z", "1970-01-01T00:00:00Z", "0", "0s", "999us"])
  func pastDeadline(_ text: String) {
    let expected = Problem(code: "badTime", message: "the deadline has already passed", field: "deadline")
    #expect(problem(#""deadline":"\#(text)""#) == expected)
  }

  @Test("a notBefore that has passed is accepted")
  func pastNotBefore() throws {
    #expect(try read(#""notBefore":"1970-01-01T00:00:00Z""#).notBefore == .wall(WallTime(millisecondsSinceEpoch: 0)))
    #expect(try read(#""notBefore":"0""#).notBefore == span(to: now))
  }

  @Test("while the clock is not known to be right, a local time stays text, and no time of day has passed")
  func clockUnset() throws {
    func read(_ fields: String) throws(CallRefusal) -> Submission {
      let body = Array("{\"handler\":\"page\",\(fields)}".utf8)
      return try Submission(body: body, at: clocks(now, isSet: false), in: FixedZone(.zero))
    }
    let submission = try read(#""notBefore":"04:00","deadline":"1970-01-01T00:00:00Z""#)
    #expect(submission.notBefore == TimeOfDay("4:00").map(Moment.daily))
    try submission.checkDeadline(clocks(now, isSet: false))
    #expect(throws: CallRefusal.self) { try submission.checkDeadline(clocks(now)) }
    #expect(
      try read(#""notBefore":"1h","deadline":"04:00""#).content == read(#""notBefore":"1h","deadline":"4:00""#).content)
  }

  @Test("a notBefore at or after the deadline is refused", arguments: [("1h", "1h"), ("2h", "1h"), ("1h 1ms", "1h")])
  func notBeforeAfterDeadline(_ notBefore: String, _ deadline: String) {
    let expected = Problem(code: "badTime", message: "'notBefore' must be earlier than 'deadline'", field: "notBefore")
    #expect(problem(#""notBefore":"\#(notBefore)","deadline":"\#(deadline)""#) == expected)
    #expect(problem(#""notBefore":"1h","deadline":"1h 1ms""#) == nil)
  }

  // MARK: onDeadline

  @Test("expire, apply and force are accepted")
  func onDeadline() throws {
    #expect(try read(#""deadline":"1h","onDeadline":"expire""#).onDeadline == .expire)
    #expect(try read(#""deadline":"1h","onDeadline":"apply""#).onDeadline == .apply)
    #expect(try read(#""deadline":"1h","onDeadline":"force""#).onDeadline == .force)
  }

  @Test("any other onDeadline is refused", arguments: ["", "Apply", "Force", "apply "])
  func badOnDeadline(_ text: String) {
    let expected = Problem(
      code: "badOnDeadline", message: "'onDeadline' must be expire, apply or force", field: "onDeadline")
    #expect(problem(#""deadline":"1h","onDeadline":"\#(text)""#) == expected)
  }

  @Test("an onDeadline without a deadline is refused, with the missing field", arguments: ["expire", "apply"])
  func withoutDeadline(_ text: String) {
    let expected = Problem(code: "missingField", message: "'onDeadline' requires a deadline", field: "deadline")
    #expect(problem(#""onDeadline":"\#(text)""#) == expected)
  }
}
