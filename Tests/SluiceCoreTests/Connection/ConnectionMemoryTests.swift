import CSluice
import SluiceCore
import TestSupport
import Testing

@Suite struct `the page cache of a connection` {
  let folder: TestFolder
  let db: Connection

  init() throws {
    folder = try TestFolder()
    db = try Connection(path: folder.file(), configuration: .impatient)
    try db.fill(rows: 200)
  }

  @Test func `flushCache writes uncommitted changes, and a rollback still undoes them`() throws {
    let before = try folder.bytes()
    try db.transaction { db, command in
      try db.execute(sql: "UPDATE t SET b = hex(zeroblob(100))")
      #expect(try folder.bytes() == before)
      try db.flushCache()
      #expect(try folder.bytes() != before)
      command = .rollback
    }
    #expect(try folder.bytes() == before)
    try db.flushCache()
  }

  @Test func `flushCache throws busy while another connection reads`() throws {
    let reader = try Connection(path: folder.file())
    try reader.beginReadTransaction()
    try db.transaction { db, command in
      try db.execute(sql: "UPDATE t SET b = 1")
      #expect(failure { try db.flushCache() }?.code == .busy)
      command = .rollback
    }
  }

  @Test func `releaseMemory frees cached pages`() throws {
    let handle = try unsafe openedByC(folder.file())
    let db = unsafe Connection(adopting: handle)
    _ = try db.content
    func used() -> Int32 {
      var (current, highest): (Int32, Int32) = (0, 0)
      unsafe sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_USED, &current, &highest, 0)
      return current
    }
    let before = used()
    try db.releaseMemory()
    #expect(used() < before)
    #expect(try db.integers("SELECT count(*) FROM t") == [200])
    try db.close()
    #expect(failure { try db.releaseMemory() }?.code == .misuse)
    #expect(failure { try db.flushCache() }?.code == .misuse)
  }

  @Test func `a pool releases memory on request, also while a reader is in use`() async throws {
    let pool = try ConnectionPool(path: folder.file(), configuration: .impatientWAL)
    try await pool.write { try $0.execute(sql: "UPDATE t SET b = hex(zeroblob(2000))") }
    try await pool.read { try $0.execute(sql: "SELECT sum(length(b)) FROM t") }
    #expect(try await pool.perform { try $0.status(.cacheUsed).current } > 100_000)
    try await pool.releaseMemory()
    await apart { #expect(failure { try pool.syncReleaseMemory() } == nil) }
    try await pool.read { _ in
      #expect(failure { try pool.syncReleaseMemory() }?.code == .misuse)
    }
    #expect(try await pool.perform { try $0.status(.cacheUsed).current } < 100_000)
    try await pool.close()
    #expect(await awaitedFailure { try await pool.releaseMemory() }?.code == .misuseClosed)
  }
}
