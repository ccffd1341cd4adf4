/// Names that generated code already uses.
enum ReservedNames {
  /// The names of members of connections, queues and pools.
  static let functions: Set<String> = [
    "query", "first", "execute", "prepare", "transaction", "readTransaction", "savepoint", "close",
    "changes", "rows", "observe", "live", "read", "write", "perform", "sync", "async", "backup",
    "restore", "interrupt", "suspend", "resume", "syncRead", "syncWrite", "init", "self", "Self",
    "Type", "deinit", "subscript",
  ]

  /// Names that the code for migrations uses, or that no Swift type can have.
  static let typesOfSteps: Set<String> = [
    "Connection", "Migration", "Migrator", "Protocol", "Self", "Type", "Void",
  ]

  /// Names that the code for queries uses.
  static let types: Set<String> = [
    "Any", "Array", "Bool", "Codable", "ColumnValueConverter", "Connection", "ConnectionPool",
    "ConnectionQueue", "ConnectionReadQueue", "Data", "DatabaseReader", "DatabaseValue",
    "DatabaseWriter", "Date", "Decimal", "Dictionary", "Double", "Float", "Hashable", "Int",
    "Int64", "LiveValue", "MainActor", "Migration", "Migrations", "Migrator", "Protocol", "Row",
    "RowConverter", "RowStream", "SQL", "SQLParameter", "SQLValue", "SQLiteError", "Self",
    "Sendable", "Set", "Statement", "Statements", "String", "Type", "URL", "UUID",
    "ValuePublisher", "Void", "WritableKeyPath",
  ]
}
