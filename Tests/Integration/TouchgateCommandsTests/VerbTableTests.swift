import Testing

@testable import TouchgateCommands

@Suite("Table of verbs")
struct VerbTableTests {
  @Test("a verb has one row, and its options have different names")
  func unique() {
    let names = Verb.all.map(\.name)
    #expect(Set(names).count == names.count)
    for verb in Verb.all {
      let options = (verb.options + Option.common).map(\.name)
      #expect(Set(options).count == options.count, "\(verb.name)")
    }
  }

  @Test("every example is a command line that its verb accepts", arguments: Verb.all.map(\.name))
  func examples(_ name: String) throws {
    let verb = try #require(Verb(named: name))
    #expect(!verb.examples.isEmpty)
    for example in verb.examples {
      let words = try #require(calls(example.line).first, "\(example.line) does not call touchgate")
      _ = try Invocation(parsing: words)
      #expect(words.first == name || calls(example.line).contains { $0.first == name }, "\(example.line)")
    }
  }

  @Test("the first examples are accepted, too")
  func firstExamplesAreAccepted() throws {
    for example in firstExamples { _ = try Invocation(parsing: try #require(calls(example.line).first)) }
  }

  @Test("a required operand of a verb is reported if it is missing", arguments: Verb.all.map(\.name))
  func required(_ name: String) throws {
    let verb = try #require(Verb(named: name))
    guard verb.forms.allSatisfy({ !$0.required.isEmpty }), let part = verb.forms.first?.required.first else { return }
    let error = #expect(throws: UsageError.self) { try Invocation(parsing: [name]) }
    #expect(error?.reason.description.hasPrefix("\(part.name) is required: ") == true)
  }

  @Test("every verb refuses an additional operand, an unknown option, and an option of another verb")
  func refused() {
    for verb in Verb.all where !verb.operands.contains(where: \.repeats) {
      let words = [verb.name] + verb.operands.map { _ in "x" } + ["extra"]
      let command = verb.runsCommand
      #expect(throws: UsageError(.unexpectedArgument("extra", command: command), verb: verb.name)) {
        try Invocation(parsing: words)
      }
    }
    for verb in Verb.all {
      #expect(throws: UsageError(.unknownOption("--xyzzy", near: nil), verb: verb.name)) {
        try Invocation(parsing: [verb.name, "--xyzzy"])
      }
      let other = Verb.all.flatMap(\.options).first { !verb.options.map(\.name).contains($0.name) && $0.value == .none }
      if let other {
        #expect(throws: UsageError(.optionOfAnotherVerb(other.text, verb: verb.name), verb: verb.name)) {
          try Invocation(parsing: [verb.name, other.text])
        }
      }
    }
  }

  @Test("help has lines of at most 80 columns, except for words that are longer")
  func width() {
    for text in Verb.all.map(HelpText.of) + [HelpText.overview] {
      let long = text.split(separator: "\n").filter { $0.count > 80 && !$0.hasPrefix("  touchgate") }
      #expect(long == [])
    }
  }
}

/// The arguments of each call of touchgate in a line of shell.
private func calls(_ line: String) -> [[String]] {
  var words: [String] = []
  var word = ""
  var quote: Character?
  for character in line + " " {
    if let open = quote {
      if character == open { quote = nil } else { word.append(character) }
    } else if character == "'" || character == "\"" {
      quote = character
    } else if character == " " || character == ")" {
      if !word.isEmpty { words.append(word) }
      word = ""
    } else {
      word.append(character)
    }
  }
  var calls: [[String]] = []
  let ends: Set = ["|", "||", "&&", ">", ";"]
  var rest = words[...]
  while let start = rest.firstIndex(where: { $0 == "touchgate" || $0 == "<(touchgate" }) {
    rest = rest[(start + 1)...]
    calls.append(Array(rest.prefix { !ends.contains($0) }))
  }
  return calls
}
