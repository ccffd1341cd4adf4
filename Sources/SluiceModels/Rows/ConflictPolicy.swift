/// The effect of a row that violates a constraint, as in `INSERT OR REPLACE`.
///
/// ```swift
/// try connection.insert(page, or: .replace)
/// ```
///
/// To leave an existing row as it is, call `insertIfAbsent`, whose result shows whether the row was inserted. To change an
/// existing row, call `upsert`.
public enum ConflictPolicy: String, Hashable, Sendable, CaseIterable {
  /// Undoes the statement and throws. This is the default.
  case abort = "ABORT"
  /// Throws, but keeps the rows that the statement has already changed.
  case fail = "FAIL"
  /// Deletes all rows that conflict in a primary key or unique index, and continues.
  ///
  /// The deletion violates or follows the foreign keys that refer to the rows, and calls delete triggers only if
  /// `recursive_triggers` is on. For NULL in a column that is `NOT NULL`, SQLite stores the default value of the column.
  case replace = "REPLACE"
  /// Rolls back the transaction and throws.
  case rollback = "ROLLBACK"

  /// The clause behind the verb of a statement; empty for the default.
  var clause: SQL { self == .abort ? "" : SQL(text: " OR \(rawValue)") }
}
