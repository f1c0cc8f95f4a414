import Timeline

/// How replies are printed for people: everything that the text depends on, except the reply.
struct View {
  let now: WallTime
  let zone: any LocalZone
  let colours: Bool

  enum Colour: Int {
    case red = 31
    case green = 32
    case yellow = 33
  }

  func paint(_ text: String, _ colour: Colour?) -> String {
    guard colours, let colour else { return text }
    return "\u{1b}[\(colour.rawValue)m\(text)\u{1b}[0m"
  }

  /// The label of a line, padded to a column, in the colour of its meaning.
  func label(_ text: String) -> String {
    let colour: Colour? =
      switch text {
      case "touched", "unknown", "warning": .yellow
      case "applied", "clear": .green
      case "failed": .red
      default: nil
      }
    return paint(text, colour) + String(repeating: " ", count: max(1, 10 - text.count))
  }

  /// The time since `stamp`, such as `41 s`; nil if `stamp` is not a time.
  func age(_ stamp: String) -> String? {
    WallTime(rfc3339: stamp).map { TimeSpan.describe(now - $0) }
  }

  /// Local time with its offset, as `date -Is` prints it; other text is returned unchanged.
  func clock(_ stamp: String) -> String {
    WallTime(rfc3339: stamp).map { $0.rfc3339(in: zone) } ?? printable(stamp)
  }
}

/// `text` in one line and without control characters: handlers and devices choose their own texts.
func printable(_ text: String) -> String {
  var result = ""
  for scalar in text.unicodeScalars {
    switch scalar.value {
    case 0x0a: result += " "
    case 0..<0x20, 0x7f..<0xa0: result += "?"
    default: result.unicodeScalars.append(scalar)
    }
  }
  return result
}

/// As `printable`, without spaces and newlines at the end: the output of a handler usually ends with one.
func oneLine(_ text: String) -> String {
  var text = text
  while text.last?.isWhitespace == true { text.removeLast() }
  return printable(text)
}

func contactCount(_ count: Int) -> String { count == 1 ? "1 contact" : "\(count) contacts" }
