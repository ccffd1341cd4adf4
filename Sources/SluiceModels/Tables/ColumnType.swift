/// The declared type of a column.
public enum ColumnType: String, Hashable, Sendable, CaseIterable {
  case integer = "INTEGER"
  case real = "REAL"
  case text = "TEXT"
  case blob = "BLOB"
  /// Any value, stored unchanged, in a table that is ``TablePart/strict``; otherwise a numeric type.
  ///
  /// In a table that is not strict, SQLite converts text that looks like a number to a number.
  case any = "ANY"
}

/// The action on a row when the row that it refers to is deleted, or its key changes.
public enum ForeignKeyAction: String, Hashable, Sendable, CaseIterable {
  /// No action; a change that leaves a row without the other is refused at the end of the statement.
  case noAction = "NO ACTION"
  /// The change is refused immediately.
  case restrict = "RESTRICT"
  /// The reference becomes NULL.
  case setNull = "SET NULL"
  /// The reference becomes the default of its column.
  case setDefault = "SET DEFAULT"
  /// The row is deleted as well, or its reference gets the new key.
  case cascade = "CASCADE"
}

/// A reference to rows of another table.
struct ForeignKey: Sendable {
  /// The names of the table and its columns; evaluated late, as tables may refer to each other.
  let target: @Sendable () throws -> (table: String, columns: [String])
  let onDelete: ForeignKeyAction
  let onUpdate: ForeignKeyAction
  let isDeferred: Bool
}
