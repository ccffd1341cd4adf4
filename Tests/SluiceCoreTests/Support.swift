import CSluice
import SluiceCore
import Testing

extension Configuration {
  /// The safe settings, but without waiting for a lock.
  static var impatient: Configuration {
    var configuration = Configuration()
    configuration.busyTimeout = .zero
    return configuration
  }

  /// The safe settings with a WAL, and without waiting for a lock.
  static var impatientWAL: Configuration {
    var configuration = impatient
    configuration.journalMode = .wal
    return configuration
  }
}

/// The indexes that are outside of anything, and of `Int32` or nearly of `Int`.
let impossibleIndexes = [-1, Int(Int32.max), Int(Int32.max) + 1, Int.max, Int.min, Int(Int32.min)]

/// A connection that C code has opened, and that nobody closes but who takes it over.
func openedByC(_ name: String = ":memory:") throws -> OpaquePointer {
  // SQLite looks without a lock whether it has been started, so that is done before.
  try Connection().close()
  var handle: OpaquePointer?
  let code = unsafe sqlite3_open(name, &handle)
  #expect(code == SQLITE_OK)
  return try unsafe #require(unsafe handle)
}
