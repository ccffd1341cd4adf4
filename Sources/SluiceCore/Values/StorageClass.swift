import CSluice

/// How SQLite stores a value.
///
/// The corresponding C values are `SQLITE_INTEGER`, `SQLITE_FLOAT`, `SQLITE_TEXT`, `SQLITE_BLOB`
/// and `SQLITE_NULL`.
public enum StorageClass: String, Hashable, Sendable, CaseIterable {
  /// An integer of up to 64 bits, with sign.
  case integer = "INTEGER"
  /// A floating-point number of 64 bits.
  case real = "REAL"
  /// Text in the encoding of the database.
  case text = "TEXT"
  /// Bytes, exactly as they were given.
  case blob = "BLOB"
  /// Nothing.
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
