import Testing

@testable import UpdateStore

@Suite("Parameters as a column")
struct JSONTextTests {
  @Test(
    "plain and unusual strings are decoded byte for byte",
    arguments: [
      [:], ["": ""], ["a": "b"], ["a": "", "b": "c", "d": "{}:,"], ["url": "https://example.org/a?b=c&d={e}"],
      ["quote": "\"", "back": "\\", "both": "\\\""], ["line": "a\nb", "null": "\u{0}"], ["ü": "触摸 👆🏽"],
      [":": ",", ",": ":"],
    ])
  func roundTrip(_ values: [String: String]) {
    #expect(JSONText.parameters(JSONText.encode(values)) == values)
  }

  @Test(
    "JSON that is not an object of strings is refused",
    arguments: [
      "", "{", "}", "[]", "null", #"{"a"}"#, #"{"a":1}"#, #"{"a":"b""#, #"{"a":"b","c"}"#, #"{"a":"b""c":"d"}"#,
      #"{"a","b"}"#, #"x{"a":"b"}"#, #"{"a":"b"}x"#, #"{"a":{"b":"c"}}"#,
    ])
  func malformed(_ text: String) {
    #expect(JSONText.parameters(text) == nil)
  }

  @Test("white space between the parts is accepted")
  func blanks() {
    #expect(JSONText.parameters(#"{ "a" : "b" , "c" : "d" }"#) == ["a": "b", "c": "d"])
  }
}
