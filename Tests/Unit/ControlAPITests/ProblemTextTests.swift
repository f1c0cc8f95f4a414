import HTTPTypes
import PlainWords
import ProjectFiles
import Scheduling
import Testing
import Timeline
import TouchgateAPI

@testable import ControlAPI

/// One example of each case, with the exact message.
private struct Example: CustomStringConvertible {
  let problem: any ProblemText
  let status: Int
  let code: String
  let message: String
  let field: String?

  init(_ problem: any ProblemText, _ status: Int, _ code: String, _ message: String, _ field: String? = nil) {
    self.problem = problem
    self.status = status
    self.code = code
    self.message = message
    self.field = field
  }

  var description: String { String("\(problem)".prefix { $0 != "(" }) }
}

private let blocked = [
  BlockerReply(code: "touched", since: "2026-11-30T02:13:26.250Z", clears: "when the last contact ends")
]

private let json = [
  Example(JSONProblem.notUTF8, 400, "malformedJSON", "invalid JSON: not UTF-8"),
  Example(
    JSONProblem.malformed(byte: 7, expected: .colon), 400, "malformedJSON", "invalid JSON at byte 7: expected a colon"),
  Example(
    JSONProblem.malformed(byte: nil, expected: .value), 400, "malformedJSON",
    "invalid JSON at the end: expected a value"),
  Example(JSONProblem.undecodable(reason: "why"), 400, "malformedJSON", "invalid JSON: why"),
  Example(JSONProblem.undecodable(reason: nil), 400, "malformedJSON", "invalid JSON"),
  Example(JSONProblem.tooManyValues, 400, "tooManyValues", "the body has more than 1000 values"),
  Example(JSONProblem.tooDeep, 400, "tooDeep", "the body is nested more than 32 levels deep"),
  Example(
    JSONProblem.tooLong(field: "key"), 400, "tooLong",
    "'key' is longer than 65536 bytes; put large data into the payload", "key"),
  Example(
    JSONProblem.tooLong(field: nil), 400, "tooLong",
    "a string is longer than 65536 bytes; put large data into the payload"),
  Example(
    JSONProblem.longName("x"), 400, "unknownField", "unknown field 'x'; a field name has at most 1000 bytes", "x"),
  Example(
    JSONProblem.unknownField("x", known: ["b", "a"]), 400, "unknownField", "unknown field 'x'; known fields: a, b", "x"),
  Example(
    JSONProblem.unknownField("x", known: []), 400, "unknownField", "unknown field 'x'; this call takes no fields", "x"),
  Example(JSONProblem.notAnObject, 400, "wrongType", "the body must be a JSON object"),
  Example(JSONProblem.wrongType(field: "id", type: "a string"), 400, "wrongType", "'id' must be a string", "id"),
  Example(JSONProblem.missing(field: "handler"), 400, "missingField", "'handler' is required", "handler"),
  Example(JSONProblem.badValue(field: "id"), 400, "wrongType", "'id' has an invalid value", "id"),
]

private let query = [
  Example(
    QueryProblem.unknownParameter("x", known: ["state", "limit"]), 400, "unknownField",
    "unknown query parameter 'x'; known parameters: limit, state", "x"),
  Example(
    QueryProblem.unknownParameter("x", known: []), 400, "unknownField",
    "unknown query parameter 'x'; this call takes none", "x"),
  Example(QueryProblem.duplicate("limit"), 400, "givenTwice", "duplicate query parameter 'limit'", "limit"),
  Example(QueryProblem.missing("handler"), 400, "missingField", "query parameter 'handler' is required", "handler"),
  Example(QueryProblem.notAFlag("dryRun"), 400, "badValue", "'dryRun' must be 0 or 1", "dryRun"),
  Example(
    QueryProblem.badTimeSpan(field: "for", .empty), 400, "badTime",
    "'for' must be a time span such as 1s, 5min or 1h 30min", "for"),
  Example(
    QueryProblem.badTimeSpan(field: "for", .unknownUnit("x")), 400, "badTime",
    "'x' is not a unit of time; use us, ms, s, min, h, d or w", "for"),
  Example(QueryProblem.longTimeSpan(field: "for"), 400, "badTime", "a time span has at most 100 bytes", "for"),
  Example(
    QueryProblem.timeSpanOver(field: "for", limit: .seconds(3600)), 400, "badTime", "'for' must be at most 1 h", "for"),
  Example(QueryProblem.badLimit, 400, "badLimit", "'limit' must be a number from 1 to 1000", "limit"),
  Example(
    QueryProblem.badUser, 400, "badValue", "'user' must be the number of a user, such as 1000", "user"),
  Example(QueryProblem.badSince, 400, "badSince", "'since' must be the number of an event, 0 or more", "since"),
  Example(
    QueryProblem.unknownState("x", known: ["waiting"]), 400, "badState", "unknown state 'x'; known states: waiting",
    "state"),
]

