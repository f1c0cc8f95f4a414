/// A pattern as a nondeterministic automaton, which reads a value once and keeps all its states at the same time. So one
/// byte costs at most one visit of each step, whatever the pattern and the value.
struct PatternProgram {
  /// Counted repetitions are written out, so a short pattern can be long.
  static let mostSteps = 1000

  private enum Step {
    /// Reads one byte.
    case bytes(ByteSet, next: Int)
    case split(Int, Int)
    case begin(next: Int)
    case end(next: Int)
    case match
  }

  private var steps: [Step] = [.match]
  private var first = 0

  init(_ pattern: String) throws(PatternProblem) {
    var parser = PatternParser(pattern)
    first = try add(try parser.parse(), before: 0)
  }

  private mutating func append(_ step: Step) throws(PatternProblem) -> Int {
    if steps.count >= Self.mostSteps {
      throw PatternProblem(
        "too large; with its counted repetitions written out it has more than \(Self.mostSteps) steps")
    }
    steps.append(step)
    return steps.count - 1
  }

  /// Returns where the node begins; it continues with `next`.
  private mutating func add(_ node: PatternNode, before next: Int) throws(PatternProblem) -> Int {
    switch node {
    case .empty: return next
    case .bytes(let set): return try append(.bytes(set, next: next))
    case .begin: return try append(.begin(next: next))
    case .end: return try append(.end(next: next))
    case .sequence(let nodes):
      var start = next
      for node in nodes.reversed() { start = try add(node, before: start) }
      return start
    case .choice(let nodes):
      var start = try add(nodes[nodes.count - 1], before: next)
      for node in nodes.dropLast().reversed() { start = try append(.split(try add(node, before: next), start)) }
      return start
    case .repeated(let node, let least, let most):
      var start = next
      if let most {
        for _ in least..<most { start = try append(.split(try add(node, before: start), next)) }
      } else {
        start = try append(.split(next, next))
        steps[start] = .split(try add(node, before: start), next)
      }
      for _ in 0..<least { start = try add(node, before: start) }
      return start
    }
  }

  /// Whether the value matches somewhere.
  func matches(_ value: [UInt8]) -> Bool { read(value).isMatch }

  /// `visits`: how many steps that took; per byte of the value, and once more at its end, each step at most once.
  func read(_ value: [UInt8]) -> (isMatch: Bool, visits: Int) {
    var visits = 0
    var (here, there): ([Int], [Int]) = ([], [])
    // Of each step: the position at which it was visited last.
    var visited = [Int](repeating: -1, count: steps.count)
    var pending: [Int] = []
    for position in 0...value.count {
      pending.append(first)
      while let index = pending.popLast() {
        if visited[index] == position { continue }
        visited[index] = position
        visits += 1
        switch steps[index] {
        case .bytes: here.append(index)
        case .split(let one, let other):
          pending.append(one)
          pending.append(other)
        case .begin(let next): if position == 0 { pending.append(next) }
        case .end(let next): if position == value.count { pending.append(next) }
        case .match: return (true, visits)
        }
      }
      if position == value.count { break }
      for index in here {
        guard case .bytes(let set, let next) = steps[index], set.contains(value[position]) else { continue }
        there.append(next)
      }
      (here, pending, there) = ([], there, [])
    }
    return (false, visits)
  }
}
