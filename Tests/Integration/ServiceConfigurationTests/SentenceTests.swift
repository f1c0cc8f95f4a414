import Haptics
import PlainWords
import Testing
import Timeline

@testable import ServiceConfiguration

@Suite("Messages about the configuration")
struct SentenceTests {
  static let templates = Sentence.allCases.map(\.rawValue)
  /// Reasons that other modules give for `{key}= {reason}`.
  static let reasons =
    [TimeSpan.Malformed.empty, .noNumber("x"), .unknownUnit("x"), .tooLong("x")].map(\.description)
    + ["", "x", "1@1", "30@2", "30@1 x", "30@1 g30", "30@1 g9 30@1", "500@1 g500 500@1"].compactMap { text in
      do throws(Pattern.Malformed) {
        _ = try Pattern(text)
        return nil
      } catch { return error.description }
    }

  @Test("no message has a pattern of translated prose", arguments: templates + reasons)
  func words(_ template: String) { #expect(PlainWords.violations(template) == []) }

  @Test("a message is one line without a full stop, and begins in lower case or with a key", arguments: templates)
  func form(_ template: String) {
    #expect(!template.contains("\n") && template.last != "." && template.last != " ")
    #expect(!template.contains("  "))
    let beginsWithKey =
      template.hasPrefix("{") || template.prefix { $0.isLetter }.count < template.prefix { $0 != " " }.count
    #expect(template.first?.isUppercase == false || beginsWithKey)
  }

  @Test("a template is filled in from left to right")
  func filled() {
    #expect(Sentence.duplicate.text(["Exec", "1"]) == "Exec= is duplicated; first set on line 1")
    #expect(Refused(.unknownUser, "'x'").text(key: "Force") == "Force=: unknown user 'x'")
    #expect(Sentence.severalKinds.text([]) == "only one of Exec=, Unit= and Deliver= is allowed")
    #expect(Sentence.unknownEscape.text(["Exec", "q"]).hasPrefix(#"Exec=: unknown escape \q; inside double quotes"#))
  }

  @Test("what users typed is quoted, escaped and cut")
  func quoted() {
    #expect("a\tb'c".quotedForMessage == #"'a\tb'c'"#)
    #expect(String(repeating: "x", count: 81).quotedForMessage == "'\(String(repeating: "x", count: 80))…'")
  }

  @Test("an example of every kind of problem is worded as documented")
  func examples() throws {
    let root = try Root()
    try root.write(
      "etc/touchgate.conf",
      """
      [Gate]
      QuietPeriod=1s
      QuietPeriod=2s
      OnStuck=holt
      [Rights]
      Force=no-such-user
      Hold=@no-such-group
      """)
    try root.write("etc/handlers.d/a.conf", "[Handler]\nExec=/bin/true\nUnit=x.service\nRebootTimeout=1s\n")
    let error = #expect(throws: ConfigurationError.self) { try root.read() }
    let etc = "\(root.path)/etc"
    #expect(
      error?.description == """
        \(etc)/touchgate.conf:3: QuietPeriod= is duplicated; first set on line 2
        \(etc)/touchgate.conf:4: OnStuck= 'holt' is invalid; did you mean hold? Use ignore or hold
        \(etc)/touchgate.conf:6: Force=: unknown user 'no-such-user'
        \(etc)/touchgate.conf:7: Hold=: unknown group 'no-such-group'
        \(etc)/handlers.d/a.conf:3: only one of Exec=, Unit= and Deliver= is allowed
        \(etc)/handlers.d/a.conf:4: RebootTimeout= has no effect without Reboots=yes
        """)
  }
}
