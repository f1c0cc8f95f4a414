import Foundation
import Testing
import TouchScripts

/// `TOUCH_SCRIPT=path` (`make touch-script`) runs that one and prints every check.
@Suite("Touch scripts")
struct TouchScriptTests {
  static let files = ProcessInfo.processInfo.environment["TOUCH_SCRIPT"].map { [$0] } ?? ScriptFiles.all

  @Test("the tracker meets the expectations of every touch script", arguments: files)
  func holds(_ file: String) throws {
    let script = try TouchScript(String(contentsOfFile: file, encoding: .utf8))
    let verbose = ProcessInfo.processInfo.environment["TOUCH_SCRIPT"] != nil
    let checks = try script.run { if verbose { print("  ok  \($0)") } }
    #expect(checks > 0, "a script that checks nothing proves nothing")
  }

  @Test("there are touch scripts")
  func present() {
    #expect(!Self.files.isEmpty)
  }

  @Test(
    "a script whose expectation is wrong fails with its line",
    arguments: [
      ("DEV kind=mt\nS 0; T 5; SYN => idle {}", "line 2"),
      ("DEV kind=mt\nS 0; T 5; SYN => touched {0:6}", "is {0:5}, not {0:6}"),
      ("DEV kind=mt\nS 0; T 5; SYN => touched begins=2", "is begins=1, not begins=2"),
      ("DEV kind=mt\nQ 0", "not an operation"),
      ("DEV kind=mt => hello", "no verdict is called hello"),
    ])
  func wrong(_ text: String, _ words: String) throws {
    let error = #expect(throws: (any Error).self) { try TouchScript(text).run() }
    #expect("\(error.map { "\($0)" } ?? "")".contains(words))
  }
}
