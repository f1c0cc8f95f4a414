import FoundationEssentials
import Glibc

/// Reads event streams of Swift Testing and prints what was skipped, what failed, and one line with the numbers:
///
///     testreport [set NAME EXIT-STATUS EVENTS | tool NAME EXIT-STATUS LOG]...
///
/// A test that several sets have counts once: failed if it failed in any, skipped only if none ran it. A set whose run
/// is incomplete, or in which no test ran, is one more failure. A tool ends its log with a `ClosingLine`. The exit
/// status is 0 only if nothing failed; 2 for wrong arguments.
@main struct TestReport {
  static func main() {
    var arguments = CommandLine.arguments.dropFirst()
    var sets: [TestSet] = []
    var tools: [ClosingLine] = []
    while arguments.count >= 4 {
      let four = Array(arguments.prefix(4))
      arguments = arguments.dropFirst(4)
      let contents = FileManager.default.contents(atPath: four[3]).map { Array($0) }
      switch (four[0], Int(four[2])) {
      case ("set", let status?): sets.append(TestSet(name: four[1], status: status, stream: contents))
      case ("tool", let status?): tools.append(ClosingLine(name: four[1], status: status, log: contents ?? []))
      default: usage()
      }
    }
    if !arguments.isEmpty || sets.isEmpty && tools.isEmpty { usage() }

    let report = Report(sets, tools)
    for line in report.lines { print(line) }
    print("tests: \(report.passed) passed, \(report.failed) failed, \(report.skipped) skipped")
    exit(report.failed == 0 ? 0 : 1)
  }

  private static func usage() -> Never {
    print("usage: testreport [set NAME EXIT-STATUS EVENTS | tool NAME EXIT-STATUS LOG]...")
    exit(2)
  }
}
