/// The result of a tool that is no Swift test, from the last line of its log of one of these forms:
///
///     hid: N tests passed, M failed, C comparisons, D disagreements
///     api: N calls tried, M failures
///     attack: N tried, H held, F failed
///
/// Each test of `hid` and each attack counts, and all disagreements count as one failure. All calls of `api` count as one test.
struct ClosingLine {
  let name: String
  private(set) var passed = 0
  private(set) var failed = 0
  private(set) var problems: [String] = []

  init(name: String, status: Int, log: [UInt8]) {
    self.name = name
    let lines = log.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    if let match = lines.reversed().lazy.compactMap({ Self.numbers(of: $0) }).first {
      read(match.tool, match.numbers, status)
    } else {
      problems.append("no closing line; the tool ended with status \(status)")
    }
    if problems.isEmpty && status != 0 { problems.append("the tool ended with status \(status)") }
    failed = max(failed, problems.isEmpty ? 0 : 1)
  }

  private mutating func read(_ tool: String, _ numbers: [Int], _ status: Int) {
    switch tool {
    case "hid":
      passed = numbers[0]
      failed = numbers[1] + (numbers[3] > 0 ? 1 : 0)
      if passed + numbers[1] == 0 { problems.append("no test ran") }
      if numbers[1] > 0 { problems.append("\(numbers[1]) tests failed") }
      if numbers[3] > 0 { problems.append("\(numbers[3]) disagreements") }
    case "attack":
      (passed, failed) = (numbers[1], numbers[2])
      if numbers[0] == 0 || numbers[1] + numbers[2] != numbers[0] { problems.append("not every attack has a result") }
      if failed > 0 { problems.append("\(failed) attacks were not held") }
    default:
      if numbers[0] == 0 { problems.append("no call was tried") }
      if numbers[1] > 0 { problems.append("\(numbers[1]) failures in \(numbers[0]) calls") }
      passed = problems.isEmpty && status == 0 ? 1 : 0
    }
  }

  /// The numbers of a closing line; nil for any other line.
  private static func numbers(of line: String) -> (tool: String, numbers: [Int])? {
    let words = line.split(separator: " ", omittingEmptySubsequences: false)
    let numbers = words.compactMap { Int($0) }
    if numbers.contains(where: { $0 < 0 }) { return nil }
    let form = words.map { Int($0) == nil ? String($0) : "N" }.joined(separator: " ")
    switch form {
    case "hid: N tests passed, N failed, N comparisons, N disagreements": return ("hid", numbers)
    case "attack: N tried, N held, N failed": return ("attack", numbers)
    case "api: N calls tried, N failures": return ("api", numbers)
    default: return nil
    }
  }
}
