/// The known word that differs from `text` in the fewest letters; nil if none is near.
func nearest(_ text: String, _ known: [String]) -> String? {
  let near = known.map { (word: $0, distance: distance(text, $0)) }.min { $0.distance < $1.distance }
  guard let near, near.distance <= max(1, near.word.count / 3) else { return nil }
  return near.word
}

/// Letters to insert, delete, replace or swap with their neighbour to get from one word to the other.
private func distance(_ a: String, _ b: String) -> Int {
  let (a, b) = (Array(a), Array(b))
  var rows = [Array(0...b.count)]
  for i in 0..<a.count {
    var row = [i + 1]
    for j in 0..<b.count {
      var best = min(rows[i][j] + (a[i] == b[j] ? 0 : 1), rows[i][j + 1] + 1, row[j] + 1)
      if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { best = min(best, rows[i - 1][j - 1] + 1) }
      row.append(best)
    }
    rows.append(row)
  }
  return rows[a.count][b.count]
}
