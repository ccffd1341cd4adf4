import CSluice
import SluiceCore
import Testing

extension Connection {
  /// The only value of the only row.
  func value(_ sql: String, _ parameters: SQLParameter...) throws -> DatabaseValue {
    try #require(try first(.column(.value), sql: sql, parameters: SQLParameters(parameters)))
  }
}

/// A connection that C code has opened, and that nobody closes but who takes it over.
func openedByC(_ name: String = ":memory:") throws -> OpaquePointer {
  // SQLite looks without a lock whether it has been started, so that is done before.
  try Connection().close()
  var handle: OpaquePointer?
  let code = unsafe sqlite3_open(name, &handle)
  #expect(code == SQLITE_OK)
  return try unsafe #require(unsafe handle)
}
