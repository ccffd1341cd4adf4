/// The declared type of a column.
public enum ColumnType: String, Hashable, Sendable, CaseIterable {
  case integer = "INTEGER"
  case real = "REAL"
  case text = "TEXT"
  case blob = "BLOB"
  /// In a table that is ``TablePart/strict``, anything, as it is; in another, SQLite takes it for a
  /// number and makes numbers of texts that look like them.
  case any = "ANY"
}

/// The action on a row when the row that it refers to is deleted, or gets another key.
public enum ForeignKeyAction: String, Hashable, Sendable, CaseIterable {
  /// Nothing: what would leave the row without the other one is refused at the end of the statement.
  case noAction = "NO ACTION"
  /// It is refused at once.
  case restrict = "RESTRICT"
  /// It refers to nothing.
  case setNull = "SET NULL"
  /// It refers to what is the default of its column.
  case setDefault = "SET DEFAULT"
  /// It is deleted as well, or gets the other key.
  case cascade = "CASCADE"
}

/// A reference to rows of another table.
struct ForeignKey: Sendable {
  /// The name of the table and those of its columns; asked for late, as tables may refer to each
  /// other.
  let target: @Sendable () throws -> (table: String, columns: [String])
  let onDelete: ForeignKeyAction
  let onUpdate: ForeignKeyAction
  let isDeferred: Bool
}
