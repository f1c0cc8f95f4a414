/// The verdict on each test over all sets.
struct Report {
  private(set) var passed = 0
  private(set) var failed = 0
  private(set) var skipped = 0
  /// Skipped tests by reason, then failures.
  private(set) var lines: [String] = []

  /// More issues of one test than this are only counted.
  private static let mostIssues = 10

  init(_ sets: [TestSet], _ tools: [ClosingLine] = []) {
    let ids = Set(sets.flatMap(\.tests.keys)).sorted()
    var skippedNames: [String: [String]] = [:]
    var failures: [String] = []
    for id in ids {
      let tests = sets.compactMap { set in set.tests[id].map { (set.name, $0) } }
      if tests.contains(where: { $0.1.verdict == .failed }) {
        failed += 1
        for (set, test) in tests where test.verdict == .failed { failures += Self.failure(test, in: set) }
      } else if tests.contains(where: { $0.1.verdict == .passed }) {
        passed += 1
      } else if case .skipped(let reason) = tests[0].1.verdict {
        skipped += 1
        skippedNames[reason, default: []].append(tests[0].1.name)
      }  // What never began is in the problems of its set.
    }
    for set in sets where !set.problems.isEmpty {
      failed += 1
      failures += set.problems.map { "failed: set \(set.name): \($0)" }
    }
    for tool in tools {
      passed += tool.passed
      failed += tool.failed
      failures += tool.problems.map { "failed: set \(tool.name): \($0)" }
    }
    lines = skippedNames.sorted { $0.key < $1.key }.map { reason, names in
      "skipped: \(reason): \(names.count > 3 ? "\(names.count) tests" : names.joined(separator: ", "))"
    }
    lines += failures
  }

  private static func failure(_ test: TestSet.Test, in set: String) -> [String] {
    var lines = ["failed: \(test.name) (set \(set))"]
    lines += test.issues.prefix(mostIssues).map { "  \($0)" }
    if test.issues.isEmpty { lines.append("  no issue was recorded") }
    if test.issues.count > mostIssues { lines.append("  and \(test.issues.count - mostIssues) more issues") }
    return lines
  }
}
