import SluiceCore
import TestSupport
import Testing

/// The file controls of a connection.
@Suite(.tags(.fileSystems)) struct `file controls` {
  @Test func `the settings of a file can be changed and read back`() throws {
    let folder = try TestFolder()
    var configuration = Configuration()
    configuration.journalMode = .wal
    let connection = try Connection(path: folder.file(), configuration: configuration)
    try connection.execute(sql: "CREATE TABLE t(a)")
    #expect(try !connection.persistsWAL())
    try connection.setPersistsWAL(true)
    #expect(try connection.persistsWAL())
    for uses in [false, true] {
      try connection.setUsesPowersafeOverwrite(uses)
      #expect(try connection.usesPowersafeOverwrite() == uses)
    }
    #expect(try !connection.hasExternalReader())
    #expect(try connection.lastFileErrno() >= 0)
    let version = try connection.changeVersion()
    try connection.execute(sql: "INSERT INTO t VALUES (1)")
    #expect(try connection.changeVersion() != version)
    let code = failure { try connection.resetCache() }?.code
    #expect(code == (SQLiteVersion.resetsCache ? nil : .notFound))
    #expect(try connection.value("SELECT a FROM t") == 1)
    try connection.close()
    #expect(try folder.content.contains("app.db-wal"))
  }

  @Test func `a database file grows in chunks of the given size`() throws {
    let folder = try TestFolder()
    let connection = try Connection(path: folder.file())
    try connection.setChunkSize(100_000)
    try connection.execute(sql: "CREATE TABLE t(a)")
    #expect(try folder.bytes().count == 100_000)
    try connection.hintSize(250_000)
    #expect(try folder.bytes().count == 300_000)
    for size in impossibleIndexes where size != Int(Int32.max) {
      #expect(failure { try connection.setChunkSize(size) }?.code == .range)
    }
    for size in [-1, Int64.min, Int64.max] {
      #expect(failure { try connection.hintSize(size) }?.code == .range)
    }
  }

  @Test func `hasFileMoved is true after the database file is deleted`() throws {
    let folder = try TestFolder()
    let connection = try Connection(path: folder.file())
    try connection.execute(sql: "CREATE TABLE t(a)")
    #expect(try !connection.hasFileMoved())
    try removeFile(folder.file())
    #expect(try connection.hasFileMoved())
  }

  @Test func `the number of reserved bytes per page can be set and read`() throws {
    let folder = try TestFolder()
    let connection = try Connection(path: folder.file())
    #expect(try connection.reservedBytes() == 0)
    try connection.setReservedBytes(8)
    try connection.execute(sql: "CREATE TABLE t(a)")
    #expect(try connection.reservedBytes() == 8)
    #expect(try folder.bytes()[20] == 8)
    for count in [-1, 256, Int.max, Int.min] {
      #expect(failure { try connection.setReservedBytes(count) }?.code == .range)
    }
  }

  @Test func `unsupported file controls and invalid database names throw`() throws {
    let connection = try Connection()
    #expect(failure { try connection.hasFileMoved() }?.code == .notFound)
    #expect(failure { try connection.hasFileMoved(database: "other") }?.code == .range)
    #expect(failure { try connection.hasFileMoved(database: "a\0b") }?.code == .misuse)
    let folder = try TestFolder()
    let file = try Connection(path: folder.file())
    let path = try #require(try file.temporaryPath())
    #expect(path.hasPrefix("/") && !fileExists(path))
    // Only some builds of SQLite support a lock timeout.
    let error = failure { try file.setLockTimeout(.seconds(1)) }
    #expect(error == nil || error?.code == .notFound)
    try file.close()
    #expect(failure { try file.fileSystemName() }?.code == .misuse)
  }
}
