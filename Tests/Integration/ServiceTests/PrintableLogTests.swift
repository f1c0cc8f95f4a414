import Testing

@testable import ServiceLog

@Suite("Lines of the log")
struct PrintableLogTests {
  @Test("a line has neither line ends nor control sequences, whatever is in a name")
  func printable() {
    #expect(Log.printable("a\nb\r\nc\u{2028}d") == "a b c d")
    #expect(Log.printable("\u{1b}[2J\u{7f}\u{9b}x\u{0}") == "?[2J??x?")
    #expect(Log.printable("Pänel ☃ 👍🏽") == "Pänel ☃ 👍🏽")
  }
}
