import Testing
import Timeline
import TouchgateAPI

@testable import ControlAPI

@Suite("The digest of a submission")
struct ContentTests {
  private func content(_ more: String, at second: Int64 = 0) throws -> String {
    let now = WallTime(millisecondsSinceEpoch: 1_700_000_000_000 + second * 1000)
    return try Submission(body: Array("{\"handler\":\"page\"\(more)}".utf8), now: now).content
  }

  @Test("the same request has the same digest, at any time and in any notation")
  func same() throws {
    #expect(try content("") == content("", at: 100))
    #expect(try content(#","deadline":"30min""#) == content(#","deadline":"1800s""#, at: 100))
    #expect(
      try content(#","deadline":"2026-11-30T02:14:07Z""#) == content(#","deadline":"2026-11-30T02:14:07.000Z""#, at: 9))
    #expect(try content(#","payload":"abc""#) == content(#","payloadBase64":"YWJj""#))
    #expect(try content(#","parameters":{"a":"1","b":"2"}"#) == content(#","parameters":{"b":"2","a":"1"}"#))
    #expect(try content(#","quietPeriod":"1s""#) == content(#","quietPeriod":"1000ms""#))
    #expect(try content(#","priority":0"#) == content(""))
    #expect(try content(#","id":"a""#) == content(#","clientId":"b""#), "the id is not content")
  }

  @Test("a request that is repeated after its deadline has the same digest")
  func afterDeadline() throws {
    let body = #","deadline":"2023-11-14T22:13:30Z""#
    #expect(try content(body) == content(body, at: 60))
  }

  @Test("every difference gives another digest")
  func different() throws {
    let bodies = [
      "", #","parameters":{"a":"bc"}"#, #","parameters":{"ab":"c"}"#, #","parameters":{"a":"b","c":""}"#,
      #","payload":"abc""#, #","payload":"abd""#, #","payload":"\u0000""#, #","key":"abc""#, #","key":"a""#,
      #","priority":1"#, #","priority":-1"#, #","quietPeriod":"0""#, #","quietPeriod":"1s""#,
      #","notBefore":"1h""#, #","notBefore":"2h""#, #","deadline":"1h""#, #","deadline":"1h","onDeadline":"apply""#,
      #","notBefore":"1h","deadline":"2h""#, #","notBefore":"2023-11-15T00:00:00Z""#,
    ]
    let contents = try bodies.map { try content($0) }
    #expect(Set(contents).count == bodies.count)
  }

  @Test("the digest is FNV-1a of 128 bits over length and bytes of each part")
  func digest() {
    // FNV-1a over eight zero bytes and nothing, computed independently.
    var digest = ContentDigest()
    #expect(digest.hex == "6c62272e07bb014262b821756295c58d")
    digest.add("")
    #expect(digest.hex == "9d30c1f78465995be47dda5e4e4e77ed")
    digest.add("foobar")
    #expect(digest.hex == "edd86420a62f1f667700f55b10232222")
  }

  @Test("the size counts payload and parameters, and more than 16 KiB of parameters are refused")
  func size() throws {
    func submission(_ length: Int) throws(CallRefusal) -> Submission {
      let value = String(repeating: "x", count: length)
      return try Submission(
        body: Array(#"{"handler":"page","payload":"1234","parameters":{"url":"\#(value)"}}"#.utf8),
        now: WallTime(millisecondsSinceEpoch: 0))
    }
    #expect(try submission(Limits.parameters - 3).size == Limits.parameters + 4)
    let problem = #expect(throws: CallRefusal.self) { try submission(Limits.parameters - 2) }?.problem
    #expect(problem?.code == "parametersTooLarge" && problem?.field == "parameters")
  }
}
