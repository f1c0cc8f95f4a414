import Testing
import TouchgateAPI

@testable import ControlAPI

@Suite("Malformed and unusual JSON")
struct BadJSONTests {
  private func problem(_ body: [UInt8]) -> (code: String, field: String?)? {
    do {
      _ = try StrictJSON.decode(body, as: SubmitRequest.self, fields: SubmitRequest.fields)
      return nil
    } catch {
      return (error.problem.code, error.problem.field)
    }
  }

  @Test(
    "malformed JSON, and JSON of another form than the request, is refused",
    arguments: [
      "", " ", "null", "true", "1", "[]", "\"\"", "{", "}", "{}}", "{} {}", "{\"handler\":\"a\",}", "{'handler':'a'}",
      "{handler:\"a\"}", "{\"handler\":\"a\"}x", "/*x*/{\"handler\":\"a\"}", "{\"handler\":\"a\"//x\n}",
      "{\"handler\":\"\\x\"}", "{\"handler\":\"\\ud800\"}", "{\"handler\":\"\\u00\"}", "{\"handler\":\"a\nb\"}",
      "{\"handler\":NaN}", "{\"handler\":\"a\",\"priority\":01}", "{\"handler\":\"a\",\"priority\":+1}",
      "{\"handler\":\"a\",\"priority\":0x1}", "{\"handler\":\"a\",\"priority\":1.}",
      "{\"handler\":\"a\",\"priority\":-}",
      "{\"handler\":\"a\",\"priority\":1e999}", "{\"handler\":\"a\",\"priority\":99999999999999999999}",
      "{\"handler\":\"a\",\"priority\":1.5}", "{\"handler\":\"a\",\"priority\":true}",
      "{\"handler\":\"a\",\"priority\":\"1\"}", "{\"handler\":null}", "{\"handler\":{}}", "{\"handler\":[\"a\"]}",
      "{\"handler\":\"a\",\"parameters\":{\"a\":null}}", "{\"handler\":\"a\",\"parameters\":[]}",
      "{\"handler\":\"a\",\"parameters\":{\"a\":{\"b\":\"c\"}}}", "{\"Handler\":\"a\"}", "{\"handler\":\"a\",\"\":1}",
    ])
  func refused(text: String) {
    #expect(problem(Array(text.utf8)) != nil, "\(text)")
  }

  @Test(
    "unusual but correct JSON is accepted",
    arguments: [
      "\t\r\n {\"handler\" : \"a\"} \n", "{\"\\u0068andler\":\"a\"}", "{\"handler\":\"\\ud83d\\ude00\"}",
      "{\"handler\":\"a\",\"priority\":1.0}", "{\"handler\":\"a\",\"priority\":1e1}",
      "{\"handler\":\"a\",\"priority\":-0}",
      "{\"handler\":\"a\",\"key\":null,\"parameters\":null,\"payload\":null}",
      "{\"handler\":\"a\",\"parameters\":{\"\":\"\"}}",
    ])
  func taken(text: String) {
    #expect(problem(Array(text.utf8)) == nil, "\(text)")
  }

  @Test("the first of duplicate fields counts, in the parameters too")
  func duplicates() throws {
    let text = #"{"handler":"a","handler":"b","parameters":{"x":"1","x":"2"}}"#
    let request = try StrictJSON.decode(Array(text.utf8), as: SubmitRequest.self, fields: SubmitRequest.fields)
    #expect(request.handler == "a" && request.parameters == ["x": "1"])
  }

  @Test("only UTF-8 is accepted: no UTF-16, no UTF-32, no invalid bytes, and no NUL")
  func encodings() {
    let text = #"{"handler":"a"}"#
    let units = text.utf8.map(\.self)  // ASCII: one unit each
    let big = units.flatMap { unit -> [UInt8] in [0, unit] }
    let little = units.flatMap { unit -> [UInt8] in [unit, 0] }
    let wide = units.flatMap { unit -> [UInt8] in [0, 0, 0, unit] }
    let bodies: [[UInt8]] = [
      big, little, wide, [0xfe, 0xff] + big, [0xff, 0xfe] + little,
      Array(#"{"handler":""#.utf8) + [0xff] + Array(#""}"#.utf8),
      Array(#"{"handler":""#.utf8) + [0xc0, 0xaf] + Array(#""}"#.utf8),
      Array(#"{"handler":""#.utf8) + [0xed, 0xa0, 0x80] + Array(#""}"#.utf8),
      Array(#"{"handler":"a"#.utf8) + [0] + Array(#""}"#.utf8), Array(text.utf8) + [0],
    ]
    for body in bodies { #expect(problem(body)?.code == "malformedJSON") }
  }

  @Test("nesting of any depth is refused and never crashes")
  func depth() {
    for (open, close) in [("[", "]"), (#"{"a":"#, "}")] {
      for depth in [33, 100, 511, 512, 513, 514, 999, 1001, 300_000] {
        let inner = String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
        #expect(problem(Array(inner.utf8)) != nil)
        #expect(problem(Array("{\"handler\":\(inner)}".utf8)) != nil)
        #expect(problem(Array("{\"handler\":\(String(repeating: open, count: depth))".utf8)) != nil)
      }
    }
  }

  // MARK: Cost

  @Test("a body of too many values, long names or long strings costs milliseconds and is refused")
  func shape() throws {
    let many = (0..<200_000).map { "\"\(String($0, radix: 16))\":0" }.joined(separator: ",")
    let long = String(repeating: "e\u{301}", count: 500_000)
    let cases: [(String, String, String?)] = [
      ("{\(many)}", "tooManyValues", nil), ("{\"handler\":\"a\",\"parameters\":{\(many)}}", "tooManyValues", nil),
      (String(repeating: "[", count: 2_000_000), "tooDeep", nil),
      ("{\"\(long)\":1}", "unknownField", nil), ("{\"\(long.prefix(1000))\":1}", "unknownField", nil),
      ("{\"handler\":\"\(long)\"}", "tooLong", "handler"), ("\"\(long)\"", "tooLong", nil),
      (
        "{\"handler\":\"a\",\"quietPeriod\":\"\(String(repeating: "1a\u{301}", count: 100_000))\"}", "tooLong",
        "quietPeriod"
      ),
    ]
    let start = ContinuousClock.now
    for (text, code, field) in cases {
      let found = try #require(problem(Array(text.utf8)))
      #expect(found.code == code, "\(text.prefix(40))")
      if let field { #expect(found.field == field) }
    }
    // In a debug build; it was seconds.
    #expect(ContinuousClock.now - start < .seconds(10))
  }

  @Test("large payloads, 16 KiB of parameters, and commas within strings are accepted")
  func size() {
    let commas = String(repeating: ",[{:\\\"", count: 100_000)
    #expect(problem(Array("{\"handler\":\"a\",\"payload\":\"\(commas)\"}".utf8)) == nil)
    #expect(
      problem(Array("{\"handler\":\"a\",\"payloadBase64\":\"\(String(repeating: "A", count: 1_398_104))\"}".utf8))
        == nil)
    let parameters = (0..<400).map { "\"p\($0)\":\"\(String(repeating: "x", count: 30))\"" }.joined(separator: ",")
    #expect(problem(Array("{\"handler\":\"a\",\"parameters\":{\(parameters)}}".utf8)) == nil)
  }
}
