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
    let columns = ResultText(tokens)?.items.map(\.tokens) ?? []
    return columns.contains { $0.last?.is(sign: "*") == true } ? [] : columns
  }
}
