/// The declared type of a column.
public enum ColumnType: String, Hashable, Sendable, CaseIterable {
  case integer = "INTEGER"
  case real = "REAL"
  case text = "TEXT"
  case blob = "BLOB"
  /// Any value, stored unchanged, in a ``TablePart/strict`` table; otherwise a numeric type.
  ///
  /// In a table that is not strict, SQLite converts text in the form of a number to a number.
  case any = "ANY"
}

/// The action on a row when the row to which it refers is deleted, or gets another key.
public enum ForeignKeyAction: String, Hashable, Sendable, CaseIterable {
  /// No action; a change that leaves a reference to a missing row throws at the end of the statement.
  case noAction = "NO ACTION"
  /// A change that leaves a reference to a missing row throws immediately.
  case restrict = "RESTRICT"
  /// The reference becomes NULL.
  case setNull = "SET NULL"
  /// The reference becomes the default of its column.
  case setDefault = "SET DEFAULT"
  /// The row is also deleted, or its reference gets the new key.
  case cascade = "CASCADE"
}

/// A reference to rows of another table.
struct ForeignKey: Sendable {
  /// The names of the other table and its columns, evaluated lazily, because two tables may refer to each other.
  let target: @Sendable () throws -> (table: String, columns: [String])
  let onDelete: ForeignKeyAction
  let onUpdate: ForeignKeyAction
  let isDeferred: Bool
}
