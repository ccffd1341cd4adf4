/// A unique index, with SQL for the values by which it finds conflicting rows.
struct UniqueKey {
  let terms: [Term]
  /// Whether the index has no expression and is not partial.
  let isPlain: Bool

  struct Term {
    /// The column, or nil for an expression.
    let column: String?
    let collation: String
    /// The SQL for the value in a row of the table; the value is NULL if the index omits the row.
    let source: String
    /// The SQL for the value in a trigger's new row.
    let new: String
  }

  /// Returns the unique indexes of a table.
  static func keys(
    of indexes: [IndexInfo], _ table: String, _ columns: [String], _ connection: Connection,
    _ schema: String
  ) throws -> [UniqueKey] {
    let row = """
      (SELECT \(columns.map { "NEW.\($0.quoted("\"")) AS \($0.quoted("\""))" }
        .joined(separator: ", "))) AS \(table.quoted("\""))
      """
    return try indexes.filter(\.isUnique).map { index in
      let isPlain = !index.isPartial && index.terms.allSatisfy { $0.column != nil }
      let parts = isPlain ? nil : try IndexParts(of: index.name, connection, schema)
      guard parts.map({ $0.terms.count == index.terms.count }) ?? true else {
        throw SQLiteError(
          .misuse,
          "A full-text index cannot follow the table \(table): its index \(index.name) has SQL of unknown form"
        )
      }
      return UniqueKey(
        terms: index.terms.enumerated().map { number, term in
          let name = term.column?.quoted("\"")
          guard let parts else {
            let name = name ?? ""
            return Term(
              column: term.column, collation: term.collation, source: name, new: "NEW.\(name)")
          }
          let value = name ?? parts.terms[number]
          guard let condition = parts.condition else {
            return Term(
              column: term.column, collation: term.collation, source: value,
              new: "(SELECT \(value) FROM \(row))")
          }
          return Term(
            column: term.column, collation: term.collation,
            source: "CASE WHEN \(condition) THEN \(value) END",
            new: "(SELECT \(value) FROM \(row) WHERE \(condition))")
        }, isPlain: isPlain)
    }
  }
}

/// The terms and the condition in the SQL of an index; no pragma reports their text.
private struct IndexParts {
  private(set) var terms: [String] = []
  private(set) var condition: String?

  init(of index: String, _ connection: Connection, _ schema: String) throws {
    let sql = try connection.first(
      .column(.string),
      """
      SELECT sql FROM \(identifier: schema).sqlite_schema
      WHERE type = 'index' AND name = \(index)
      """)
    let bytes = Array((sql ?? "").utf8)
    let tokens = SQLToken.tokens(of: sql ?? "")
    guard let on = tokens.firstIndex(where: { $0.is("on") }), tokens.count > on + 2 else { return }
    func text(_ part: ArraySlice<SQLToken>) -> String {
      guard let first = part.first, let last = part.last else { return "" }
      return String(decoding: bytes[first.range.lowerBound..<last.range.upperBound], as: UTF8.self)
    }
    // After ON come the name of the table and a parenthesis.
    var (position, start, depth) = (on + 3, on + 3, 1)
    while position < tokens.count, depth > 0 {
      let token = tokens[position]
      if token.is(sign: "(") { depth += 1 }
      if token.is(sign: ")") { depth -= 1 }
      if depth == 0 || (depth == 1 && token.is(sign: ",")) {
        var part = tokens[start..<position]
        if let last = part.last, last.is("asc") || last.is("desc") { part.removeLast() }
        terms.append(text(part))
        start = position + 1
      }
      position += 1
    }
    guard position < tokens.count, tokens[position].is("where") else { return }
    condition = text(tokens[(position + 1)...])
  }
}
