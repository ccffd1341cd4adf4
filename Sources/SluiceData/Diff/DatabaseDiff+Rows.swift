import SluiceCore

extension DatabaseDiff {
  /// Whether the databases have the same schema and the same rows.
  ///
  /// The rows of ``uncomparedTables`` are ignored.
  public var isEmpty: Bool {
    get throws {
      guard schemaChanges.isEmpty else { return false }
      return try connection.transaction { connection in
        for table in plan.tables {
          for part in try table.parts(connection)
          where try part.query("1", connection, limit: 1) != nil { return false }
        }
        return try plan.sequenceChanges(connection).isEmpty
      }
    }
  }

  /// Calls `body` with each difference between the rows, table by table.
  ///
  /// A table whose definition has changed is considered a new table: its old rows are deleted, and its new rows are
  /// inserted. For each table, the deleted rows come first, then the updated and the inserted rows. The changes of
  /// `sqlite_sequence`, which contains the counters of `AUTOINCREMENT`, come last.
  ///
  /// - Throws: ``ResultCode/mismatch`` for text that is not UTF-8, which a `String` cannot contain. Any error that
  ///   `body` throws.
  public func forEachRowChange(_ body: (_ change: RowChange) throws -> Void) throws {
    try connection.transaction { connection in
      for table in plan.tables {
        for part in try table.parts(connection) {
          try part.statement(connection).forEachRow { row in
            try body(part.change(row, of: table.name))
          }
        }
      }
      for (name, old, new) in try plan.sequenceChanges(connection) {
        try body(
          RowChange(
            table: "sqlite_sequence", columns: ["name", "seq"], rowid: nil,
            old: old.map { [.text(name), $0] }, new: new.map { [.text(name), $0] }))
      }
    }
  }

  /// Returns the number of differences for each table whose rows differ, sorted by name.
  ///
  /// `sqlite_sequence` comes last.
  public func summary() throws -> [TableSummary] {
    try connection.transaction { connection in
      var summaries = try plan.tables.map { table in
        var counts: [RowChange.Kind: Int] = [:]
        for part in try table.parts(connection) {
          counts[part.kind, default: 0] += try part.query("count(*)", connection) ?? 0
        }
        return TableSummary(
          table: table.name, insertedCount: counts[.inserted] ?? 0,
          updatedCount: counts[.updated] ?? 0, deletedCount: counts[.deleted] ?? 0)
      }
      let sequences = try plan.sequenceChanges(connection)
      summaries.append(
        TableSummary(
          table: "sqlite_sequence", insertedCount: sequences.count { $0.old == nil },
          updatedCount: sequences.count { $0.old != nil && $0.new != nil },
          deletedCount: sequences.count { $0.new == nil }))
      return summaries.filter { !$0.isEmpty }
    }
  }
}