private let body = [
  Example(
    BodyProblem.badID(field: "clientId"), 400, "badID",
    "an id has 1 to 64 characters of A-Z a-z 0-9 . _ - and begins with a letter or a digit", "clientId"),
  Example(
    BodyProblem.twoIDs, 400, "conflictingFields", "only one of 'clientId' and 'id', its older name, is allowed", "id"),
  Example(BodyProblem.badKey, 400, "badKey", "a key has 1 to 200 bytes", "key"),
  Example(BodyProblem.badPriority, 400, "badPriority", "'priority' must be from -100 to 100", "priority"),
  Example(
    BodyProblem.unknownOnDeadline, 400, "badOnDeadline", "'onDeadline' must be expire, apply or force", "onDeadline"),
  Example(
    BodyProblem.badResumes, 400, "badID",
    "'resumes' must be the id of a hold or a turn, and is not allowed with 'ttl'", "resumes"),
  Example(
    BodyProblem.badMax(most: .seconds(3600)), 400, "badMax", "'max' must be more than 0 and at most 1 h (MaxTurn=)",
    "max"),
  Example(
    BodyProblem.loosens(.quietPeriod, value: "30s", file: "/etc/touchgate/handlers.d/menu.conf", field: "quietPeriod"),
    403, "loosens",
    "permission denied: /etc/touchgate/handlers.d/menu.conf says QuietPeriod=30s, which 'quietPeriod' may not loosen; "
      + "leave it out, or add Override=QuietPeriod there", "quietPeriod"),
  Example(BodyProblem.onDeadlineAlone, 400, "missingField", "'onDeadline' requires a deadline", "deadline"),
  Example(
    BodyProblem.notBeforeAfterDeadline, 400, "badTime", "'notBefore' must be earlier than 'deadline'", "notBefore"),
  Example(BodyProblem.deadlinePassed, 400, "badTime", "the deadline has already passed", "deadline"),
  Example(
    BodyProblem.badTime(field: "deadline"), 400, "badTime",
    "'deadline' must be a time such as 04:00 or 2026-11-30T02:14:07+01:00 (RFC 3339), or a time span from now such as "
      + "30min",
    "deadline"),
  Example(
    BodyProblem.timeTooFar(field: "deadline"), 400, "badTime", "'deadline' must be at most ten years from now",
    "deadline"),
  Example(
    BodyProblem.badBase64, 400, "badBase64", "'payloadBase64' must be base64 with padding (RFC 4648)", "payloadBase64"),
  Example(
    BodyProblem.bothPayloads, 400, "conflictingFields", "only one of 'payload' and 'payloadBase64' is allowed",
    "payloadBase64"),
  Example(
    BodyProblem.payloadTooLarge(bytes: 1_048_577, field: "payload"), 413, "payloadTooLarge",
    "the payload has 1048577 bytes; the maximum is 1048576", "payload"),
  Example(
    BodyProblem.parametersTooLarge(bytes: 16385), 400, "parametersTooLarge",
    "the parameters have 16385 bytes; the maximum is 16384; put large data into the payload", "parameters"),
  Example(BodyProblem.emptyReason(most: 200), 400, "badReason", "a reason has 1 to 200 bytes", "reason"),
  Example(BodyProblem.longReason(most: 1000), 400, "badReason", "a reason has at most 1000 bytes", "reason"),
  Example(
    BodyProblem.unknownGuard(known: ["grab", "verify", "none"]), 400, "badGuard",
    "'guard' must be grab, verify or none", "guard"),
  Example(
    BodyProblem.badTTL(most: .seconds(3600)), 400, "badTime",
    "'ttl' must be a time span such as 10min, more than 0 and at most 1 h (MaxHold=)", "ttl"),
  Example(
    BodyProblem.unknownKind("x", known: ["success", "error"]), 400, "unknownKind",
    "unknown kind 'x'; known kinds: error, success", "kind"),
]

