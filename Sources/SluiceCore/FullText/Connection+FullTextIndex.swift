extension Connection {
  /// Creates a full-text table over columns of a table, fills it, and keeps it up to date with triggers.
  ///
  /// ```swift
  /// let index = try connection.createFullTextIndex(
  ///   "note_index", on: "note", columns: ["title", "body"], tokenize: "porter unicode61",
  ///   prefixes: [2, 3])
  /// let found = try connection.query(
  ///   .column(.string),
  ///   """
  ///   SELECT note.title FROM note_index JOIN note ON note.id = note_index.rowid
  ///   WHERE note_index MATCH \(pattern) ORDER BY rank
  ///   """)
  /// ```
  ///
  /// The triggers are part of the database, so they keep the index up to date for writes by every connection and
  /// program. They also remove the entries of rows that `REPLACE` displaces, and no pragma is needed for this.
  /// The rowid of an entry is the primary key of its row. The index stores a copy of the text, and of the values
  /// in the table's unique indexes.
  ///
  /// You can rename the table and its columns, and add columns. Before you drop an indexed column or the table,
  /// drop the full-text index with ``dropFullTextIndex(_:schema:)``. Also drop it before you re-create the table or
  /// add a unique index to the table, and then create the full-text index again.
  ///
  /// Some writes bypass triggers, for example ``Blob``. ``FTS5Table/checkIntegrity(comparingContent:)`` finds
  /// the differences and ``FTS5Table/rebuild()`` repairs them. The article on full-text search lists all cases.
  ///
  /// The method runs in one savepoint. The objects that belong to the index are named after it: the view
  /// `note_index_source`, the table `note_index_keys` and the triggers `note_index_insert`, `note_index_update`
  /// and `note_index_delete`.
  ///
  /// - Parameters:
  ///   - name: The name of the full-text table.
  ///   - table: A table with an `INTEGER PRIMARY KEY`.
  ///   - columns: The columns to index, which may be generated.
  ///   - tokenize: The tokenizer and its arguments, or nil for `unicode61`.
  ///   - prefixes: The lengths of the prefixes that get a separate index, in characters.
  ///   - schema: The database of the table and of the index.
  /// - Returns: The full-text table.
  /// - Throws: ``ResultCode/misuse`` if the table is a view, a virtual table or a table without
  ///   rowid, or has no `INTEGER PRIMARY KEY`, if a column is missing or listed twice, or if there are no columns.
  ///   ``ResultCode/range`` for an impossible prefix. ``ResultCode/error`` if the table does not exist, or if
  ///   an object with one of the names already exists. ``ResultCode/notFound`` without ``SQLiteCapability/fts5``.
  ///
  /// The corresponding SQL is `CREATE VIRTUAL TABLE … USING fts5` and `CREATE TRIGGER`.
  @discardableResult
  public func createFullTextIndex(
    _ name: String, on table: String, columns: [String], tokenize: String? = nil,
    prefixes: [Int] = [], schema: String = "main"
  ) throws -> FTS5Table {
    try refuseStatements()
    try SQLiteLibrary.require(.fts5)
    for text in [name, table, tokenize ?? "", schema] + columns {
      try refuseNUL(in: text, "The description of the full-text index")
    }
    for prefix in prefixes where !(1...999 ~= prefix) {
      throw SQLiteError(.range, "A prefix must have 1 to 999 characters (got \(prefix))")
    }
    guard prefixes.count <= 31 else {
      throw SQLiteError(.range, "A full-text index has at most 31 prefixes (got \(prefixes.count))")
    }
    return try savepoint { connection in
      let names = FullTextNames(table: name, schema: schema)
      let follower = try FullTextFollower(
        connection, names, table: connection.followable(table, names), columns)
      try connection.execute(sql: follower.creation(tokenize: tokenize, prefixes: prefixes))
      for statement in follower.statements { try connection.execute(sql: statement) }
      // Preparing a write compiles the triggers, which fails, for example, if the schema is not trusted.
      for probe in follower.probes { _ = try connection.prepare(sql: probe) }
      return try connection.fullText(name, schema: schema)
    }
  }

  /// Drops a full-text table, and its triggers.
  ///
  /// ``createFullTextIndex(_:on:columns:tokenize:prefixes:schema:)`` must have created the full-text table. The
  /// followed table may already have been dropped. The method runs in one savepoint.
  ///
  /// - Throws: ``ResultCode/misuse`` if there is no such index, or if the full-text table follows no table.
  ///   ``ResultCode/locked`` while a statement is at a row.
  ///
  /// The corresponding SQL is `DROP TRIGGER` and `DROP TABLE`.
  public func dropFullTextIndex(_ name: String, schema: String = "main") throws {
    try refuseStatements()
    try SQLiteLibrary.require(.fts5)
    try refuseNUL(in: name, "The name")
    _ = try quotedName(of: schema)
    let names = FullTextNames(table: name, schema: schema)
    try savepoint { connection in
      guard try names.isFollowing(connection) else {
        throw SQLiteError(.misuse, "There is no full-text index named \(name) that follows a table")
      }
      // Drop the tables first, because a running statement prevents only the removal of tables.
      for table in [names.keys, names.table] {
        try connection.execute(sql: "DROP TABLE IF EXISTS \(names.qualified(table))")
      }
      try connection.execute(sql: "DROP VIEW \(names.qualified(names.source))")
      for trigger in [names.insert, names.update, names.delete] {
        try connection.execute(sql: "DROP TRIGGER IF EXISTS \(names.qualified(trigger))")
      }
    }
  }

  /// Returns the table with this name.
  ///
  /// Throws if triggers cannot follow the table. This method does not check the primary key.
  private func followable(_ name: String, _ names: FullTextNames) throws -> TableInfo {
    guard let table = try table(named: name, database: names.schema) else {
      throw SQLiteError(.error, "no such table: \(names.schema).\(name)")
    }
    guard table.kind == .table, !table.isWithoutRowid else {
      let kind = table.kind == .table ? "table without rowid" : "\(table.kind.rawValue) table"
      throw SQLiteError(
        .misuse,
        "A full-text index can follow only an ordinary table; \(table.name) is a "
          + (table.kind == .view ? "view" : kind))
    }
    return table
  }
}
