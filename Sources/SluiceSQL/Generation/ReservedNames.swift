/// Names that generated code cannot give to something else.
enum ReservedNames {
  /// What connections, queues or pools have already under these names.
  static let functions: Set<String> = [
    "query", "first", "execute", "prepare", "transaction", "readTransaction", "savepoint", "close",
    "changes", "rows", "observe", "read", "write", "perform", "sync", "async", "backup", "restore",
    "interrupt", "suspend", "resume", "syncRead", "syncWrite", "init", "self", "Self", "Type",
    "deinit", "subscript",
  ]

  /// What the code for the steps of a database uses, or no type can be called.
  static let typesOfSteps: Set<String> = [
    "Connection", "Migration", "Migrator", "Protocol", "Self", "Type", "Void",
  ]

  /// What the code for queries uses under these names.
  static let types: Set<String> = [
    "Any", "Bool", "Codable", "ColumnValueConverter", "Connection", "ConnectionPool",
    "ConnectionQueue", "ConnectionReadQueue", "Data", "DatabaseReader", "DatabaseValue",
    "DatabaseWriter", "Date", "Decimal", "Double", "Float", "Hashable", "Int", "Int64", "Migration",
    "Migrations", "Migrator", "Protocol", "Row", "RowConverter", "RowStream", "SQL", "SQLParameter",
    "SQLiteError", "Self", "Sendable", "Statement", "Statements", "String", "Type", "URL", "UUID",
    "ValuePublisher", "Void",
  ]
}
