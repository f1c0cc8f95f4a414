import TouchModel

/// Parses touchplay scripts into steps, line by line; README.md in this folder describes the language.
///
/// Pure: whether a slot exists or a file can be read is seen when the script plays.
public struct ScriptParser {
  private enum Block {
    case repetition(count: Int)
    case frame(screen: String)
  }

  private struct OpenBlock {
    var block: Block
    var line: Int
    var steps: [ScriptStep] = []
  }

  private var line = 0
  private var screens: [String] = []
  private var blocks: [OpenBlock] = []
  private var finished: [ScriptStep] = []

  public init() {}

  public static func parse(_ text: String) throws(ScriptError) -> [ScriptStep] {
    var parser = ScriptParser()
    var steps: [ScriptStep] = []
    for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      steps += try parser.feed(String(line))
    }
    try parser.finish()
    return steps
  }

  /// Takes the next line and gives the steps that are complete with it: none inside a block that is still open.
  /// After an error, open blocks are forgotten and the next line can be fed.
  public mutating func feed(_ text: String) throws(ScriptError) -> [ScriptStep] {
    line += 1
    do {
      var words: [String] = []
      for token in try tokens(text) {
        switch token {
        case .word(let word): words.append(word)
        case .separator:
          try endCommand(&words)
        case .open:
          try open(&words)
        case .close:
          try endCommand(&words)
          try close()
        }
      }
      try endCommand(&words)
    } catch {
      blocks = []
      finished = []
      throw error
    }
    defer { finished = [] }
    return finished
  }

  /// Throws when a block is still open at the end of the script.
  public func finish() throws(ScriptError) {
    guard let block = blocks.last else { return }
    throw ScriptError(line: block.line, problem: "this block is not closed; a } is missing")
  }

  private func tokens(_ text: String) throws(ScriptError) -> [ScriptToken] {
    do {
      return try ScriptToken.tokens(of: text)
    } catch {
      throw self.error("a quote is not closed; write title=\"NAME\" in one line")
    }
  }

  private func error(_ problem: String) -> ScriptError {
    ScriptError(line: line, problem: problem)
  }

  private mutating func append(_ action: ScriptAction, line: Int? = nil) {
    let step = ScriptStep(line: line ?? self.line, action: action)
    if blocks.isEmpty { finished.append(step) } else { blocks[blocks.count - 1].steps.append(step) }
  }

  // MARK: blocks

  private mutating func open(_ words: inout [String]) throws(ScriptError) {
    var arguments = ScriptArguments(words, line: line)
    words = []
    let (prefix, verb) = split(try arguments.word("a command in front of {"))
    switch (prefix, verb) {
    case (nil, "repeat"):
      let count = try arguments.integer(1...1_000_000, "repeat COUNT {")
      blocks.append(OpenBlock(block: .repetition(count: count), line: line))
    case (_, "frame"):
      if case .frame? = blocks.last?.block { throw error("a frame inside a frame; close the first with }") }
      blocks.append(OpenBlock(block: .frame(screen: try screen(prefix, verb)), line: line))
    default: throw error("'\(verb)' takes no { }; allowed: repeat COUNT { ... }, frame { ... }")
    }
    try arguments.end("{")
  }

  private mutating func close() throws(ScriptError) {
    guard let block = blocks.popLast() else { throw error("} without a { before it") }
    switch block.block {
    case .repetition(let count): append(.repetition(count: count, block.steps), line: block.line)
    case .frame(let screen): append(.frame(screen: screen, block.steps), line: block.line)
    }
  }

  // MARK: commands

  private static let commands =
    "screen, down, move, up, tap, drag, wait, unplug, plug, raw, syn, play, repeat, frame, grab, ungrab"

  private mutating func endCommand(_ words: inout [String]) throws(ScriptError) {
    guard !words.isEmpty else { return }
    var arguments = ScriptArguments(words, line: line)
    words = []
    let (prefix, verb) = split(try arguments.word("a command"))
    if let frame = blocks.last, case .frame(let screen) = frame.block {
      guard let command = try TouchCommand(verb, &arguments), command.fitsFrame else {
        throw error("'\(verb)' cannot stand in a frame; allowed: down, move without a time, up, raw")
      }
      if let prefix, prefix != screen { throw error("this frame is of screen '\(screen)', not '\(prefix)'") }
      append(.touch(screen: screen, command))
    } else if let command = try TouchCommand(verb, &arguments) {
      append(.touch(screen: try screen(prefix, verb), command))
    } else if let prefix {
      throw error("'\(prefix).\(verb)' is not a command; allowed after a screen's name: \(TouchCommand.verbs), frame")
    } else {
      try appendGlobal(verb, &arguments)
    }
    try arguments.end(verb)
  }

  private mutating func appendGlobal(_ verb: String, _ arguments: inout ScriptArguments) throws(ScriptError) {
    switch verb {
    case "screen":
      guard blocks.isEmpty else { throw error("screens are made outside of blocks; inside: unplug, plug") }
      let name = try arguments.word("screen NAME")
      guard name.first?.isLetter == true, name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" })
      else { throw error("'\(name)' is no name for a screen; allowed: a letter, then letters, digits, - and _") }
      guard !screens.contains(name) else { throw error("there is a screen '\(name)' already; plug brings it back") }
      let source = try ScreenSource(name, &arguments)
      screens.append(name)
      append(.screen(name: name, source))
    case "wait": append(.wait(try arguments.duration("wait TIME")))
    case "grab": append(.grab(try target(arguments.word("grab NAME or grab /dev/input/eventN"))))
    case "ungrab": append(.ungrab(arguments.isEmpty ? nil : try target(arguments.word("ungrab"))))
    case "repeat", "frame": throw error("\(verb) needs a block: repeat COUNT { ... }, frame { ... }")
    default: throw error("'\(verb)' is not a command; allowed: \(Self.commands)")
    }
  }

  private func target(_ word: String) throws(ScriptError) -> GrabTarget {
    word.hasPrefix("/") ? .node(word) : .screen(try screen(word, "grab"))
  }

  /// `NAME.verb` into its parts.
  private func split(_ word: String) -> (prefix: String?, verb: String) {
    guard let dot = word.firstIndex(of: ".") else { return (nil, word) }
    return (String(word[..<dot]), String(word[word.index(after: dot)...]))
  }

  private func screen(_ prefix: String?, _ verb: String) throws(ScriptError) -> String {
    guard let prefix else {
      if screens.count == 1 { return screens[0] }
      if screens.isEmpty { throw error("'\(verb)' before any screen; make one first: screen NAME") }
      throw error("'\(verb)' on which screen? write NAME.\(verb), NAME one of: \(screens.joined(separator: ", "))")
    }
    guard screens.contains(prefix) else {
      let known = screens.isEmpty ? "none so far" : screens.joined(separator: ", ")
      throw error("there is no screen '\(prefix)'; there are: \(known)")
    }
    return prefix
  }
}
