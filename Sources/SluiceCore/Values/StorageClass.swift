import CSQLite

/// How SQLite stores a value.
///
/// The corresponding C values are `SQLITE_INTEGER`, `SQLITE_FLOAT`, `SQLITE_TEXT`, `SQLITE_BLOB`
/// and `SQLITE_NULL`.
public enum StorageClass: String, Hashable, Sendable, CaseIterable {
  case integer = "INTEGER"
  case real = "REAL"
  case text = "TEXT"
  case blob = "BLOB"
  case null = "NULL"

  init(_ type: Int32) {
    self =
      switch type {
      case SQLITE_INTEGER: .integer
      case SQLITE_FLOAT: .real
      case SQLITE_TEXT: .text
      case SQLITE_BLOB: .blob
      default: .null
      }
  }
}
