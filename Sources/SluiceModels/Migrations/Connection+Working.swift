import Sluice

/// A table or view, with a kind of change that fires its triggers.
struct Firing {
  let table: String
  let kind: Kind

  enum Kind: String, CaseIterable { case insert, update, delete }
}

/// A view or virtual table, with its schema, because `main` and `temp` can both contain an object with the same name.
struct View: Hashable {
  let schema: String
  let name: String
  let isVirtualTable: Bool
}

/// Checks that views, virtual tables and triggers that work before a migration also work after it.
///
/// SQLite resolves the names in a view or trigger when it is used, not when it is created. A virtual table, such as a
/// full-text index with `content=`, may also read columns of other tables.
extension Connection {
  func workingViews() throws -> [View] {
    try views().filter { failure(of: $0) == nil }
  }

  func refuseBroken(_ views: [View]) throws {
    // Do not check views that the migration has dropped.
    let remaining = Set(try self.views())
    for view in views where remaining.contains(view) {
      guard let error = failure(of: view) else { continue }
      let kind = view.isVirtualTable ? "virtual table" : "view"
      throw SQLiteError(
        .schema, "The \(kind) \"\(view.name)\" does not work with the new columns (\(error))")
    }
  }

  private func views() throws -> [View] {
    // A virtual table has no root page.
    try query(
      .columns(.string, .string, .bool),
      """
      SELECT 'main', name, type = 'table' FROM main.sqlite_schema
      WHERE type = 'view' OR type = 'table' AND rootpage = 0
      UNION ALL SELECT 'temp', name, type = 'table' FROM sqlite_temp_schema
      WHERE type = 'view' OR type = 'table' AND rootpage = 0
      """
    ).map { schema, name, isVirtualTable in
      View(schema: schema, name: name, isVirtualTable: isVirtualTable)
    }
  }

  func workingTriggers() throws -> [Firing] {
    try tablesWithTriggers().flatMap { table in
      Firing.Kind.allCases.map { Firing(table: table, kind: $0) }
    }.filter { failure(of: $0) == nil }
  }

  func refuseBroken(_ firings: [Firing]) throws {
    let tables = Set(try tablesWithTriggers())
    for firing in firings where tables.contains(firing.table) {
      guard let error = failure(of: firing) else { continue }
      throw SQLiteError(
        .schema,
        """
        A trigger that follows an \(firing.kind) of "\(firing.table)" does not work with the new columns \
        (\(error))
        """)
    }
  }

  /// Returns the triggers that refer to one of these columns, as a dictionary from SQL to name.
  ///
  /// To find these triggers, this method renames the columns and rolls back, because SQLite rewrites the triggers
  /// that refer to a renamed column. This also finds a trigger that names a column only in UPDATE OF: without
  /// the column, the trigger would still be valid, but never run.
  func triggers(naming columns: [String], of table: String) throws -> [String: String] {
    try savepoint { connection, command in
      command = .rollback
      let before = try connection.triggers()
      for (index, column) in columns.enumerated() {
        // If another object in the schema is invalid, the ALTER TABLE statement throws and changes nothing.
        try? connection.execute(
          """
          ALTER TABLE \(identifier: table) RENAME COLUMN \(identifier: column) \
          TO \(identifier: "sluice_gone_\(index)")
          """)
      }
      let after = try connection.triggers()
      return before.filter { after[$0.key] == nil }
    }.value
  }

  /// Throws if one of these triggers still exists.
  func refuse(_ triggers: [String: String]) throws {
    for (sql, name) in try self.triggers() where triggers[sql] == name {
      throw SQLiteError(
        .schema,
        """
        The trigger "\(name)" names a column that is dropped; \
        .run("DROP TRIGGER \(quoted(name))") drops it
        """)
    }
  }

  private func triggers() throws -> [String: String] {
    let all = try query(
      .columns(.string, .string),
      """
      SELECT sql, name FROM sqlite_schema WHERE type = 'trigger'
      UNION ALL SELECT sql, name FROM sqlite_temp_schema WHERE type = 'trigger'
      """)
    return Dictionary(all) { first, _ in first }
  }

  private func tablesWithTriggers() throws -> [String] {
    try query(
      .column(.string),
      """
      SELECT tbl_name FROM sqlite_schema WHERE type = 'trigger'
      UNION SELECT tbl_name FROM sqlite_temp_schema WHERE type = 'trigger'
      """)
  }

  private func failure(of view: View) -> String? {
    let sql: SQL = "SELECT * FROM \(identifier: view.schema).\(identifier: view.name) LIMIT 1"
    return failure {
      // A virtual table prepares its own statements only when it is read.
      if view.isVirtualTable { _ = try prepare(sql).step() }
      return sql
    }
  }

  /// Compiles a change with all triggers that it fires, and returns the error; nil if there is none.
  private func failure(of firing: Firing) -> String? {
    failure {
      switch firing.kind {
      case .insert: return "INSERT INTO \(identifier: firing.table) DEFAULT VALUES"
      case .delete: return "DELETE FROM \(identifier: firing.table)"
      case .update:
        let columns = try query(
          .column(.string), "SELECT name FROM pragma_table_info(\(firing.table))")
        let values = columns.map { "\(identifier: $0) = NULL" as SQL }
        return "UPDATE \(identifier: firing.table) SET \(values.list)"
      }
    }
  }

  private func failure(of sql: () throws -> SQL) -> String? {
    do {
      _ = try prepare(sql())
      return nil
    } catch { return (error as? SQLiteError)?.message ?? "\(error)" }
  }
}
