/// A calculator for the number of edits between a word and other words, up to a limit.
///
/// An edit inserts, deletes or replaces a Unicode scalar, or swaps two neighbors. The time for a comparison is
/// proportional to the length of the other word, because only the cells near the diagonal of the distance table are
/// computed.
struct WordDistance {
  private let word: [Unicode.Scalar]
  private let limit: Int
  private var rows: [[Int]]

  init(from word: [Unicode.Scalar], limit: Int) {
    self.word = word
    self.limit = limit
    rows = Array(repeating: Array(repeating: limit + 1, count: word.count + 1), count: 3)
  }

  /// Returns the number of edits, or nil if it exceeds the limit.
  mutating func distance(to other: String.UnicodeScalarView) -> Int? {
    let tooFar = limit + 1
    for column in 0...word.count { rows[0][column] = min(column, tooFar) }
    var (row, previous) = (0, nil as Unicode.Scalar?)
    for scalar in other {
      row += 1
      guard row <= word.count + limit else { return nil }
      let (now, last, lastButOne) = (row % 3, (row + 2) % 3, (row + 1) % 3)
      let columns = max(1, row - limit)...max(1, min(word.count, row + limit))
      // Cells outside the diagonal band still contain values of earlier rows.
      rows[now][columns.lowerBound - 1] = columns.lowerBound == 1 ? min(row, tooFar) : tooFar
      var best = rows[now][columns.lowerBound - 1]
      for column in columns where column <= word.count {
        let own = word[column - 1]
        var value = min(
          rows[last][column - 1] + (own == scalar ? 0 : 1), rows[now][column - 1] + 1)
        if column < row + limit { value = min(value, rows[last][column] + 1) }
        if row > 1, column > 1, own == previous, word[column - 2] == scalar {
          value = min(value, rows[lastButOne][column - 2] + 1)
        }
        rows[now][column] = min(value, tooFar)
        best = min(best, value)
      }
      guard best <= limit else { return nil }
      previous = scalar
    }
    guard abs(row - word.count) <= limit else { return nil }
    let distance = rows[row % 3][word.count]
    return distance <= limit ? distance : nil
  }
}
