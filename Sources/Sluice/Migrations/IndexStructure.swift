import SluiceCore

/// What the SQL of an index means, as far as SQLite tells it, and the rest in tokens.
struct IndexStructure: Equatable {
  private let isUnique: Bool
  private let columns: [String]
  private let rest: [SQLToken]

  init(of index: SchemaObject, _ tokens: [SQLToken], on connection: Connection) throws {
    isUnique = tokens.dropFirst().first?.is("unique") == true
    columns = try Self.columns(of: index.name, connection)
    // An expression has no name: only the SQL tells it.
    let hasExpression = columns.contains { $0.utf8.starts(with: "-2 ".utf8) }
    let start = hasExpression ? 0 : tokens.firstIndex { $0.is("where") } ?? tokens.endIndex
    rest = Array(tokens[start...])
  }

  /// The columns of an index, each with its direction and collation.
  static func columns(of index: String, _ connection: Connection) throws -> [String] {
    try connection.query(
      RowConverter { row in
        let name = String(
          decoding: foldedName(try row.optional(.string, at: 2) ?? ""), as: UTF8.self)
        let kind = min(try row.get(.int, at: 1), 0)
        let collation = foldedName(try row.optional(.string, at: 4) ?? "")
        return "\(kind) \(name) \(try row.get(.int, at: 3))"
          + " \(String(decoding: collation, as: UTF8.self)) \(try row.get(.int, at: 5))"
      }, "PRAGMA main.index_xinfo(\(identifier: index))")
  }
}
