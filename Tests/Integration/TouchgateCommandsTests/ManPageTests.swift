import Foundation
import ProjectFiles
import Testing

@testable import TouchgateCommands

@Suite("man/touchgate.1")
struct ManPageTests {
  /// With `TOUCHGATE_WRITE_MAN=1` it writes the parts instead of comparing them.
  @Test("the man page has every verb, option, example and exit status of the table, and no other")
  func parts() throws {
    var page = try ProjectFiles.text("man/touchgate.1")
    let isWriting = ProcessInfo.processInfo.environment["TOUCHGATE_WRITE_MAN"] == "1"
    for (name, text) in ManPage.parts {
      let begin = try #require(page.range(of: ManPage.begin(name)), "no comment at the beginning of \(name)")
      let end = try #require(page.range(of: ManPage.end(name)), "no comment at the end of \(name)")
      let range = begin.upperBound..<end.lowerBound
      if isWriting {
        page.replaceSubrange(range, with: text)
        continue
      }
      let differing = zip(lines(String(page[range])), lines(text)).first { $0 != $1 }
      #expect(
        differing?.0 == differing?.1 && page[range].count == text.count,
        """
        \(name) differs from the table; run TOUCHGATE_WRITE_MAN=1 swift test --disable-xctest --filter ManPageTests \
        and read what it has changed
        """)
    }
    if isWriting { try Data(page.utf8).write(to: ProjectFiles.root.appending(path: "man/touchgate.1")) }
  }

  @Test("the man page describes no verb and no option outside of these parts")
  func nothingElse() throws {
    var page = try ProjectFiles.text("man/touchgate.1")
    for (name, _) in ManPage.parts {
      let begin = try #require(page.range(of: ManPage.begin(name)))
      let end = try #require(page.range(of: ManPage.end(name)))
      page.removeSubrange(begin.lowerBound..<end.upperBound)
    }
    let described = page.split(separator: "\n").filter { $0.hasPrefix(".It Cm") || $0.hasPrefix(".It Fl") }
    #expect(described == [])
  }
}

private func lines(_ text: String) -> [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }
