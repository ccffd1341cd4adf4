import CSluice
import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.settings)) struct `connection status counters` {
  @Test func `the status counters report the memory of pages, the schema and statements`() throws {
    let connection = try Connection()
    let counters = [ConnectionCounter.cacheUsed, .sharedCacheUsed, .schemaUsed, .statementsUsed]
    let before = try counters.map { try connection.status($0).current }
    try connection.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (zeroblob(100000))")
    let statement = try connection.prepare(sql: "SELECT * FROM t ORDER BY a")
    for (counter, before) in zip(counters, before) {
      #expect(try connection.status(counter).current > before, "\(counter)")
    }
    _ = statement.sql
  }

  @Test func `cache hits, misses and writes are counted until a reset`() throws {
    let folder = try TestFolder()
    let connection = try Connection(path: folder.file())
    try connection.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (zeroblob(100000))")
    try Connection(path: folder.file()).execute(sql: "INSERT INTO t VALUES (1)")
    try connection.execute(sql: "INSERT INTO t VALUES (2)")
    for counter in [ConnectionCounter.cacheHits, .cacheMisses, .cacheWrites] {
      #expect(try connection.status(counter, reset: true).current > 0, "\(counter)")
      #expect(try connection.status(counter).current == 0, "\(counter)")
    }
  }

  @Test func `pages that spill from the cache in a transaction are counted`() throws {
    let folder = try TestFolder()
    let connection = try Connection(path: folder.file())
    try connection.execute(
      sql: """
        CREATE TABLE t(a); PRAGMA cache_size = 10; BEGIN;
        WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
        INSERT INTO t SELECT zeroblob(1000) FROM n
        """)
    #expect(try connection.status(.cacheSpills).current > 0)
  }

  @Test func `the status reports an unresolved deferred foreign key`() throws {
    let connection = try Connection()
    try connection.execute(
      sql: """
        CREATE TABLE t(a PRIMARY KEY); CREATE TABLE u(a REFERENCES t DEFERRABLE INITIALLY DEFERRED);
        BEGIN
        """)
    #expect(try connection.status(.unresolvedForeignKeys).current == 0)
    try connection.execute(sql: "INSERT INTO u VALUES (1)")
    #expect(try connection.status(.unresolvedForeignKeys).current == 1)
  }

  @Test func `a counter that the linked SQLite lacks throws notFound`() throws {
    let connection = try Connection()
    for counter in ConnectionCounter.allCases where !SQLiteVersion.counters.contains(counter) {
      #expect(failure { try connection.status(counter).current }?.code == .notFound)
    }
  }

  @Test(.enabled(if: SQLiteVersion.counters.contains(.temporaryBytesWritten)))
  func `a temporary table that does not fit in memory is written to a file`() throws {
    let connection = try Connection()
    try connection.execute(
      sql: """
        PRAGMA temp_store = FILE; PRAGMA temp.cache_size = 10; CREATE TEMP TABLE t(a, b);
        WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 50000)
        INSERT INTO t SELECT i, hex(zeroblob(50)) FROM n
        """)
    #expect(try connection.status(.temporaryBytesWritten).current > 0)
  }

  @Test(arguments: SQLiteVersion.counters)
  func `no status counter is negative, and reading one after closing throws misuse`(
    counter: ConnectionCounter
  ) throws {
    let connection = try Connection()
    for reset in [false, true] {
      let status = try connection.status(counter, reset: reset)
      #expect(status.current >= 0 && status.highwater >= 0)
    }
    try connection.close()
    #expect(failure { try connection.status(counter).current }?.code == .misuse)
  }

  @Test func `each status counter has the number of its C constant`() {
    let numbers: [ConnectionCounter: Int32] = [
      .lookasideUsed: SQLITE_DBSTATUS_LOOKASIDE_USED, .cacheUsed: SQLITE_DBSTATUS_CACHE_USED,
      .schemaUsed: SQLITE_DBSTATUS_SCHEMA_USED, .statementsUsed: SQLITE_DBSTATUS_STMT_USED,
      .lookasideHits: SQLITE_DBSTATUS_LOOKASIDE_HIT,
      .lookasideTooLarge: SQLITE_DBSTATUS_LOOKASIDE_MISS_SIZE,
      .lookasideFull: SQLITE_DBSTATUS_LOOKASIDE_MISS_FULL, .cacheHits: SQLITE_DBSTATUS_CACHE_HIT,
      .cacheMisses: SQLITE_DBSTATUS_CACHE_MISS, .cacheWrites: SQLITE_DBSTATUS_CACHE_WRITE,
      .unresolvedForeignKeys: SQLITE_DBSTATUS_DEFERRED_FKS,
      .sharedCacheUsed: SQLITE_DBSTATUS_CACHE_USED_SHARED,
      .cacheSpills: SQLITE_DBSTATUS_CACHE_SPILL,
      // SQLITE_DBSTATUS_TEMPBUF_SPILL, which older headers lack.
      .temporaryBytesWritten: 13,
    ]
    #expect(numbers.count == ConnectionCounter.allCases.count)
    for (counter, number) in numbers { #expect(counter.rawValue == number) }
  }
}

@Suite(.tags(.settings)) struct `the last insert rowid` {
  @Test func `the last insert rowid can be set`() throws {
    let connection = try Connection()
    for rowid in [7, -1, .min, .max] as [Int64] {
      try connection.setLastInsertRowid(rowid)
      #expect(connection.lastInsertRowid == rowid)
      #expect(try connection.value("SELECT last_insert_rowid()") == .integer(rowid))
    }
    try connection.close()
    #expect(failure { try connection.setLastInsertRowid(1) }?.code == .misuse)
  }
}
