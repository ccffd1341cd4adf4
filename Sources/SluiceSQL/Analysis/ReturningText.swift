import Sluice

/// The RETURNING clause of an INSERT, UPDATE or DELETE, as a SELECT of the same columns from the whole table.
///
/// Each returned row is or was a row of the table. A fact that is true of each row of the SELECT is therefore
/// true of each returned row. For a view or a virtual table, RETURNING yields the values that were to be written,
/// so there is no SELECT for such a table.
struct ReturningText {
  /// The alternative forms of the SELECT, because versions of SQLite differ.
  ///
  /// In RETURNING, some versions accept the table's own name, and others its alias.
  let selects: [String]

  init?(_ sql: String, _ layout: DatabaseLayout) {
    let tokens = SQLToken.tokens(of: sql)
    let outer = tokens.outerIndexes
    guard let verb = outer.first(where: { Self.isVerb(tokens[$0]) }),
      let returning = outer.last(where: { tokens[$0].is("returning") }), returning > verb,
      let table = Self.table(tokens[verb..<returning], layout)
    else { return nil }
    let ends = tokens.last?.is(sign: ";") == true ? tokens.dropLast() : tokens[...]
    guard let end = ends.last?.range.upperBound else { return nil }
    let bytes = Array(sql.utf8)
    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
    // Qualify the table's name, because a table with this name in the WITH clause would hide an unqualified name.
    let select =
      text(0..<tokens[verb].range.lowerBound) + "SELECT "
      + text(tokens[returning].range.upperBound..<end)
      + " FROM \(table.info.database.quotedName).\(table.info.info.name.quotedName)"
    selects = [select] + (table.alias.map { ["\(select) AS \(text($0.range))"] } ?? [])
  }

  private static func isVerb(_ token: SQLToken) -> Bool {
    token.is("insert") || token.is("replace") || token.is("update") || token.is("delete")
  }

  /// Returns the table after words such as `INSERT OR … INTO`, with its alias in the statement.
  private static func table(
    _ tokens: ArraySlice<SQLToken>, _ layout: DatabaseLayout
  ) -> (info: DescribedTable, alias: SQLToken?)? {
    var rest = tokens.dropFirst()
    if rest.first?.is("or") == true { rest = rest.dropFirst(2) }
    if rest.first?.is("into") == true || rest.first?.is("from") == true { rest = rest.dropFirst() }
    guard var name = rest.popFirst() else { return nil }
    var database: SQLToken?
    if rest.first?.is(sign: ".") == true {
      database = name
      guard let second = rest.dropFirst().first else { return nil }
      name = second
      rest = rest.dropFirst(2)
    }
    let alias = rest.first?.is("as") == true ? rest.dropFirst().first : nil
    guard let info = layout.table(name, in: database), info.info.kind == .table else { return nil }
    return (info, alias)
  }
}

extension DatabaseLayout {
  /// Returns the table to which SQLite resolves a name.
  ///
  /// If no database is given, a temporary table with this name takes precedence.
  fileprivate func table(_ name: SQLToken, in database: SQLToken?) -> DescribedTable? {
    let tables = tables.filter { $0.info.name.isCalled(name) }
    guard let database else { return tables.first { $0.database == "temp" } ?? tables.first }
    return tables.first { $0.database.isCalled(database) }
  }
}

extension String {
  fileprivate func isCalled(_ token: SQLToken) -> Bool {
    nameContent == token.content
  }
}
