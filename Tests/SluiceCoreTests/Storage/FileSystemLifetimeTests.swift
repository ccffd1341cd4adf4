import SluiceCore
import SluiceTesting
import Synchronization
import TestSupport
import Testing

/// File systems that are added, removed and released, while connections may still use them.
@Suite(.tags(.fileSystems)) struct `the lifetime of a file system` {
  /// A shim that retains an object.
  private struct Holding: VirtualFileSystemShim {
    nonisolated(unsafe) let object: AnyObject
    init(_ object: AnyObject) { unsafe self.object = object }
  }

  @Test func `removing a file system releases it and frees its name`() throws {
    let counter = ObjectCounter()
    try SQLiteLibrary.addFileSystem("counter", Holding(counter.hold()))
    #expect(counter.living == 1)
    try SQLiteLibrary.removeFileSystem("counter")
    #expect(counter.living == 0)
    #expect(failure { try SQLiteLibrary.fileSystem(named: "counter") }?.code == .notFound)
    #expect(failure { try SQLiteLibrary.removeFileSystem("counter") }?.code == .notFound)
    // The name can be used again.
    try SQLiteLibrary.addFileSystem("counter", Holding(counter.hold()))
    try SQLiteLibrary.removeFileSystem("counter")
    #expect(counter.released == 2)
  }

  @Test func `an open connection can still use a removed file system`() throws {
    let folder = try TestFolder()
    let counter = ObjectCounter()
    let system = try RegisteredFileSystem(Holding(counter.hold()))
    let connection = try system.connection(folder.file())
    let memory = try system.connection(":memory:")
    try SQLiteLibrary.removeFileSystem(system.name)
    #expect(failure { try system.connection(folder.file()) }?.code == .error)
    // The removed file system still opens journals, and files for temporary tables.
    try connection.execute(
      sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1); CREATE TEMP TABLE u AS SELECT * FROM t")
    // A new file system of the same name does not affect the connection.
    try SQLiteLibrary.addFileSystem(system.name, WatchedFileSystem { _ in throw ForeignError() })
    try connection.execute(sql: "INSERT INTO t VALUES (2)")
    #expect(try connection.value("SELECT sum(a) FROM t") == 3)
    #expect(counter.living == 1)
    try connection.close()
    #expect(counter.living == 0)
    // A connection without open files does not retain the removed file system, and is usable until it needs a file.
    try memory.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (datetime('now'))")
    let error = failure {
      try memory.execute(
        sql: "PRAGMA temp_store = file; CREATE TEMP TABLE u(a); PRAGMA temp.cache_size = 1")
      try memory.execute(sql: "INSERT INTO u VALUES (zeroblob(1000000))")
    }
    #expect(error?.code == .cantOpen)
    #expect(error?.message == "The file system has been removed")
  }

  @Test func `adding or removing a file system throws for a duplicate, invalid or unknown name`()
    throws
  {
    let system = try RegisteredFileSystem(MemoryFileSystem())
    // A file system of SQLite itself.
    let own = "unix-dotfile"
    for name in [system.name, "", "a\0b", own] {
      #expect(
        failure { try SQLiteLibrary.addFileSystem(name, MemoryFileSystem()) }?.code == .misuse)
    }
    #expect(failure { try SQLiteLibrary.removeFileSystem(own) }?.code == .notFound)
    #expect(failure { try SQLiteLibrary.removeFileSystem("a\0b") }?.code == .misuse)
    #expect(failure { try SQLiteLibrary.fileSystem(named: "a\0b") }?.code == .misuse)
    var configuration = Configuration()
    configuration.fileSystem = "a\0b"
    #expect(failure { try Connection(configuration: configuration) }?.code == .misuse)
    configuration.fileSystem = "no such file system"
    #expect(failure { try Connection(configuration: configuration) }?.code == .error)
  }

  @Test func `a file system can be the default of the process`() async {
    await #expect(processExitsWith: .success) {
      let memory = MemoryFileSystem()
      try SQLiteLibrary.addFileSystem("memory", memory, isDefault: true)
      let connection = try Connection(path: "nowhere.db")
      try connection.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
      #expect(try connection.fileSystemName() == "memory")
      #expect(!fileExists("nowhere.db"))
      // The standard file system of a shim is still SQLite's.
      try SQLiteLibrary.addFileSystem("shim", WatchedFileSystem { _ in })
      let folder = try TestFolder()
      let other = try Connection(uri: "file:\(folder.file())?vfs=shim")
      try other.execute(sql: "CREATE TABLE t(a)")
      #expect(fileExists(folder.file()))
      try SQLiteLibrary.removeFileSystem("memory")
      #expect(try Connection(path: folder.file("b.db")).fileSystemName() != "memory")
    }
  }

  @Test func `a connection closes even if closing its file throws`() throws {
    let folder = try TestFolder()
    let system = try RegisteredFileSystem(
      WatchedFileSystem { if $0 == .close { throw SQLiteError(.full, "No") } })
    for mode in [Configuration.JournalMode.delete, .wal] {
      let connection = try system.connection(folder.file(mode.rawValue), mode)
      try connection.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
      try connection.close()
      #expect(try Connection(path: folder.file(mode.rawValue)).value("SELECT a FROM t") == 1)
    }
  }

  @Test func `a file deleted on close is deleted through its file system`() throws {
    let memory = MemoryFileSystem()
    let system = try RegisteredFileSystem(memory)
    var configuration = system.configuration()
    configuration.deletesFileOnClose = true
    let connection = try Connection(path: "a", configuration: configuration)
    try connection.execute(sql: "CREATE TABLE t(a)")
    #expect(memory.paths.contains("/a"))
    try connection.close()
    #expect(memory.paths.isEmpty)
  }
}
