import Sluice

/// An index or trigger that is dropped with a table, and must be re-created.
struct TablePiece: CustomStringConvertible {
  let name: String
  let isTrigger: Bool
  /// Whether this is a temporary trigger, which exists only on this connection.
  let isTemporary: Bool
  /// The SQL that creates the index or trigger.
  let sql: String

  var description: String { "The \(isTrigger ? "trigger" : "index") \"\(name)\"" }
  var drop: String { "DROP \(isTrigger ? "TRIGGER" : "INDEX") \(quoted(name))" }
}

extension Connection {
  func pieces(ofTable table: String) throws -> [TablePiece] {
    let kept = try query(
      .columns(.string, .bool, .string),
      """
      SELECT name, type = 'trigger', sql FROM sqlite_schema
      WHERE tbl_name = \(table) COLLATE NOCASE AND type IN ('index', 'trigger') AND sql IS NOT NULL
      ORDER BY rowid
      """
    ).map { name, isTrigger, sql in
      TablePiece(name: name, isTrigger: isTrigger, isTemporary: false, sql: sql)
    }
    let temporary = try query(
      .columns(.string, .string),
      """
      SELECT name, 'CREATE TEMP' || substr(sql, length('CREATE ')) FROM sqlite_temp_schema
      WHERE tbl_name = \(table) COLLATE NOCASE AND type = 'trigger' ORDER BY rowid
      """
    ).map { name, sql in
      TablePiece(name: name, isTrigger: true, isTemporary: true, sql: sql)
    }
    return kept + temporary
  }

  /// Returns whether a temporary trigger with this name still exists, after its table was dropped.
  ///
  /// It still exists if it belongs to a table with the same name in another database.
  func hasTemporaryTrigger(_ name: String) throws -> Bool {
    try first(
      .column(.int),
      "SELECT 1 FROM sqlite_temp_schema WHERE type = 'trigger' AND name = \(name) COLLATE NOCASE")
      != nil
  }
}
