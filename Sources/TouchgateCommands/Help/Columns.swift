/// Text in lines of at most 80 columns.
private let width = 80

/// Pairs in two columns. A left side that is too long has a line of its own.
func columns(_ rows: [(left: String, right: String)]) -> String {
  let indent = 2
  let place = min(rows.map(\.left.count).max() ?? 0, 24) + indent + 2
  return rows.map { left, right in
    let text = wrapped(right, indent: place)
    if left.count + indent + 2 > place { return String(repeating: " ", count: indent) + left + "\n" + text }
    let gap = String(repeating: " ", count: place - indent - left.count)
    return String(repeating: " ", count: indent) + left + gap + text.dropFirst(place)
  }.joined()
}

/// A paragraph, broken at spaces.
func wrapped(_ text: String, indent: Int = 0) -> String {
  wrap(text.split(separator: " ").map(String.init), indent: indent, hanging: indent)
}

/// Words that are not broken; the first line is indented by `indent`, the others by `hanging`.
func wrap(_ words: [String], indent: Int, hanging: Int) -> String {
  var lines: [String] = []
  var line = String(repeating: " ", count: indent)
  var isEmpty = true
  for word in words {
    if !isEmpty, line.count + 1 + word.count > width {
      lines.append(line)
      line = String(repeating: " ", count: hanging)
      isEmpty = true
    }
    line += (isEmpty ? "" : " ") + word
    isEmpty = false
  }
  return (lines + [line]).map { $0 + "\n" }.joined()
}
