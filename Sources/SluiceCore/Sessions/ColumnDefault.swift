/// The default of a column, as the column stores it.
struct ColumnDefault {
  /// The value, which is not NULL.
  let value: DatabaseValue
  /// The value as SQL.
  let literal: String

  /// Evaluates the expression of a default; nil if it is NULL or not constant.
  init?(_ expression: String, type: String, isStrict: Bool) throws {
    let scratch = try Connection()
    // A column can be added with a constant only, which needs neither much space nor a function.
    try scratch.setLimit(.length, to: 1_000_000)
    let type = type.isEmpty ? "" : try quoted(identifier: type)
    for expression in [expression, "(\(expression))"] {
      do {
        try scratch.execute(
          sql: "CREATE TABLE t(c \(type) DEFAULT \(expression))\(isStrict ? "STRICT" : "")")
        try scratch.execute(sql: "INSERT INTO t DEFAULT VALUES")
        guard
          let (value, literal) = try scratch.first(
            .columns(.value, .string), sql: "SELECT c, quote(c) FROM t WHERE c IS NOT NULL")
        else { return nil }
        self.value = value
        self.literal = literal
        return
      } catch let error as SQLiteError where error.code != .noMemory {
        try scratch.execute(sql: "DROP TABLE IF EXISTS t")
      }
    }
    return nil
  }
}
