import CSluice
import SluiceCore
import Testing

extension Configuration {
  /// The safe defaults with a busy timeout of zero.
  static var impatient: Configuration {
    var configuration = Configuration()
    configuration.busyTimeout = .zero
    return configuration
  }

  /// The safe defaults in WAL mode with a busy timeout of zero.
  static var impatientWAL: Configuration {
    var configuration = impatient
    configuration.journalMode = .wal
    return configuration
  }
}

/// Indexes that are out of bounds everywhere, including the limits of `Int32` and `Int`.
let impossibleIndexes = [-1, Int(Int32.max), Int(Int32.max) + 1, Int.max, Int.min, Int(Int32.min)]

/// Opens a connection with the C API and returns its handle, which the caller must adopt or close.
func openedByC(_ name: String = ":memory:") throws -> OpaquePointer {
  // `sqlite3_open` checks without a lock whether SQLite is initialized, so initialize it first.
  try Connection().close()
  var handle: OpaquePointer?
  let code = unsafe sqlite3_open(name, &handle)
  #expect(code == SQLITE_OK)
  return try unsafe #require(unsafe handle)
}
