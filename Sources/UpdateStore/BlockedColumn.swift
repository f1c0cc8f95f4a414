import Scheduling

/// How long each blocker has blocked, as a column: `touched 41000 hold 5`, in milliseconds. It is read for every
/// waiting update at start, so it is simpler than JSON.
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