private let call = [
  Example(CallProblem.fromWebPage, 403, "originRefused", "permission denied: requests from web pages are refused"),
  Example(CallProblem.unknownPath("/v2"), 404, "noSuchPath", "unknown path /v2"),
  Example(
    CallProblem.wrongMethod(path: "/v1/updates", allowed: ["GET", "POST"]), 405, "wrongMethod",
    "method not allowed; /v1/updates accepts GET and POST"),
  Example(
    CallProblem.notJSON(contentType: "text/plain"), 415, "notJSON",
    "unsupported Content-Type 'text/plain'; send JSON with Content-Type: application/json"),
  Example(
    CallProblem.unknownHandler("x", known: ["b", "a"]), 400, "unknownHandler",
    "unknown handler 'x'; known handlers: a, b", "handler"),
  Example(
    CallProblem.unknownHandler("x", known: []), 400, "unknownHandler",
    "unknown handler 'x'; no handlers are configured; add one to handlers.d", "handler"),
  Example(
    CallProblem.unknownScreen("x", known: ["'lobby'"]), 400, "unknownScreen",
    "unknown screen 'x'; known screens: 'lobby'", "screen"),
  Example(
    CallProblem.unknownScreen("x", known: []), 400, "unknownScreen", "unknown screen 'x'; there are no screens",
    "screen"),
  Example(CallProblem.badParameter("url", message: "why"), 400, "badParameter", "why", "parameters.url"),
  Example(
    CallProblem.noDelivery(handler: "page", file: "page.conf"), 400, "noDelivery",
    "handler 'page' does not deliver to applications; set Deliver=yes in page.conf to change that", "handler"),
  Example(
    CallProblem.lacksRight(uid: 1000, .force), 403, "notPermitted",
    "permission denied: user 1000 lacks the right Force= ([Rights] in touchgate.conf)"),
  Example(
    CallProblem.handlerForbidden(uid: 1000, handler: "page", file: "page.conf"), 403, "notPermitted",
    "permission denied: user 1000 is not allowed to use handler 'page' (AllowUsers= and AllowGroups= in page.conf)",
    "handler"),
  Example(
    CallProblem.updateOfOther(uid: 7), 403, "notYours",
    "permission denied: the update belongs to user 7; access requires the right Admin="),
  Example(
    CallProblem.holdOfOther(uid: 7), 403, "notYours",
    "permission denied: the hold belongs to user 7; releasing it requires the right Admin="),
  Example(
    CallProblem.turnOfOther(uid: 7), 403, "notYours",
    "permission denied: the turn belongs to user 7; ending it requires the right Admin="),
  Example(
    CallProblem.deliveryOfOther(id: "a"), 403, "notYours", "permission denied: update 'a' was delivered to another user"
  ),
  Example(CallProblem.stopping, 503, "stopping", "touchgated is stopping; try again when it is running"),
  Example(CallProblem.internalError("disk I/O error"), 500, "internal", "disk I/O error"),
]

