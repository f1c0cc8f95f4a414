import FoundationEssentials

/// What one run of the test bundle reported: the verdict on each test, and what is wrong with the run itself.
struct TestSet {
  enum Verdict: Equatable {
    case planned
    case started
    case passed
    case failed
    case skipped(reason: String)
  }

  struct Test {
    let name: String
    var verdict = Verdict.planned
    var startedCases = 0
    var cancelledCases = 0
    var issues: [String] = []
  }

  let name: String
  /// By the identifier that Swift Testing gives the test; functions only.
  private(set) var tests: [String: Test] = [:]
  /// Why the set counts as failed although no test of it may have.
  private(set) var problems: [String] = []

  private var suites: [String: String] = [:]
  private var started = false
  private var ended = false
  private var runFailed = false

  /// - Parameters:
  ///   - status: the exit status of the test process.
  ///   - stream: the bytes of the event stream; nil if there is no such file.
  init(name: String, status: Int, stream: [UInt8]?) {
    self.name = name
    guard let stream else {
      problems.append("no event stream; the test process ended with status \(status)")
      return
    }
    for (index, line) in stream.split(separator: UInt8(ascii: "\n")).enumerated() {
      do {
        try record(EventRecord.parse(line))
      } catch {
        problems.append("line \(index + 1) of the event stream is not a record")
        break
      }
    }
    judge(status)
  }

  /// Whether something failed: a test, or the run.
  var hasFailed: Bool { !problems.isEmpty || tests.values.contains { $0.verdict == .failed } }

  // MARK: Records

  private mutating func record(_ record: EventRecord) {
    if ended { problems.append("the event stream continues after the end of the run") }
    switch record {
    case .test(let test):
      let name = test.displayName.map { "\"\($0)\"" } ?? test.name
      switch test.kind {
      case .function: tests[test.id] = Test(name: name)
      case .suite: suites[test.id] = name
      }
    case .event(let event):
      self.event(event)
    }
  }

  private mutating func event(_ event: EventRecord.Event) {
    switch event.kind {
    case "runStarted": started = true
    case "runEnded":
      ended = true
      runFailed = event.messages.contains { $0.symbol == "fail" }
    case "issueRecorded":
      if event.issue?.isKnown != true { issue(event) }
    case "testStarted": change(event.testID) { $0.verdict = .started }
    case "testSkipped": change(event.testID) { $0.verdict = .skipped(reason: Self.reason(event)) }
    case "testCaseStarted": change(event.testID) { $0.startedCases += 1 }
    case "testCaseCancelled": change(event.testID) { $0.cancelledCases += 1 }
    case "testEnded": testEnded(event)
    default: break  // Kinds that say nothing about the verdict, such as valueAttached.
    }
  }

  private mutating func issue(_ event: EventRecord.Event) {
    let text = Self.describe(event)
    if let id = event.testID, tests[id] != nil {
      change(id) { $0.issues.append(text) }
    } else {
      problems.append("issue outside of any test: \(text)")
    }
  }

  private mutating func testEnded(_ event: EventRecord.Event) {
    let failed = event.messages.contains { $0.symbol == "fail" }
    if let id = event.testID, let suite = suites[id] {
      let isExplained = tests.contains { $0.key.hasPrefix("\(id)/") && $0.value.hasFailed }
      if failed && !isExplained { problems.append("suite \(suite) failed without a failed test") }
      return
    }
    change(event.testID) { test in
      let isCancelled = test.cancelledCases > 0 && test.cancelledCases >= test.startedCases
      if failed || !test.issues.isEmpty {
        test.verdict = .failed
      } else {
        test.verdict = isCancelled ? .skipped(reason: Self.reason(event)) : .passed
      }
    }
  }

  private mutating func change(_ id: String?, _ change: (inout Test) -> Void) {
    guard let id, suites[id] == nil else { return }
    guard var test = tests[id] else {
      problems.append("event of an unknown test: \(id)")
      return
    }
    change(&test)
    tests[id] = test
  }

  // MARK: The run

  private mutating func judge(_ status: Int) {
    for (id, test) in tests {
      switch test.verdict {
      case .started:
        tests[id]?.verdict = .failed
        tests[id]?.issues.append("did not end: the test process crashed or was killed (status \(status))")
      case .planned:
        if ended { problems.append("\(test.name) neither ran nor was skipped") }
      case .passed:
        if !test.issues.isEmpty { tests[id]?.verdict = .failed }  // Recorded after its end.
      case .failed, .skipped: break
      }
    }
    if !started { problems.append("the run did not start") }
    if started && !ended { problems.append("the run did not end; the test process ended with status \(status)") }
    if ended && !tests.values.contains(where: { $0.verdict == .passed || $0.verdict == .failed }) {
      problems.append("no test ran")
    }
    if runFailed && !hasFailed { problems.append("the run failed without a failed test") }
    if status != 0 && !hasFailed { problems.append("the test process ended with status \(status)") }
    if status == 0 && tests.values.contains(where: { $0.verdict == .failed }) {
      problems.append("the test process ended with status 0 although a test failed")
    }
  }

  // MARK: Texts

  /// What stands after the colon of `Test "…" skipped: "needs a VM"`, without the quotation marks.
  private static func reason(_ event: EventRecord.Event) -> String {
    guard let text = event.messages.first?.text else { return "no reason given" }
    for separator in [" skipped: ", " seconds: "] {
      guard let range = text.firstRange(of: separator) else { continue }
      let reason = text[range.upperBound...]
      let isQuoted = reason.count >= 2 && reason.first == "\"" && reason.last == "\""
      return String(isQuoted ? reason.dropFirst().dropLast() : reason)
    }
    return "no reason given"
  }

  /// `FILE:LINE: (arguments) message`, further lines indented.
  private static func describe(_ event: EventRecord.Event) -> String {
    var place = ""
    if let location = event.issue?.sourceLocation {
      let here = FileManager.default.currentDirectoryPath + "/"
      let path = location.path ?? location.fileID
      place = "\(path.hasPrefix(here) ? String(path.dropFirst(here.count)) : path):\(location.line): "
    }
    let arguments = event.testCase.map { $0.displayName.isEmpty ? "" : "(\($0.displayName)) " } ?? ""
    let text = event.messages.map(\.text).joined(separator: "\n    ")
    return place + arguments + text
  }
}

extension TestSet.Test {
  var hasFailed: Bool { verdict == .failed || !issues.isEmpty }
}
