/// The comparison of an index with the table that it follows.
extension FTS5Table {
  /// Returns the names of the database objects that belong to the index; nil if it follows no table.
  func followedNames() throws -> FullTextNames? {
    let names = FullTextNames(table: name, schema: try foundSchema())
    return try names.isFollowing(connection) ? names : nil
  }

  /// Returns the database that contains the table.
  func foundSchema() throws -> String {
    if let schema { return schema }
    let others = try connection.databases().map(\.name).filter { $0 != "temp" }
    // SQLite resolves names in this order.
    for schema in ["temp"] + others
    where try connection.table(named: name, database: schema) != nil { return schema }
    throw SQLiteError(.error, "no such table: \(name)")
  }

  /// Updates the index to match the followed table, and writes only the rows that differ.
  func copyDifferences(_ names: FullTextNames) throws {
    let (index, source) = (names.qualified(names.table), names.qualified(names.source))
    let texts = columns.indices.map { "c\($0)" }.joined(separator: ", ")
    let own = columns.map { $0.quoted("\"") }.joined(separator: ", ")
    try connection.execute(
      sql: "DELETE FROM \(index) WHERE rowid IN (\(differences(names)) WHERE NOT (\(isEqual)))")
    try connection.execute(
      sql: """
        INSERT INTO \(index)(rowid, \(own)) SELECT rowid, \(texts) FROM \(source) AS s
        WHERE NOT EXISTS (SELECT 1 FROM \(index) WHERE rowid = s.rowid)
        """)
    let keys = try keyColumns(names)
    guard !keys.isEmpty else { return }
    try connection.execute(sql: "DELETE FROM \(names.qualified(names.keys))")
    try connection.execute(
      sql: """
        INSERT INTO \(names.qualified(names.keys))
        SELECT rowid, \(keys.joined(separator: ", ")) FROM \(source)
        """)
  }

  /// Throws if an entry differs from its row in the followed table, or if an entry or its row is missing.
  func checkContent(_ names: FullTextNames) throws {
    let (index, source) = (names.qualified(names.table), names.qualified(names.source))
    let rowid = try connection.first(
      .column(.int64), sql: "\(differences(names)) WHERE NOT (\(isEqual)) LIMIT 1")
    let missing = try connection.first(
      .column(.int64),
      sql: """
        SELECT s.rowid FROM \(source) AS s
        WHERE NOT EXISTS (SELECT 1 FROM \(index) WHERE rowid = s.rowid) LIMIT 1
        """)
    if let rowid = rowid ?? missing {
      throw SQLiteError(
        .corrupt,
        "The full-text index \(name) differs from its table in row \(rowid): rebuild the index")
    }
    let keys = try keyColumns(names)
    guard !keys.isEmpty else { return }
    let isDifferent = try connection.first(
      .column(.bool),
      sql: """
        SELECT EXISTS (SELECT rowid, \(list(keys)) FROM \(source)
          EXCEPT SELECT id, \(list(keys)) FROM \(names.qualified(names.keys)))
        OR (SELECT count(*) FROM \(source)) <> (SELECT count(*) FROM \(names.qualified(names.keys)))
        """)
    if isDifferent == true {
      throw SQLiteError(
        .corrupt,
        "The keys of the full-text index \(name) differ from its table: rebuild the index")
    }
  }

  /// Throws if the triggers no longer update the index for all writes to the followed table.
  func checkTriggers(_ names: FullTextNames) throws {
    let advice = "drop the full-text index \(name) and create it again"
    guard let table = try names.followedTable(connection) else {
      throw SQLiteError(.corrupt, "A trigger of a followed table is missing: \(advice)")
    }
    let unique = try connection.indexes(of: table, database: names.schema).filter(\.isUnique)
    let hasKeys = try connection.table(named: names.keys, database: names.schema) != nil
    let known =
      hasKeys ? try connection.indexes(of: names.keys, database: names.schema).count : 0
    guard unique.count <= known else {
      throw SQLiteError(.corrupt, "The table \(table) has a new unique index: \(advice)")
    }
  }

  private func differences(_ names: FullTextNames) -> String {
    """
    SELECT f.rowid FROM \(names.qualified(names.table)) AS f
    LEFT JOIN \(names.qualified(names.source)) AS s ON s.rowid = f.rowid
    """
  }

  private var isEqual: String {
    // The unary plus removes a column's affinity, and so prevents conversions.
    let columns = columns.enumerated().map { number, column in
      let (own, other) = ("f.\(column.quoted("\""))", "s.c\(number)")
      return "+\(own) IS +\(other) COLLATE BINARY AND typeof(\(own)) = typeof(\(other))"
    }
    return (["s.rowid IS NOT NULL"] + columns).joined(separator: " AND ")
  }

  private func keyColumns(_ names: FullTextNames) throws -> [String] {
    guard try connection.table(named: names.keys, database: names.schema) != nil else { return [] }
    return try connection.columns(of: names.keys, database: names.schema).dropFirst().map(\.name)
  }

  private func list(_ parts: [String]) -> String { parts.joined(separator: ", ") }
}
