import Glibc
import Testing
import TouchgateAPI
import TouchgateClient

@testable import TouchgateCommands

@Suite("Payloads and exit statuses")
struct SubmitTests {
  @Test("a payload in UTF-8 is sent as text, even an empty one and one with NUL; any other as base64")
  func encoding() {
    var request = SubmitRequest(handler: "x")
    request.setPayload([])
    #expect(request.payload == "" && request.payloadBase64 == nil)
    request.setPayload(Array("ä\u{0}".utf8))
    #expect(request.payload == "ä\u{0}" && request.payloadBase64 == nil)
    request = SubmitRequest(handler: "x")
    request.setPayload([0xff, 0x00, 0x01])
    #expect(request.payload == nil && request.payloadBase64 == "/wAB")
  }

  @Test("a payload of the largest size is read completely, and a larger one is refused with the limit")
  func size() throws {
    var path = Array("/tmp/touchgate-payload-XXXXXX".utf8CString)
    let descriptor = mkstemp(&path)
    try #require(descriptor >= 0)
    defer {
      close(descriptor)
      unlink(path)
    }
    let name = String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let bytes = [UInt8](repeating: 7, count: Limits.payload)
    try #require(write(descriptor, bytes, bytes.count) == bytes.count)
    #expect(try readPayload(name) == bytes)

    try #require(write(descriptor, bytes, 1) == 1)
    let failure = #expect(throws: Failure.self) { try readPayload(name) }
    #expect(failure?.code == .badRequest)
    #expect(failure?.message?.hasPrefix("payload: \(name) is larger than 1048576 bytes") == true)
  }

  @Test("a payload that cannot be read is a wrong argument, and the error says why")
  func unreadable() {
    #expect(
      throws: Failure(message: "payload: cannot read /nonexistent: No such file or directory", code: .usage)
    ) { try readPayload("/nonexistent") }
  }

  @Test(
    "each failure has its exit status",
    arguments: [
      (.notRunning(path: "/s"), 69), (.noReply(path: "/s"), 69), (.noPermission(path: "/s"), 77),
      (.timedOut(after: .seconds(1)), 75), (refused(403), 77), (refused(400), 65), (refused(409), 65),
      (refused(413), 65), (refused(429), 75), (refused(503), 75), (refused(500), 1), (.malformedReply("x"), 1),
    ] as [(ClientError, CInt)])
  func exitCodes(error: ClientError, code: CInt) {
    #expect(Failure(error).code.rawValue == code)
  }

  @Test("a refusal names the field")
  func field() {
    let error = ClientError.refused(
      status: 400, Problem(code: "badParameter", message: "does not match ^https", field: "parameters.url"))
    #expect(Failure(error).message == "parameters.url: does not match ^https")
  }
}

private func refused(_ status: Int) -> ClientError {
  .refused(status: status, Problem(code: "x", message: "x"))
}
