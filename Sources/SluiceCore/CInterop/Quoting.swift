/// Quotes the name of a table, column, savepoint or schema for use in SQL.
func quoted(identifier name: String) throws -> String {
  try refuseNUL(in: name, "A name in SQL")
  return name.quoted("\"")
}

extension String {
  /// The text between two of `mark`, with each that is inside doubled.
  ///
  /// It goes by scalars, as SQLite does: to Swift, a mark and what combines with it are one character.
  func quoted(_ mark: Unicode.Scalar) -> String {
    var result = String.UnicodeScalarView([mark])
    for scalar in unicodeScalars {
      if scalar == mark { result.append(mark) }
      result.append(scalar)
    }
    result.append(mark)
    return String(result)
  }
}
