import SluiceCore

/// The structure of a table: the parts that SQLite reports, and the tokens of the parts that it does not report.
struct TableStructure {
  private let columns: [Column]
  private let foreignKeys: Set<[String]>
  private let uniqueKeys: Set<[String]>
  private let options: Set<SQLToken>
  private let phrases: [[SQLToken]: Int]

  private struct Column: Equatable {
    let name: String
    let type: String
    let isNotNull: Bool
    let defaultValue: [SQLToken]?
    let keyPosition: Int?
    let kind: ColumnInfo.Kind

    var words: String {
      var words = [type.isEmpty ? "without a type" : type]
      if isNotNull { words.append("NOT NULL") }
      if defaultValue != nil { words.append("with a default") }
      if keyPosition != nil { words.append("in the primary key") }
      if kind == .virtualGenerated || kind == .storedGenerated { words.append("generated") }
      return words.joined(separator: " ")
    }
  }

  init(of table: SchemaObject, _ tokens: [SQLToken], on connection: Connection) throws {
    columns = try connection.columns(of: table.name).map { column in
      Column(
        name: column.name.withoutCase, type: (column.declaredType ?? "").uppercased(),
        isNotNull: column.isNotNull,
        defaultValue: column.defaultSQL.map { SQLToken.tokens(of: $0) },
        keyPosition: column.primaryKeyPosition, kind: column.kind)
    }
    foreignKeys = try Self.foreignKeys(of: table, connection)
    uniqueKeys = try Self.uniqueKeys(of: table, connection)
    let end = tokens.lastIndex { $0.is(sign: ")") } ?? tokens.endIndex
    options = Set(tokens[end...].filter { $0.is("strict") || $0.is("without") })
    phrases = Self.phrases(tokens)
  }
}

extension TableStructure {
  /// Returns descriptions of the differences between this table and another one.
  func details(_ other: TableStructure) -> [String] {
    var details: [String] = []
    for column in columns {
      guard let found = other.columns.first(where: { $0.name == column.name }) else {
        details.append("column \"\(column.name)\" is missing")
        continue
      }
      guard found != column else { continue }
      let (expected, actual) = (column.words, found.words)
      details.append(
        "column \"\(column.name)\" "
          + (expected == actual
            ? "has a different default or position in the primary key"
            : "is \(actual) instead of \(expected)"))
    }
    for column in other.columns where !columns.contains(where: { $0.name == column.name }) {
      details.append("column \"\(column.name)\" is unexpected")
    }
    if details.isEmpty, columns.map(\.name) != other.columns.map(\.name) {
      details.append("the columns are in a different order")
    }
    if foreignKeys != other.foreignKeys { details.append("the foreign keys differ") }
    if uniqueKeys != other.uniqueKeys { details.append("the unique or primary keys differ") }
    if options != other.options { details.append("STRICT or WITHOUT ROWID differs") }
    if phrases != other.phrases { details.append("its constraints or expressions differ") }
    return details
  }

  private static func foreignKeys(
    of table: SchemaObject, _ connection: Connection
  ) throws -> Set<[String]> {
    try Set(
      connection.foreignKeys(of: table.name).map { key in
        let names =
          [key.referencedTable, key.onUpdate.rawValue, key.onDelete.rawValue] + key.columns
          + ["to"] + key.referencedColumns
        return names.map(\.withoutCase)
      })
  }

  private static func uniqueKeys(
    of table: SchemaObject, _ connection: Connection
  ) throws -> Set<[String]> {
    // Leave out the indexes from `CREATE INDEX`, which the schema contains as separate objects.
    try Set(
      connection.indexes(of: table.name).filter { $0.origin != .statement }.map { index in
        ["\(index.origin)"] + index.terms.map(IndexStructure.words)
      })
  }

  /// Returns the parts that no pragma reports: checks, expressions, collations and conflict clauses.
  private static func phrases(_ tokens: [SQLToken]) -> [[SQLToken]: Int] {
    var phrases: [[SQLToken]: Int] = [:]
    for (index, token) in tokens.enumerated() {
      let rest = tokens[index...]
      let phrase: ArraySlice<SQLToken>
      if token.is("check") || token.is("as") {
        phrase = parenthesis(rest)
      } else if token.is("collate") {
        phrase = rest.prefix(2)
      } else if token.is("conflict") {
        phrase = rest.prefix(2)
      } else if token.is("autoincrement") || token.is("stored") {
        phrase = rest.prefix(1)
      } else if token.is("deferrable") {
        phrase = rest.prefix(3)
      } else {
        continue
      }
      phrases[Array(phrase), default: 0] += 1
    }
    return phrases
  }

  /// Returns a word and the parenthesized expression that follows it.
  private static func parenthesis(_ tokens: ArraySlice<SQLToken>) -> ArraySlice<SQLToken> {
    var depth = 0
    for (index, token) in zip(tokens.indices, tokens).dropFirst() {
      if token.is(sign: "(") { depth += 1 }
      if token.is(sign: ")") { depth -= 1 }
      if depth <= 0 { return tokens[...index] }
    }
    return tokens
  }
}
