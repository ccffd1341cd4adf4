import SluiceCore

/// The structure of an index: the parts that SQLite reports, and the tokens of the parts that it does not report.
struct IndexStructure: Equatable {
  private let isUnique: Bool
  private let columns: [String]
  private let rest: [SQLToken]

  init(of index: SchemaObject, _ tokens: [SQLToken], on connection: Connection) throws {
    isUnique = tokens.dropFirst().first?.is("unique") == true
    let terms =
      try connection.indexes(of: index.table).first { $0.name == index.name }?.terms ?? []
    columns = terms.map(Self.words)
    // An expression has no name, so only its SQL identifies it.
    let hasExpression = terms.contains { $0.column == nil }
    let start = hasExpression ? 0 : tokens.firstIndex { $0.is("where") } ?? tokens.endIndex
    rest = Array(tokens[start...])
  }

  /// Returns the name, direction and collation of a column.
  static func words(_ term: IndexInfo.Term) -> String {
    let name = (term.column ?? "").withoutCase
    return "\(name) \(term.isDescending) \(term.collation.withoutCase)"
  }
}
