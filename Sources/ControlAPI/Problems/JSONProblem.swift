/// What can be wrong with a body before its values are looked at.
public enum JSONProblem: ProblemText {
  case notUTF8
  /// `byte` counts from 1; nil: at the end of the body.
  case malformed(byte: Int?, expected: Expected)
  /// The decoder refuses what the syntax check accepted; `reason` is the decoder's.
  case undecodable(reason: String?)
  case tooManyValues
  case tooDeep
  /// `field`: nil for a string that is not the value of a field.
  case tooLong(field: String?)
  case longName(String)
  case unknownField(String, known: Set<String>)
  case notAnObject
  case wrongType(field: String, type: String)
  case missing(field: String)
  case badValue(field: String)

  /// What the JSON grammar requires at a place.
  public enum Expected: String, CaseIterable, Sendable {
    case value = "a value"
    case trueWord = "true"
    case falseWord = "false"
    case nullWord = "null"
    case digit = "a digit"
    case hexDigit = "a hexadecimal digit"
    case name = "a field name in double quotes"
    case colon = "a colon"
    case commaOrBrace = "a comma or }"
    case commaOrBracket = "a comma or ]"
    case closingQuote = "a closing double quote"
    case escapedControl = "an escape sequence instead of a control character"
    case escape = "a valid escape sequence"
    case highSurrogate = "a high surrogate before the low one"
    case lowSurrogate = "a low surrogate after the high one"
    case end = "the end of the body"
  }

  public var refusal: CallRefusal {
    switch self {
    case .notUTF8: CallRefusal(400, "malformedJSON", "invalid JSON: not UTF-8")
    case .malformed(let byte, let expected):
      CallRefusal(
        400, "malformedJSON",
        "invalid JSON \(byte.map { "at byte \($0)" } ?? "at the end"): expected \(expected.rawValue)")
    case .undecodable(let reason):
      CallRefusal(400, "malformedJSON", "invalid JSON\(reason.map { ": \($0)" } ?? "")")
    case .tooManyValues:
      CallRefusal(400, "tooManyValues", "the body has more than \(JSONSyntax.mostValues) values")
    case .tooDeep: CallRefusal(400, "tooDeep", "the body is nested more than \(JSONSyntax.deepest) levels deep")
    case .tooLong(let field):
      CallRefusal(
        400, "tooLong",
        "\(field.map { "'\($0.shortened)'" } ?? "a string") is longer than \(JSONSyntax.longestString) bytes; "
          + "put large data into the payload", field: field?.shortened)
    case .longName(let name):
      CallRefusal(
        400, "unknownField",
        "unknown field '\(name.shortened)'; a field name has at most \(JSONSyntax.longestName) bytes",
        field: name.shortened)
    case .unknownField(let name, let fields):
      CallRefusal(
        400, "unknownField",
        "unknown field '\(name.shortened)'\(known("fields", fields, none: "this call takes no fields"))",
        field: name.shortened)
    case .notAnObject: CallRefusal(400, "wrongType", "the body must be a JSON object")
    case .wrongType(let field, let type):
      CallRefusal(400, "wrongType", "'\(field)' must be \(type)", field: field)
    case .missing(let field): CallRefusal(400, "missingField", "'\(field)' is required", field: field)
    case .badValue(let field): CallRefusal(400, "wrongType", "'\(field)' has an invalid value", field: field)
    }
  }
}