private let state = [
  Example(StateProblem.unknownUpdate("a"), 404, "noSuchID", "unknown update 'a'"),
  Example(StateProblem.unknownHold("a"), 404, "noSuchID", "unknown hold 'a'"),
  Example(StateProblem.unknownTurn("a"), 404, "noSuchID", "unknown turn 'a'"),
  Example(
    StateProblem.turnEnded(reason: "released"), 409, "turnEnded", "the turn did not begin: released"),
  Example(
    StateProblem.idInUse("a"), 409, "idInUse", "id 'a' is already used by an update with different content",
    "clientId"),
  Example(StateProblem.idOfUpdate("a"), 409, "idInUse", "id 'a' is already the id of another update", "clientId"),
  Example(StateProblem.idOfHoldOrTurn("a"), 409, "idInUse", "id 'a' is already used by a hold or a turn", "clientId"),
  Example(
    StateProblem.ambiguousID("a", [CandidateReply(id: "01A", uid: 1000), CandidateReply(id: "01B", uid: 1001)]), 409,
    "ambiguousID",
    "2 updates of different users have the id 'a': 01A of user 1000, 01B of user 1001; use one of these, or ?user=UID"),
  Example(
    StateProblem.notPermittedAnyMore(reason: "parameter url must match '^https://'"), 409, "notPermitted",
    "the configuration does not permit this update any more: parameter url must match '^https://'"),
  Example(
    StateProblem.notWaiting(state: "applied"), 409, "notWaiting",
    "the update is applied; only a waiting update can be changed"),
  Example(
    StateProblem.notEnded(state: "waiting", id: "a"), 409, "notEnded",
    "the update is waiting; only an update that has ended can be retried (to skip a backoff: touchgate apply a)"),
  Example(StateProblem.alreadyApplied, 409, "applied", "the update is already applied; submit a new one"),
  Example(
    StateProblem.superseded(by: "b", key: "menu"), 409, "superseded",
    "update 'b' with the same key 'menu' is newer or already waiting"),
  Example(
    StateProblem.payloadGone, 409, "payloadGone",
    "the payload is no longer kept (KeepPayloads=); submit the update again"),
  Example(
    StateProblem.notDelivered(id: "a"), 409, "notOffered", "update 'a' is not delivered to an application at present"),
  Example(
    StateProblem.clockUnset(field: "deadline"), 409, "clockUnset",
    "it is not known yet whether the clock is right, so not whether 'deadline' is within Deadline= of the handler; give a "
      + "time span such as 8h, or try again later", "deadline"),
  Example(StateProblem.notPaused, 409, "notPaused", "touchgated is not paused"),
  Example(StateProblem.changing, 409, "justChanged", "another request is changing this at the same time; try again"),
  Example(
    StateProblem.notAccepted(.full("disk full")), 503, "storeFull",
    "the update could not be stored and was not accepted: disk full"),
  Example(
    StateProblem.notCancelled(.full("disk full")), 503, "storeFull",
    "the end of the update could not be stored; it was not cancelled: disk full"),
  Example(
    StateProblem.notChanged(.full("disk full")), 503, "storeFull",
    "the change could not be stored and was not made: disk full"),
  Example(
    StateProblem.notAccepted(.failed("disk I/O error")), 503, "storeFailed",
    "the update could not be stored and was not accepted: disk I/O error"),
  Example(
    StateProblem.notCancelled(.failed("disk I/O error")), 503, "storeFailed",
    "the end of the update could not be stored; it was not cancelled: disk I/O error"),
  Example(
    StateProblem.notChanged(.failed("disk I/O error")), 503, "storeFailed",
    "the change could not be stored and was not made: disk I/O error"),
  Example(
    StateProblem.tooManyHolds(limit: 64, uid: nil), 429, "tooManyHolds",
    "64 holds are active, which is the maximum; see GET /v1/holds"),
  Example(
    StateProblem.screenPresent("Lobby"), 409, "screenPresent",
    "screen 'Lobby' is connected; only a missing one can be forgotten (Ignore= excludes a device)", "name"),
  Example(
    StateProblem.screenNamed("Lobby"), 409, "screenNamed",
    "screen 'Lobby' is named by touchgate.conf; remove it from [Screen] or RequireScreens=", "name"),
  Example(
    StateProblem.noMissingScreen("Lobby", missing: []), 404, "noSuchID",
    "no missing screen 'Lobby'; no screen is missing", "name"),
  Example(
    StateProblem.noMissingScreen("Lobby", missing: ["Till", "Door"]), 404, "noSuchID",
    "no missing screen 'Lobby'; missing screens: Door, Till", "name"),
  Example(
    StateProblem.tooManyHolds(limit: 16, uid: 1000), 429, "tooManyHolds",
    "16 holds of user 1000 are active, which is the maximum; see GET /v1/holds"),
  Example(
    StateProblem.queueFull(waiting: 10, .updates, uid: nil, setting: "MaxWaiting=", limit: 10), 429, "queueFull",
    "10 updates are already waiting; MaxWaiting= allows 10"),
  Example(
    StateProblem.queueFull(waiting: 10, .bytes, uid: 1000, setting: "MaxWaitingBytesPerUser=", limit: 12), 429,
    "queueFull", "10 bytes of user 1000 are already waiting; MaxWaitingBytesPerUser= allows 12"),
  Example(
    StateProblem.notQuiet(blocked), 408, "notQuiet",
    "timed out before it was quiet for long enough; blocked by touched, clears when the last contact ends"),
  Example(StateProblem.notEndedInTime([]), 408, "notEnded", "timed out before the update ended"),
  Example(
    StateProblem.wouldWait(blocked), 423, "shut",
    "the update would have to wait; blocked by touched, clears when the last contact ends"),
]

