import Foundation
import SluiceCore
import SluiceTesting
import TestSupport
import Testing

@Suite(.tags(.concurrency), .timeLimit(.minutes(10))) struct `replaced database files` {
  let folder: TestFolder

  init() throws { folder = try TestFolder() }

  enum Change: CaseIterable {
    case replaced, deleted, deletedAndMade, moved
  }

  /// Creates a separate database with the given number of rows.
  private func makeDatabase(_ path: String, rows: Int) throws {
    let connection = try Connection(path: path)
    try connection.execute(sql: "CREATE TABLE t(a)")
    for row in 0..<rows { try connection.execute("INSERT INTO t VALUES (\(row))") }
    try connection.close()
  }

  private func apply(_ change: Change) throws {
    let (path, other) = (folder.file(), folder.path + "/other.db")
    switch change {
    case .replaced:
      try makeDatabase(other, rows: 7)
      // Foundation does not replace an existing file.
      #expect(unsafe rename(other, path) == 0)
    case .deleted: try FileManager.default.removeItem(atPath: path)
    case .deletedAndMade:
      try FileManager.default.removeItem(atPath: path)
      try makeDatabase(path, rows: 7)
    case .moved: try FileManager.default.moveItem(atPath: path, toPath: other)
    }
  }

  private func expect(_ error: SQLiteError?) {
    #expect(error?.code == .cantOpen)
    #expect(
      error?.message == """
        The database file "\(folder.file())" was moved, deleted or replaced after it was opened for \
        writing: close the pool or queue that writes, and open another one
        """)
  }

  @Test(arguments: Change.allCases)
  func `a pool opens no reader after its file is moved, deleted or replaced`(_ change: Change)
    throws
  {
    let pool = try ConnectionPool(path: folder.file(), readers: 2)
    try pool.syncWrite { connection in
      try connection.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
    }
    try pool.sync { connection in _ = try connection.checkpoint(.truncate) }
    try apply(change)
    expect(failure { try pool.syncRead { try $0.integers("SELECT count(*) FROM t") } })
    #expect(pool.status.openReaderCount == 0)
    // Outside a transaction, the writer still uses its own file and leaves the new file unchanged.
    try pool.sync { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
    #expect(try pool.sync { try $0.integers("SELECT count(*) FROM t") } == [2])
    expect(failure { try pool.syncRead { try $0.integers("SELECT count(*) FROM t") } })
  }

  @Test func `an open reader of a pool still reads the writer's file after the file is moved`()
    throws
  {
    let pool = try ConnectionPool(path: folder.file(), readers: 1)
    try pool.syncWrite { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
    #expect(try pool.syncRead { try $0.integers("SELECT count(*) FROM t") } == [1])
    try apply(.moved)
    try pool.sync { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
    #expect(try pool.syncRead { try $0.integers("SELECT count(*) FROM t") } == [2])
  }

  @Test(arguments: Change.allCases)
  func `a transaction of a pool throws after its file is moved, deleted or replaced`(
    _ change: Change
  ) async throws {
    let pool = try ConnectionPool(path: folder.file(), readers: 1)
    let sql = "INSERT INTO t VALUES (1)"
    try await pool.write { try $0.execute(sql: "CREATE TABLE t(a)") }
    try await pool.write { connection in
      try connection.execute(sql: sql)
      // A transaction that has begun ends as usual.
      try apply(change)
      try connection.transaction { connection in try connection.execute(sql: sql) }
    }
    expect(await awaitedFailure { try await pool.write { try $0.execute(sql: sql) } })
    expect(await awaitedFailure { try await pool.savepoint { try $0.execute(sql: sql) } })
    for kind in TransactionKind.allCases {
      expect(await awaitedFailure { try await pool.transaction(kind) { try $0.execute(sql: sql) } })
      let nested = await awaitedFailure {
        try await pool.perform { try $0.transaction(kind) { try $0.execute(sql: sql) } }
      }
      expect(nested)
    }
    #expect(try await pool.perform { try $0.integers("SELECT count(*) FROM t") } == [2])
    try await pool.close()
  }

  @Test func `a pool in memory or on a file system that cannot detect replaced files writes`()
    async throws
  {
    let memory = try ConnectionPool()
    try await memory.write { try $0.execute(sql: "CREATE TABLE t(a)") }
    let system = try RegisteredFileSystem(MemoryFileSystem())
    let pool = try ConnectionPool(path: folder.file(), configuration: system.configuration(.delete))
    try await pool.write { try $0.execute(sql: "CREATE TABLE t(a)") }
    try await pool.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
    #expect(try await pool.perform { try $0.integers("SELECT a FROM t") } == [1])
  }

  @Test(arguments: Change.allCases, ["", "?psow=1"])
  func `a read queue does not open after its writer's file is moved, deleted or replaced`(
    _ change: Change, _ query: String
  ) throws {
    let queue = try ConnectionQueue(uri: "file:\(folder.file())\(query)")
    try queue.sync { try $0.execute(sql: "CREATE TABLE t(a)") }
    _ = try ConnectionReadQueue(writeQueue: queue)
    try apply(change)
    expect(failure { try ConnectionReadQueue(writeQueue: queue) })
  }

  /// Creates a pool that has no reader yet, with a table of one row.
  private func makePool(_ path: String) throws -> ConnectionPool {
    let pool = try ConnectionPool(path: path, readers: 1)
    try pool.syncWrite { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
    return pool
  }

  @Test func `a reader opens the original file after a symbolic link changes its target`() throws {
    let (link, other) = (folder.path + "/link.db", folder.path + "/other.db")
    try makeDatabase(folder.file(), rows: 0)
    try Connection(path: folder.file()).execute(sql: "DROP TABLE t")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.file())
    let pool = try makePool(link)
    try makeDatabase(other, rows: 7)
    try FileManager.default.removeItem(atPath: link)
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: other)
    #expect(try pool.syncRead { try $0.integers("SELECT count(*) FROM t") } == [1])
  }

  @Test func `a reader throws if the file behind a symbolic link is replaced`() throws {
    let link = folder.path + "/link.db"
    try Connection(path: folder.file()).execute(sql: "PRAGMA user_version = 1")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.file())
    let pool = try makePool(link)
    try apply(.replaced)
    expect(failure { try pool.syncRead { try $0.integers("SELECT count(*) FROM t") } })
  }

  @Test func `a reader accepts a hard link to the writer's file at the original path`() throws {
    let other = folder.path + "/other.db"
    let pool = try makePool(folder.file())
    try FileManager.default.linkItem(atPath: folder.file(), toPath: other)
    try FileManager.default.removeItem(atPath: folder.file())
    #expect(unsafe rename(other, folder.file()) == 0)
    #expect(try pool.syncRead { try $0.integers("SELECT count(*) FROM t") } == [1])
  }

  @Test func `a pool opens its readers on a file system that cannot detect replaced files`() throws
  {
    let system = try RegisteredFileSystem(MemoryFileSystem())
    // This file on disk has the database's name, but is not the database.
    try makeDatabase(folder.file(), rows: 1)
    let queue = try ConnectionQueue(
      path: folder.file(), configuration: system.configuration(.delete))
    try queue.sync { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (5)") }
    try apply(.replaced)
    let reader = try ConnectionReadQueue(writeQueue: queue)
    #expect(try reader.sync { try $0.integers("SELECT a FROM t") } == [5])
  }
}
