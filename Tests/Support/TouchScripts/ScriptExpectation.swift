public import TouchModel

/// What must be true after a line of a touch script.
public enum ScriptExpectation: Hashable, Sendable {
  case verdict(ContactTracker.Verdict)
  /// As written: `{0:5,1:6?}`.
  case contacts(String)
  /// `begins=`, `ends=`, `anom=`: totals since DEV; `hover=`: now.
  case total(String, Int)

  init(_ word: String) throws(Malformed) {
    if word.hasPrefix("{") {
      self = .contacts(word)
    } else if let equals = word.firstIndex(of: "=") {
      let name = String(word[..<equals])
      guard ["begins", "ends", "anom", "hover"].contains(name) else { throw Malformed("unknown total \(name)") }
      guard let number = Int(word[word.index(after: equals)...]) else { throw Malformed("\(word): expected a number") }
      self = .total(name, number)
    } else {
      guard let verdict = ContactTracker.Verdict(rawValue: word) else {
        throw Malformed("no verdict is called \(word)")
      }
      self = .verdict(verdict)
    }
  }

  /// As in the script.
  public var text: String {
    switch self {
    case .verdict(let verdict): verdict.rawValue
    case .contacts(let text): text
    case .total(let name, let number): "\(name)=\(number)"
    }
  }
}