private let examples = json + query + body + call + state

@Suite("Messages of refusals")
struct ProblemTextTests {
  @Test("every message has its status, code, text and field", arguments: examples)
  fileprivate func message(_ example: Example) {
    let refusal = example.problem.refusal
    #expect(refusal.status == example.status)
    #expect(refusal.problem.code == example.code)
    #expect(refusal.problem.message == example.message)
    #expect(refusal.problem.field == example.field)
  }

  @Test(
    "the examples are complete: every case of every table is among them",
    arguments: [
      ("JSONProblem", json), ("QueryProblem", query), ("BodyProblem", body), ("CallProblem", call),
      ("StateProblem", state),
    ])
  fileprivate func complete(_ table: String, _ examples: [Example]) throws {
    let text = try ProjectFiles.text("Sources/ControlAPI/Problems/\(table).swift")
    let cases = text.split(separator: "\n").compactMap { line in
      line.hasPrefix("  case ") ? String(line.dropFirst(7).prefix { $0 != "(" }) : nil
    }
    try #require(cases.count > 5)
    #expect(Set(cases) == Set(examples.map(\.description)))
  }

  @Test("messages are plain words: no avoided pattern, no full stop, no capital at the start")
  func plain() {
    let expected = JSONProblem.Expected.allCases.map { JSONProblem.malformed(byte: 1, expected: $0) as any ProblemText }
    for problem in examples.map(\.problem) + expected {
      let message = problem.refusal.problem.message
      #expect(PlainWords.violations(message) == [])
      #expect(!message.hasSuffix(".") || message.hasSuffix(".."), "\(message)")
      #expect(message.first?.isUppercase == false, "\(message)")
    }
  }

  @Test("the check of words finds what it should, also at the ends and across lines, and nothing within words")
  func check() {
    #expect(PlainWords.violations("at byte 7 a colon should stand").count == 2)
    #expect(PlainWords.violations("So  Many\nat most").count == 1)
    #expect(PlainWords.violations("understand the standard, cause of it") == [])
  }

  @Test("permission problems say permission denied first")
  func permissions() {
    for example in examples where example.status == 403 {
      #expect(example.message.hasPrefix("permission denied: "))
    }
  }

  @Test("a refusal because of a limit says when to try again")
  func retryAfter() {
    for example in examples where example.status == 429 {
      #expect(example.problem.refusal.headers.map(\.name) == ["Retry-After"])
    }
  }

  @Test("time-outs list what blocks")
  func blockers() {
    #expect(StateProblem.notQuiet(blocked).refusal.problem.blockers == blocked)
    #expect(StateProblem.notEndedInTime([]).refusal.problem.blockers == [])
    #expect(StateProblem.wouldWait(blocked).refusal.problem.blockers == blocked)
  }

  @Test("names that clients choose are repeated in part only")
  func long() {
    let long = String(repeating: "x", count: 100_000)
    let problems: [any ProblemText] = [
      JSONProblem.tooLong(field: long), JSONProblem.longName(long), JSONProblem.unknownField(long, known: []),
      QueryProblem.unknownParameter(long, known: []), QueryProblem.unknownState(long, known: []),
      BodyProblem.unknownKind(long, known: []), CallProblem.unknownPath(long),
      CallProblem.wrongMethod(path: long, allowed: []), CallProblem.notJSON(contentType: long),
      CallProblem.unknownHandler(long, known: []), CallProblem.unknownScreen(long, known: []),
      CallProblem.badParameter(long, message: ""), CallProblem.deliveryOfOther(id: long),
      StateProblem.unknownUpdate(long), StateProblem.unknownHold(long), StateProblem.notEnded(state: "", id: long),
      StateProblem.notDelivered(id: long),
    ]
    for problem in problems.map(\.refusal.problem) {
      #expect(problem.message.utf8.count < 300 && (problem.field ?? "").utf8.count < 100, "\(problem.code)")
    }
  }
}
