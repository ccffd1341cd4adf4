/// The default of a column, as a row has it that was written before the column was added.
struct ColumnDefault {
  let value: DatabaseValue

  /// Evaluates the expression of a default.
  ///
  /// Throws ``ResultCode/schema`` if the expression needs a function of a program, and ``ResultCode/mismatch`` for text
  /// that is not UTF-8.
  init(_ expression: String, type: String, isStrict: Bool) throws {
    let scratch = try Connection()
    // A hostile default cannot produce much more than its own text.
    try scratch.setLimit(.length, to: 1_000_000 + 2 * expression.utf8.count)
    let type = type.isEmpty ? "" : try quoted(identifier: type)
    let options = isStrict ? "STRICT" : ""
    for expression in [expression, "(\(expression))"] {
      let column = "c \(type) DEFAULT \(expression)"
      // SQLite reads a missing value from the text of the default: with the type TEXT, 1.10 is '1.10' and not '1.1'. A default
      // that is not constant can only be added to an empty table, so a new row has it.
      for script in [
        "CREATE TABLE t(a INT)\(options); INSERT INTO t VALUES (1); ALTER TABLE t ADD COLUMN \(column)",
        "CREATE TABLE t(a INT, \(column))\(options); INSERT INTO t(a) VALUES (1)",
      ] {
        do {
          try scratch.execute(sql: script)
          value = try scratch.first(.column(.value), sql: "SELECT c FROM t") ?? .null
          return
        } catch let error as SQLiteError where ![.noMemory, .mismatch].contains(error.code) {
          try scratch.execute(sql: "DROP TABLE IF EXISTS t")
        }
      }
    }
    throw SQLiteError(.schema, "The default of a column cannot be evaluated: \(expression)")
  }

  /// The default, or nil if it is NULL or not constant.
  static func constant(_ expression: String, type: String, isStrict: Bool) throws -> DatabaseValue?
  {
    do {
      let value = try ColumnDefault(expression, type: type, isStrict: isStrict).value
      return value.isNull ? Optional.none : value
    } catch SQLiteError.schema { return nil }
  }
}
