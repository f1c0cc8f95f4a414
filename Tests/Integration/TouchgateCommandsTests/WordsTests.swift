import Foundation
import Linux
import PlainWords
import ProjectFiles
import Testing
import TouchgateAPI
import TouchgateClient

@testable import TouchgateCommands

@Suite("Words")
struct WordsTests {
  @Test("the phrases are found, and plain English has none")
  func patterns() {
    #expect(PlainWords.found(in: "wait so long at most") == ["so long"])
    #expect(PlainWords.found(in: "'a' is one argument too many") == ["argument too many"])
    #expect(PlainWords.found(in: "empty where there is none; what else stands there") == ["stands", "where there"])
    #expect(PlainWords.found(in: "prints a line an update") == ["a line an update"])
    #expect(PlainWords.found(in: "unexpected argument; reads standard input; as the handler says") == [])
  }

  @Test("every error and every text of the table is in plain English")
  func templates() {
    var texts = firstExamples.compactMap(\.purpose) + (Option.common.map(\.help) + ExitMeaning.general.map(\.meaning))
    for verb in Verb.all {
      texts += [verb.summary, verb.description] + verb.examples.compactMap(\.purpose) + verb.exits.map(\.meaning)
      texts += verb.options.map(\.help) + verb.operands.map(\.help)
    }
    texts += [HelpText.overview] + Verb.all.map(HelpText.of)
    texts += every(UsageError.Reason.sample(after:)).map(\.description)
    texts += every(Failure.Reason.sample(after:)).map(\.description)
    texts += every(ClientError.sample(after:)).map(\.description)
    for text in texts {
      #expect(!text.isEmpty)
      #expect(PlainWords.violations(text) == [])
    }
  }

  @Test("an error is one line of at most 200 characters, and ends without a full stop")
  func form() {
    let errors =
      every(UsageError.Reason.sample(after:)).map(\.description)
      + every(Failure.Reason.sample(after:)).map(\.description)
      + every(ClientError.sample(after:)).map(\.description)
    for error in errors {
      #expect(!error.contains("\n") && error.count <= 200 && !error.hasSuffix("."), "\(error)")
    }
  }

  @Test(
    "the sources and tests of the command, the man pages and the documents are in plain English",
    arguments: [
      "Sources/TouchgateCommands", "Sources/TouchgateClient", "Sources/TouchgateAPI", "Sources/touchgate",
      "Sources/touchgated", "Sources/UpdateStore", "Sources/Evdev", "Sources/EventLoop", "Sources/Gating",
      "Sources/HTTPTypes", "Sources/SocketServer", "Sources/SystemBus", "Sources/TouchReading",
      "Tests/Integration/TouchgateCommandsTests", "man/touchgate.1",
      "man/touchgated.8", "man/touchgate.conf.5", "config/touchgate.conf", "systemd/catalog/touchgate.catalog",
      "systemd/touchgated.service", "systemd/touchgated.socket", "README.md", "docs/README.md", "docs/operating.md",
      "docs/service.md", "docs/socket.md", "docs/touch.md", "docs/guard.md", "docs/haptics.md",
      "docs/architecture.md", "docs/security.md", "docs/openapi.yaml", "CONTRIBUTING.md", "Tests/README.md",
    ])
  func sources(_ path: String) throws {
    let place = ProjectFiles.root.appending(path: path)
    let names = FileManager.default.enumerator(atPath: place.path)?.compactMap { $0 as? String } ?? []
    let files = names.isEmpty ? [path] : names.filter { $0.hasSuffix(".swift") }.map { "\(path)/\($0)" }
    #expect(!files.isEmpty)
    // This file quotes the phrases.
    for file in files where !file.hasSuffix("/WordsTests.swift") {
      let text = try ProjectFiles.text(file)
      #expect(PlainWords.found(in: text) == [], "\(file)")
    }
  }
}

/// Every value of a chain that starts at nil. The chains below have one value of each case; their switches do not
/// compile if a case is missing.
private func every<Value>(_ next: (Value?) -> Value?) -> [Value] {
  var values: [Value] = []
  while let value = next(values.last) { values.append(value) }
  return values
}

extension UsageError.Reason {
  fileprivate static func sample(after previous: Self?) -> Self? {
    switch previous {
    case nil: .missingVerb(known: ["submit"])
    case .missingVerb: .unknownVerb("stauts", near: "status")
    case .unknownVerb: .unknownOption("--limt", near: "--limit")
    case .unknownOption: .optionWithoutVerb("--limit")
    case .optionWithoutVerb: .optionOfAnotherVerb("--watch", verb: "list")
    case .optionOfAnotherVerb: .duplicateOption("--limit")
    case .duplicateOption: .missingValue("--limit")
    case .missingValue: .unexpectedValue("--json")
    case .unexpectedValue: .unexpectedArgument("ls", command: true)
    case .unexpectedArgument: .missingArgument("ID", expected: "touchgate show ID")
    case .missingArgument: .notCombinable("--payload", "--param")
    case .notCombinable: .invalidChoice("KIND", "sucess", choices: feedbackKinds, near: "success")
    case .invalidChoice: .invalidNumber("--limit", "x", expected: "a whole number, 1 or more")
    case .invalidNumber: .unknownUser("lobby")
    case .unknownUser: .missingHandler(parameter: "url=x")
    case .missingHandler: .invalidParameter("url")
    case .invalidParameter: .duplicateParameter("url")
    case .duplicateParameter: nil
    }
  }
}

extension Failure.Reason {
  fileprivate static func sample(after previous: Self?) -> Self? {
    switch previous {
    case nil: .notApplied(state: "failed", message: "exited with 3")
    case .notApplied: .noParameter("url")
    case .noParameter: .eventsEnded
    case .eventsEnded: .holdEnded("touchgated was stopped")
    case .holdEnded: .noTurn
    case .noTurn: .cannotRun("ls", Errno(2))
    case .cannotRun: .payloadTooLarge("menu.html")
    case .payloadTooLarge: .payloadUnreadable("menu.html", Errno(2))
    case .payloadUnreadable: .outputFailed(Errno(28))
    case .outputFailed: .replyNotEncodable
    case .replyNotEncodable: nil
    }
  }
}

extension ClientError {
  fileprivate static func sample(after previous: Self?) -> Self? {
    switch previous {
    case nil: .notRunning(path: "/s")
    case .notRunning: .noPermission(path: "/s")
    case .noPermission: .refused(status: 400, Problem(code: "x", message: "is required", field: "handler"))
    case .refused: .noReply(path: "/s")
    case .noReply: .malformedReply("no HTTP status")
    case .malformedReply: .timedOut(after: .seconds(1))
    case .timedOut: .unknownWhetherTouched(reason: "no touchscreen")
    case .unknownWhetherTouched: .system(call: "connect", path: "/s", errno: 24)
    case .system: nil
    }
  }
}
