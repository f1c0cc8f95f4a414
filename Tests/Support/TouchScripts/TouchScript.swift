/// A `*.touch` script (notation: Tests/Unit/TouchModelTests/Cases/README.md): operations on one device after the other, with
/// expectations. It is played by the caller: against the tracker, or against the service on a kernel.
public struct TouchScript: Sendable {
  /// An invalid line of a script, or an expectation that was not met.
  public struct Failure: Error, CustomStringConvertible {
    public let line: Int
    public let message: String
    public var description: String { "line \(line): \(message)" }

    public init(line: Int, message: String) {
      self.line = line
      self.message = message
    }
  }

  /// One line: its operations, and what must be true after them.
  public struct Step: Sendable {
    public let line: Int
    /// Without its comment.
    public let text: String
    public let operations: [ScriptOperation]
    public let expected: [ScriptExpectation]
  }

  public let steps: [Step]

  public init(_ text: String) throws(Failure) {
    var steps: [Step] = []
    var parser = ScriptOperation.Parser()
    for (index, raw) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let line = raw.prefix { $0 != "#" }.words.joined(separator: " ")
      if line.isEmpty { continue }
      do throws(Malformed) {
        steps.append(try Self.step(index + 1, line, &parser))
      } catch {
        throw Failure(line: index + 1, message: error.description)
      }
    }
    self.steps = steps
  }

  private static func step(
    _ number: Int, _ line: String, _ parser: inout ScriptOperation.Parser
  ) throws(Malformed) -> Step {
    let parts = line.split(separator: "=>", maxSplits: 1, omittingEmptySubsequences: false)
    var operations: [ScriptOperation] = []
    for text in parts[0].split(separator: ";") {
      let words = text.words
      if words.isEmpty { continue }
      do throws(Malformed) {
        operations.append(try parser.operation(words))
      } catch {
        throw Malformed("\(words.joined(separator: " ")): \(error)")
      }
    }
    var expected: [ScriptExpectation] = []
    for word in parts.count > 1 ? parts[1].words : [] { expected.append(try ScriptExpectation(word)) }
    return Step(line: number, text: line, operations: operations, expected: expected)
  }
}

/// What is wrong with one operation.
struct Malformed: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

extension StringProtocol {
  var words: [String] { split { $0 == " " || $0 == "\t" }.map { String($0) } }
}
