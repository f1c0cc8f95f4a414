/// Every message of this module, one template per problem. `{…}` are filled in from left to right; `{key}` is the key
/// that the problem is about. What is wrong comes first, then what to do.
enum Sentence: String, CaseIterable, Sendable {
  // A file or a line that cannot be read.
  case unreadable = "cannot be read: {reason}"
  case danglingLink = "is a dangling symbolic link"
  case folder = "is a folder; a file is expected"
  case notRegularFile = "is not a regular file"
  case tooLarge = "is larger than 1 MiB"
  case containsNUL = "is not a text file: it contains a NUL byte"
  case notUTF8 = "is not valid UTF-8"
  case badSectionHeader = "{line} is not a section header; write [NAME] alone on the line"
  case badLine = "{line} is not KEY=VALUE, [SECTION] or a comment"
  case keyWithoutSection = "{key}= is before the first section; write [SECTION] above it"
  case continuedLine = "{key}= ends with a backslash; write the value on one line"

  // Sections and keys.
  case unknownSection = "unknown section {section}; valid sections: {sections}"
  case misspelledSection = "unknown section {section}; did you mean [{section}]? Valid sections: {sections}"
  case unknownKey = "unknown key {key} in [{section}]; valid keys: {keys}"
  case misspelledKey = "unknown key {key} in [{section}]; did you mean {key}=? Valid keys: {keys}"
  case keyOfOtherSection = "unknown key {key} in [{section}]; it belongs to [{section}]"
  case duplicate = "{key}= is duplicated; first set on line {line}"
  case badScreenName = "a screen name has 1 to 64 bytes and no control characters"
  case screenWithoutDevices = "[{section}] has no Match=; add a Match= line for each of its devices"

  // Values.
  case malformed = "{key}= {reason}"
  case tooShort = "{key}= {value} is too short; at least {span}"
  case tooLong = "{key}= {value} is too long; at most {span}"
  case badKey = "{key}= {value} is not a key; use 1 to 200 bytes"
  case badNumber = "{key}= {value} is not a number from {first} to {last}"
  case badSize = "{key}= {value} is not a size up to 64G, such as 500K, 64M or 1G"
  case badArea = "{key}= {value} is not an area; write two ranges in percent, horizontal and vertical: 0-5 0-100"
  case badChoice = "{key}= {value} is invalid; use {words}"
  case misspelledChoice = "{key}= {value} is invalid; did you mean {word}? Use {words}"
  case badDevice = """
    {key}= {value} is not a device pattern; write name:PATTERN, id:VENDOR:PRODUCT such as id:222a:001c, path:PATTERN \
    (ID_PATH of udev) or seat:PATTERN (ID_SEAT of udev); * and ? are wildcards
    """
  case unknownUser = "{key}=: unknown user {user}"
  case unknownGroup = "{key}=: unknown group {group}"
  case badRequiredScreen = "{key}=: {name} is not a screen name; use 1 to 64 bytes without control characters"

  // Commands, units and parameters of handlers.
  case openQuote = "{key}=: quote {quote} is not closed"
  case unknownEscape = #"{key}=: unknown escape \{character}; inside double quotes use \\, \", \n, \t or \s"#
  case bareBackslash = #"""
    {key}=: backslash outside quotes; put the word in single quotes, or in double quotes with \\ for each backslash
    """#
  case emptyCommand = "{key}= is empty; write the absolute path of a program"
  case relativeProgram = "{key}= {program} is not an absolute path; start with /, without a prefix"
  case badUnit = """
    {key}= {value} is not a service unit; write NAME.service, or NAME@.service to get the update's id as instance
    """
  case badParameterName = """
    {key}= {name} is not a parameter name; write NAME or NAME PATTERN, where NAME is a letter or _ and up to 63 more \
    letters, digits and _
    """
  case duplicateParameter = "{key}= {name} is declared twice; remove one of the lines"
  case badPattern = "{key}= {name}: {pattern} cannot be used as an extended regular expression (regex(7)): {reason}"

  // A handler as a whole.
  case noKind = "Exec=, Unit= or Deliver=yes is required in [Handler]"
  case severalKinds = "only one of Exec=, Unit= and Deliver= is allowed"
  case needsReboots = "{key}= has no effect without Reboots=yes"
  case badHandlerName = "the file name without .conf is the handler's name; use 1 to 64 of A-Z a-z 0-9 . _ -"
  case deliversToAnybody = "Deliver=yes requires AllowUsers=; name the user whose application applies the updates"
  case cannotExecute = "Exec=: cannot execute {program}: {reason}"

  // Parameters of a request.
  case unknownParameter = "handler {handler} has no parameter {name}; it has {names}"
  case parameterWithNUL = "parameter {name} must not contain a NUL character"
  case parameterMismatch = "parameter {name} must match {pattern}"

  // An update that was accepted under another configuration.
  case notAllowedAnyMore = """
    permission denied: user {uid} is no longer allowed to use handler '{handler}' (AllowUsers=, AllowGroups=)
    """

  // A reload.
  case needsRestart = "{keys} changed; restart touchgated to apply it"

  /// The message with its values, as many as the template has `{…}`.
  func text(_ values: [String]) -> String {
    var rest = values[...]
    let parts = rawValue.split(separator: "{", omittingEmptySubsequences: false)
    var text = String(parts.first ?? "")
    for part in parts.dropFirst() {
      text += rest.popFirst() ?? "?"
      text += part.drop { $0 != "}" }.dropFirst()
    }
    assert(
      rest.isEmpty && parts.count == values.count + 1, "\(self) has \(parts.count - 1) values, not \(values.count)")
    return text
  }
}

/// Why a value cannot be used: a message about a key that the reader of the value does not know.
struct Refused: Error, Equatable, Sendable {
  private let sentence: Sentence
  private let values: [String]

  /// `values` fill the template after its `{key}`.
  init(_ sentence: Sentence, _ values: String...) {
    self.sentence = sentence
    self.values = values
  }

  /// The message for the key that has the value.
  func text(key: String) -> String { sentence.text([key] + values) }
}

extension String {
  /// For messages: in single quotes, control characters escaped, cut after 80 characters.
  var quotedForMessage: String {
    var text = ""
    for scalar in unicodeScalars.prefix(80) {
      text += scalar == "'" || scalar == "\"" ? String(scalar) : scalar.escaped(asASCII: false)
    }
    return unicodeScalars.count > 80 ? "'\(text)…'" : "'\(text)'"
  }
}
