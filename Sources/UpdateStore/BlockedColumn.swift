import Scheduling

/// For how long each blocker has blocked, as a column: `touched 41000 hold 5`, in milliseconds. Read for every update of
/// a long queue at start, so it needs no decoder.
extension BlockedTimes {
  init(column text: String) {
    var words = text.split(separator: " ").makeIterator()
    var times: [String: Int64] = [:]
    while let code = words.next(), let number = words.next() { times[String(code)] = Int64(number) }
    self.init(milliseconds: times)
  }

  var column: String {
    milliseconds.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: " ")
  }
}
