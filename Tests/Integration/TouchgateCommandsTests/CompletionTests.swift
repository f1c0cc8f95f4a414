import Foundation
import Testing

@testable import TouchgateCommands

@Suite("Completion in bash")
struct CompletionTests {
  @Test("verbs are completed, also after options that every verb takes")
  func verbs() throws {
    #expect(try candidates(["touchgate", ""]).isSuperset(of: Verb.all.map(\.name)))
    #expect(try candidates(["touchgate", "re"]) == ["retry", "release", "resume"])
    #expect(try candidates(["touchgate", "--json", "--socket", "list", "ho"]) == ["hold", "holds"])
  }

  @Test("each verb completes its options, and no other", arguments: Verb.all.map(\.name))
  func options(_ name: String) throws {
    let verb = try #require(Verb(named: name))
    let expected = (verb.options + Option.common).map(\.text) + (verb.runsCommand ? ["--"] : [])
    #expect(try candidates(["touchgate", name, "-"]) == Set(expected))
  }

  @Test("values are completed, both after a space and after an equals sign")
  func values() throws {
    #expect(try candidates(["touchgate", "list", "--state", "a"]) == ["applying", "applied"])
    #expect(try candidates(["touchgate", "list", "--state", "=", "wai"]) == ["waiting"])
    #expect(try candidates(["touchgate", "submit", "x", "--on-deadline", "="]) == ["expire", "apply", "force"])
    #expect(try candidates(["touchgate", "submit", "--id", "list"]) == [], "any ID")
    #expect(try candidates(["touchgate", "submit", "--payload", "/etc/passw"]).contains("/etc/passwd"))
  }

  @Test("operands are completed: kinds, verbs, shells, and a command after --")
  func operands() throws {
    #expect(try candidates(["touchgate", "feedback", "s"]) == ["success", "selection"])
    #expect(try candidates(["touchgate", "feedback", "success", "s"]) == [])
    #expect(try candidates(["touchgate", "help", "li"]) == ["list"])
    #expect(try candidates(["touchgate", "completion", ""]) == ["bash"])
    #expect(try candidates(["touchgate", "run", "--", "bas"]).contains("bash"))
    #expect(try candidates(["touchgate", "run", "--", "cat", "/etc/passw"]).contains("/etc/passwd"))
  }

  @Test("IDs are those that touchgate prints, and there are none if it fails")
  func ids() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "touchgate-completion-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let program = folder.appending(path: "touchgate")
    let text = """
      #!/bin/sh
      case "$*" in
        "list --state waiting") echo "01J  reload-page  waiting"; echo "menu-7  reload-page  waiting" ;;
        *) exit 69 ;;
      esac
      """
    try Data(text.utf8).write(to: program)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
    #expect(try candidates([program.path, "cancel", ""]) == ["01J", "menu-7"])
    #expect(try candidates([program.path, "cancel", "me"]) == ["menu-7"])
    #expect(try candidates([program.path, "show", ""]) == [])
  }

  /// What bash offers for the last of `words`.
  private func candidates(_ words: [String]) throws -> Set<String> {
    let bash = Process()
    bash.executableURL = URL(filePath: "/bin/bash")
    let complete = #"COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _touchgate; printf '%s\n' "${COMPREPLY[@]}""#
    bash.arguments = ["--norc", "-c", BashCompletion.script + complete, "bash"] + words
    let output = Pipe()
    let errors = Pipe()
    bash.standardOutput = output
    bash.standardError = errors
    try bash.run()
    let printed = try output.fileHandleForReading.readToEnd() ?? Data()
    let complaints = try errors.fileHandleForReading.readToEnd() ?? Data()
    bash.waitUntilExit()
    #expect(String(decoding: complaints, as: UTF8.self) == "")
    return Set(String(decoding: printed, as: UTF8.self).split(separator: "\n").map(String.init))
  }
}
