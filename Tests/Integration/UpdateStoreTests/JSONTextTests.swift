import Testing

@testable import UpdateStore

@Suite("Parameters as a column")
struct JSONTextTests {
  @Test(
    "what was encoded is decoded byte for byte, the plain and the odd",
    arguments: [
      [:], ["": ""], ["a": "b"], ["a": "", "b": "c", "d": "{}:,"], ["url": "https://example.org/a?b=c&d={e}"],
      ["quote": "\"", "back": "\\", "both": "\\\""], ["line": "a\nb", "null": "\u{0}"], ["ü": "触摸 👆🏽"],
      [":": ",", ",": ":"],
    ])
  func roundTrip(_ values: [String: String]) {
    #expect(JSONText.parameters(JSONText.encode(values)) == values)
  }

  @Test(
    "what is no object of strings is refused",
    arguments: [
      "", "{", "}", "[]", "null", #"{"a"}"#, #"{"a":1}"#, #"{"a":"b""#, #"{"a":"b","c"}"#, #"{"a":"b""c":"d"}"#,
      #"{"a","b"}"#, #"x{"a":"b"}"#, #"{"a":"b"}x"#, #"{"a":{"b":"c"}}"#,
    ])
  func malformed(_ text: String) {
    #expect(JSONText.parameters(text) == nil)
  }

  @Test("blanks between the parts are JSON too")
  func blanks() {
    #expect(JSONText.parameters(#"{ "a" : "b" , "c" : "d" }"#) == ["a": "b", "c": "d"])
  }
}
