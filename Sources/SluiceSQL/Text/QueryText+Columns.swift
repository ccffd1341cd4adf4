import Sluice

extension QueryText {
  /// Returns the offset of a result column's name, or of its expression if the name is not written.
  ///
  /// `columns` contains the result columns as written.
  func offset(ofColumn index: Int, _ name: String, in columns: [ArraySlice<SQLToken>]) -> Int {
    guard columns.indices.contains(index), let first = columns[index].first else {
      return tokens.first { $0.names(name) }?.range.lowerBound ?? offset
    }
    return (columns[index].last { $0.names(name) } ?? first).range.lowerBound
  }

  /// The tokens of each result column as written; empty if the columns contain a star, which hides their number.
  var writtenColumns: [ArraySlice<SQLToken>] {
    let depths = tokens.reduce(into: [0]) { depths, token in
      let depth = depths[depths.count - 1]
      depths.append(depth + (token.is(sign: "(") ? 1 : token.is(sign: ")") ? -1 : 0))
    }
    let outer = tokens.indices.filter { depths[$0] == 0 }
    guard
      let start = outer.first(where: { tokens[$0].is("returning") })
        ?? outer.first(where: { tokens[$0].is("select") })
    else { return [] }
    let end = outer.first { $0 > start && endsColumns($0) } ?? tokens.count
    var columns: [ArraySlice<SQLToken>] = []
    var first = start + 1
    if first < end, tokens[first].is("distinct") || tokens[first].is("all") { first += 1 }
    for index in outer where index > first && index < end && tokens[index].is(sign: ",") {
      columns.append(tokens[first..<index])
      first = index + 1
    }
    columns.append(tokens[min(first, end)..<end])
    return columns.contains { $0.last?.is(sign: "*") == true } ? [] : columns
  }

  private func endsColumns(_ index: Int) -> Bool {
    let words: [StaticString] = [
      "union", "except", "intersect", "where", "group", "having", "window", "order", "limit",
    ]
    // In `IS DISTINCT FROM`, the FROM is part of a comparison.
    if tokens[index].is("from") { return !tokens[index - 1].is("distinct") }
    return words.contains { tokens[index].is($0) }
  }
}

extension SQLToken {
  /// Returns whether the token is this name, in any kind of quotes.
  fileprivate func names(_ name: String) -> Bool {
    (kind == .word || kind == .name || kind == .string)
      && String(decoding: content, as: UTF8.self).lowercased() == name.lowercased()
  }
}
