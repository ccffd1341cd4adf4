import Sluice
import TestSupport

extension MisuseMatrix {
  /// Members of a connection that control its file.
  ///
  /// The fixture's database is in memory and supports few of them.
  static let files: [Entry<Connection>] = [
    Entry("Connection.fileSystemName(database:)", .works) { try $0.fileSystemName() },
    Entry("Connection.temporaryPath(database:)", .works) { try $0.temporaryPath() },
    Entry("Connection.hasFileMoved(database:)", .works) { c in try known { try c.hasFileMoved() } },
    Entry("Connection.persistsWAL(database:)", .works) { c in try known { try c.persistsWAL() } },
    Entry("Connection.setPersistsWAL(_:database:)", .works) { c in
      try known { try c.setPersistsWAL(true) }
    },
    Entry("Connection.usesPowersafeOverwrite(database:)", .works) { c in
      try known { try c.usesPowersafeOverwrite() }
    },
    Entry("Connection.setUsesPowersafeOverwrite(_:database:)", .works) { c in
      try known { try c.setUsesPowersafeOverwrite(true) }
    },
    Entry("Connection.setChunkSize(_:database:)", .works) { c in
      try known { try c.setChunkSize(4096) }
    },
    Entry("Connection.hintSize(_:database:)", .works) { c in try known { try c.hintSize(4096) } },
    Entry("Connection.changeVersion(database:)", .works) { try $0.changeVersion() },
    Entry("Connection.setLockTimeout(_:database:)", .works) { c in
      try known { try c.setLockTimeout(.zero) }
    },
    Entry("Connection.reservedBytes(database:)", .works) { try $0.reservedBytes() },
    Entry("Connection.setReservedBytes(_:database:)", .works) { try $0.setReservedBytes(0) },
    Entry("Connection.resetCache(database:)", .works) { connection in
      do { try connection.resetCache() } catch SQLiteError.notFound
        where !SQLiteVersion.resetsCache
      {}
    },
    Entry("Connection.hasExternalReader(database:)", .works) { c in
      try known { try c.hasExternalReader() }
    },
    Entry("Connection.lastFileErrno(database:)", .works) { c in try known { try c.lastFileErrno() }
    },
  ]

  /// Ignores an error that says that the file does not support the operation.
  private static func known<T>(_ body: () throws -> T) throws {
    do { _ = try body() } catch SQLiteError.notFound {}
  }
}

extension NumberMatrix {
  /// Members of a connection that control its file.
  static let files: [NumberEntry<Connection>] = [
    NumberEntry("Connection.setChunkSize(_:database:)", refusal: outside(0...1_000_000_000)) {
      try $0.setChunkSize($1)
    },
    NumberEntry("Connection.hintSize(_:database:)", refusal: outside(0...1 << 48)) {
      try $0.hintSize(Int64($1))
    },
    NumberEntry("Connection.setReservedBytes(_:database:)", refusal: butAByte) {
      try $0.setReservedBytes($1)
    },
    NumberEntry("Connection.setLockTimeout(_:database:)", refusal: unknown) {
      try $0.setLockTimeout(.seconds($1))
    },
  ]

  /// The file of the fixture does not support the operation with any number.
  private static let unknown: @Sendable (Int) -> ResultCode? = { _ in .notFound }

  /// Returns a closure for the expected code.
  ///
  /// A number outside `range` is rejected before the file receives it.
  private static func outside(_ range: ClosedRange<Int>) -> @Sendable (Int) -> ResultCode? {
    { range.contains($0) ? .notFound : .range }
  }

  private static let butAByte: @Sendable (Int) -> ResultCode? = {
    (0...255).contains($0) ? nil : .range
  }
}
