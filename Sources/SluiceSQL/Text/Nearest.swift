/// Returns the name that is most similar to `name`; nil if none is similar enough.
package func nearest(to name: String, among names: [String]) -> String? {
  // A text this long is not a misspelled name.
  guard name.unicodeScalars.count <= 100 else { return nil }
  let name = Array(name.lowercased().unicodeScalars)
  let distances = names.map { other in
    (other, distance(name, Array(other.lowercased().unicodeScalars)))
  }
  guard let (best, distance) = distances.min(by: { $0.1 < $1.1 }) else { return nil }
  return distance <= max(1, best.unicodeScalars.count / 3) ? best : nil
}

/// Returns the end of a message that suggests the name that is most similar to `name`; empty if there is none.
package func suggestion(for name: String, among names: [String]) -> String {
  nearest(to: name, among: names).map { "; did you mean \($0)?" } ?? ""
}

/// Returns the number of letters to insert, delete, replace or swap with the next one, to get from one name to
/// another.
private func distance(_ first: [Unicode.Scalar], _ second: [Unicode.Scalar]) -> Int {
  var above: [Int] = []
  var row = Array(0...second.count)
  for (i, letter) in first.enumerated() {
    var next = [i + 1]
    for (j, other) in second.enumerated() {
      var best = min(row[j] + (letter == other ? 0 : 1), row[j + 1] + 1, next[j] + 1)
      if i > 0, j > 0, letter == second[j - 1], first[i - 1] == other {
        best = min(best, above[j - 1] + 1)
      }
      next.append(best)
    }
    (above, row) = (row, next)
  }
  return row[second.count]
}
