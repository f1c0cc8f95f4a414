import Scheduling
import Testing
import Timeline
import TouchgateAPI

@testable import ControlAPI

@Suite("Submissions: handler, parameters, payload, id")
struct SubmissionTests {
  private func read(_ text: String) throws(CallRefusal) -> Submission {
    try Submission(body: Array(text.utf8), now: WallTime(millisecondsSinceEpoch: 1_700_000_000_000))
  }

  private func problem(_ text: String) -> Problem? { problem(Array(text.utf8)) }

  private func problem(_ body: [UInt8]) -> Problem? {
    do throws(CallRefusal) {
      _ = try Submission(body: body, now: WallTime(millisecondsSinceEpoch: 1_700_000_000_000))
      return nil
    } catch {
      return error.problem
    }
  }

  // MARK: Accepted

  @Test("a handler is enough")
  func least() throws {
    let submission = try read(#"{"handler":"page"}"#)
    #expect(submission.handler == "page")
    #expect(submission.parameters == [:])
    #expect(submission.payload == [])
    #expect(submission.clientID == nil)
  }

  @Test("all fields together are accepted unchanged")
  func all() throws {
    let submission = try read(
      #" { "id" : "a.B-c_9", "parameters":{"url":"http://x/?ü","empty":""} , "payload":"\u00e4\n\u0000", "handler":"page" } "#
    )
    #expect(submission.clientID == ClientID("a.B-c_9"))
    #expect(submission.parameters == ["url": "http://x/?ü", "empty": ""])
    #expect(submission.payload == [0xc3, 0xa4, 0x0a, 0x00])
  }

  @Test("a payload in base64 is decoded")
  func base64() throws {
    #expect(try read(#"{"handler":"page","payloadBase64":"AP/+Cg=="}"#).payload == [0x00, 0xff, 0xfe, 0x0a])
    #expect(try read(#"{"handler":"page","payloadBase64":""}"#).payload == [])
  }

  @Test("null is the same as an absent field")
  func null() throws {
    let submission = try read(
      #"{"handler":"page","parameters":null,"payload":null,"payloadBase64":"eA==","id":null}"#)
    #expect(submission.parameters == [:] && submission.payload == [0x78] && submission.clientID == nil)
  }

  @Test("a payload of 1 MiB is accepted and one byte more is refused, as text and as base64")
  func size() throws {
    let mebibyte = 1024 * 1024
    let full = String(repeating: "x", count: mebibyte)
    #expect(try read(#"{"handler":"page","payload":"\#(full)"}"#).payload.count == mebibyte)
    let tooLarge = problem(#"{"handler":"page","payload":"\#(full)x"}"#)
    #expect(tooLarge?.code == "payloadTooLarge" && tooLarge?.field == "payload")
    #expect(tooLarge?.message.contains("1048577") == true && tooLarge?.message.contains("1048576") == true)

    // 1048575 bytes are 1398100 characters; one character "AA==" more is one byte, "AAA=" two.
    let encoded = String(repeating: "AAAA", count: mebibyte / 3)
    #expect(try read(#"{"handler":"page","payloadBase64":"\#(encoded)AA=="}"#).payload.count == mebibyte)
    let tooLargeBase64 = problem(#"{"handler":"page","payloadBase64":"\#(encoded)AAA="}"#)
    #expect(tooLargeBase64?.code == "payloadTooLarge" && tooLargeBase64?.field == "payloadBase64")
  }

  @Test("the limit of the payload counts bytes, not characters")
  func bytes() {
    let wide = String(repeating: "ü", count: 1024 * 512 + 1)
    #expect(problem(#"{"handler":"page","payload":"\#(wide)"}"#)?.code == "payloadTooLarge")
  }

  // MARK: Refused

  static let noJSON = [
    "", " ", "{", "}", "{}}", "hello", "{handler:page}", "{'handler':'page'}", #"{"handler":"page""#,
    #"{"handler":"page"} x"#, #"{"handler" "page"}"#, #"{"handler":"pa"#, #"{"handler":"\x"}"#, "[", "nul",
  ]

  @Test("malformed JSON is refused without a field", arguments: noJSON)
  func malformed(_ text: String) {
    #expect(problem(text)?.code == "malformedJSON")
    #expect(problem(text)?.field == nil)
  }

  @Test(
    "JSON that is not an object is refused",
    arguments: ["[]", #"["handler"]"#, #""page""#, "5", "true", "null", "-0.5e3"])
  func noObject(_ text: String) {
    #expect(problem(text)?.code == "wrongType")
    #expect(problem(text)?.message == "the body must be a JSON object")
  }

  @Test(
    "an unknown field is refused by name, whatever its value and however small the difference",
    arguments: [
      ("handlers", #"{"handler":"page","handlers":1}"#), ("Handler", #"{"Handler":"page"}"#),
      ("command", #"{"handler":"page","command":["/bin/sh"]}"#), ("", #"{"handler":"page","":null}"#),
      ("handler ", #"{"handler ":"page"}"#), ("a", #"{"b":1,"a":2,"handler":3}"#),
    ])
  func unknownField(_ field: String, _ text: String) {
    let found = problem(text)
    #expect(found?.code == "unknownField")
    #expect(found?.field == field)
    #expect(found?.message.contains("'\(field)'") == true)
    #expect(found?.message.contains("deadline, handler, id, key, notBefore, onDeadline, parameters, payload, ") == true)
  }

  @Test(
    "a value of the wrong type is refused with the path of its field",
    arguments: [
      ("handler", #"{"handler":5}"#), ("handler", #"{"handler":["page"]}"#), ("handler", #"{"handler":{}}"#),
      ("handler", #"{"handler":true}"#), ("handler", #"{"handler":null}"#),
      ("parameters", #"{"handler":"page","parameters":[]}"#),
      ("parameters", #"{"handler":"page","parameters":"url=x"}"#),
      ("parameters.url", #"{"handler":"page","parameters":{"url":5}}"#),
      ("parameters.url", #"{"handler":"page","parameters":{"ok":"x","url":{"a":"b"}}}"#),
      ("parameters.url", #"{"handler":"page","parameters":{"url":null}}"#),
      ("payload", #"{"handler":"page","payload":5}"#), ("payload", #"{"handler":"page","payload":{"a":1}}"#),
      ("payloadBase64", #"{"handler":"page","payloadBase64":[1,2]}"#), ("id", #"{"handler":"page","id":7}"#),
    ])
  func wrongType(_ field: String, _ text: String) {
    let found = problem(text)
    #expect(found?.code == "wrongType")
    #expect(found?.field == field)
    #expect(found?.message.hasPrefix("'\(field)' must be ") == true, "\(found?.message ?? "")")
  }

  @Test("the message about parameters of the wrong type states the right one")
  func wrongParameters() {
    let found = problem(#"{"handler":"page","parameters":[]}"#)
    #expect(found?.message == "'parameters' must be an object of strings")
  }

  @Test("a missing handler is refused", arguments: ["{}", #"{"payload":"x"}"#])
  func missingHandler(_ text: String) {
    #expect(problem(text) == Problem(code: "missingField", message: "'handler' is required", field: "handler"))
  }

  @Test("two payloads are refused, even if one is empty")
  func bothPayloads() {
    for text in [
      #"{"handler":"page","payload":"x","payloadBase64":"eA=="}"#,
      #"{"handler":"page","payload":"","payloadBase64":""}"#,
    ] {
      #expect(problem(text)?.code == "conflictingFields")
    }
  }

  @Test(
    "anything but base64 with padding is refused", arguments: ["eA", "eA=", "e", "=", "eA==eA==", "e A==", "e_-=", "ü"])
  func badBase64(_ text: String) {
    let found = problem(#"{"handler":"page","payloadBase64":"\#(text)"}"#)
    #expect(found?.code == "badBase64" && found?.field == "payloadBase64")
  }

  @Test(
    "an id that is not safe in a file name, a URL or a log line is refused",
    arguments: [
      "", ".", "..", "-a", "--help", "_a", ".a", "a/b", "a b", "a\\u0000", "ü", "a\\n",
      String(repeating: "x", count: 65), "%61",
    ])
  func badID(_ text: String) {
    let found = problem(#"{"handler":"page","id":"\#(text)"}"#)
    #expect(found?.code == "badID" && found?.field == "id")
    #expect(problem(#"{"handler":"page","clientId":"\#(text)"}"#)?.field == "clientId")
  }

  @Test("'id' is the older name of 'clientId', and only one of them is allowed")
  func olderName() throws {
    #expect(try read(#"{"handler":"page","clientId":"a"}"#).clientID == ClientID("a"))
    #expect(problem(#"{"handler":"page","clientId":"a","id":"a"}"#)?.code == "conflictingFields")
  }

  @Test("an id of 64 characters is accepted")
  func longID() throws {
    let text = String(repeating: "x", count: 64)
    #expect(try read(#"{"handler":"page","id":"\#(text)"}"#).clientID?.text == text)
  }

  // MARK: Hostile bodies

  @Test("nesting a hundred thousand deep is refused", arguments: ["[", #"{"a":"#])
  func deep(_ bracket: String) {
    let deep = String(repeating: bracket, count: 100_000)
    #expect(problem(deep)?.code == "tooDeep")
    #expect(problem(#"{"handler":"page","parameters":\#(deep)"#)?.code == "tooDeep")
  }

  @Test(
    "invalid UTF-8 is refused",
    arguments: [[0xff], [0xc3], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80]])
  func notUTF8(_ bytes: [UInt8]) {
    let body = Array(#"{"handler":"page","payload":""#.utf8) + bytes + Array(#""}"#.utf8)
    #expect(problem(body) != nil)
    #expect(problem(bytes) != nil)
  }

  @Test("half a surrogate pair is refused")
  func surrogates() {
    #expect(problem(#"{"handler":"page","payload":"\ud800"}"#) != nil)
    #expect(problem(#"{"handler":"page","payload":"\udc00\ud800"}"#) != nil)
    for alone in [#"\udc00"#, #"\udfff"#, #"a\udc00b"#] {
      let found = problem(#"{"handler":"page","payload":""# + alone + #""}"#)
      #expect(found?.message.contains("a high surrogate before the low one") == true, "\(found?.message ?? "accepted")")
    }
  }

  @Test("a message does not repeat values from the body")
  func secrets() {
    let secret = "s3cret"
    for text in [
      #"{"handler":"page","payload":"\#(secret)" "#, #"{"handler":"page","payload":["\#(secret)"]}"#,
      #"{"handler":"page","payloadBase64":"\#(secret)?"}"#, #"{"handler":"page","parameters":{"pin":["\#(secret)"]}}"#,
      #"{"handler":"page","payload":\#(secret)}"#,
    ] {
      let found = problem(text)
      #expect(found != nil)
      #expect(found?.message.contains(secret) == false, "\(found?.message ?? "")")
    }
  }
}
