import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.settings)) struct `VACUUM` {
  private static func filled(_ path: String) throws -> Connection {
    let connection = try Connection(path: path)
    try connection.execute(
      sql: "CREATE TABLE t(a); INSERT INTO t VALUES (zeroblob(100000)); DELETE FROM t")
    return connection
  }

  @Test func `VACUUM removes free pages`() throws {
    let folder = try TestFolder()
    let connection = try Self.filled(folder.file())
    #expect(try connection.pageCount() > 20)
    #expect(try connection.freePageCount() > 20)
    try connection.vacuum()
    #expect(try connection.pageCount() == 2)
    #expect(try connection.freePageCount() == 0)
  }

  @Test func `VACUUM can change the page size and the auto-vacuum mode`() throws {
    let folder = try TestFolder()
    let connection = try Self.filled(folder.file())
    try connection.vacuum(pageSize: 8192, autoVacuum: .incremental)
    #expect(try connection.pragma(.pageSize) == 8192)
    #expect(try connection.pragma(.autoVacuum) == .incremental)
    try connection.vacuum(autoVacuum: AutoVacuumMode.none)
    #expect(try connection.pragma(.pageSize) == 8192)
    #expect(try connection.pragma(.autoVacuum) == .none)
  }

  @Test func `VACUUM rebuilds only the named attached database`() throws {
    let folder = try TestFolder()
    try Self.filled(folder.file("b.db")).close()
    let connection = try Self.filled(folder.file())
    try connection.attach(path: folder.file("b.db"), as: "b")
    try connection.vacuum(database: "b", pageSize: 1024)
    #expect(try connection.pageCount(database: "b") == 2)
    #expect(try connection.pragma(.pageSize, database: "b") == 1024)
    #expect(try connection.pageCount() > 20)
  }

  @Test func `VACUUM in a transaction throws and does not affect a later VACUUM`() throws {
    let folder = try TestFolder()
    let connection = try Self.filled(folder.file())
    try connection.begin()
    #expect(failure { try connection.vacuum(pageSize: 8192, autoVacuum: .full) }?.code == .error)
    try connection.rollback()
    let error = failure {
      try connection.transaction { connection, _ in try connection.vacuum(pageSize: 8192) }
    }
    #expect(error?.message.contains("transaction") == true)
    try connection.vacuum()
    #expect(try connection.pragma(.pageSize) == 4096)
    #expect(try connection.pragma(.autoVacuum) == .none)
  }

  @Test func `VACUUM of a WAL database rejects a new page size`() throws {
    let folder = try TestFolder()
    let connection = try Self.filled(folder.file())
    try connection.setPragma(.journalMode, to: .wal)
    #expect(failure { try connection.vacuum(pageSize: 8192) }?.code == .misuse)
    try connection.setPragma(.journalMode, to: .delete)
    try connection.vacuum()
    #expect(try connection.pragma(.pageSize) == 4096)
  }

  @Test func `VACUUM on a read-only connection throws and leaves the file unchanged`() throws {
    let folder = try TestFolder()
    try Self.filled(folder.file()).close()
    let reader = try Connection(path: folder.file(), readOnly: true)
    #expect(failure { try reader.vacuum() }?.code == .readOnly)
    #expect(try reader.freePageCount() > 20)
  }

  @Test func `incremental vacuum frees the given number of pages, or all free pages`() throws {
    let folder = try TestFolder()
    let connection = try Connection(path: folder.file())
    try connection.setPragma(.autoVacuum, to: .incremental)
    try connection.execute(
      sql: "CREATE TABLE t(a); INSERT INTO t VALUES (zeroblob(100000)); DELETE FROM t")
    let free = try connection.freePageCount()
    #expect(free > 20)
    try connection.incrementalVacuum(pages: 5)
    #expect(try connection.freePageCount() == free - 5)
    try connection.incrementalVacuum()
    #expect(try connection.freePageCount() == 0)
    for number in [0, -1, .min, Int(Int32.max) + 1] {
      #expect(failure { try connection.incrementalVacuum(pages: number) }?.code == .range)
    }
  }

  @Test(arguments: [nil, "main"]) func `optimize collects statistics for a table that has grown`(
    database: String?
  ) throws {
    let folder = try TestFolder()
    let connection = try Connection(path: folder.file())
    try connection.execute(
      sql: """
        CREATE TABLE t(a); CREATE INDEX i ON t(a); ANALYZE;
        WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
        INSERT INTO t SELECT i FROM n;
        """)
    _ = try connection.value("SELECT count(*) FROM t WHERE a = 7")
    #expect(try connection.value("SELECT count(*) FROM sqlite_stat1 WHERE tbl = 't'") == 0)
    try connection.optimize(database: database)
    #expect(try connection.value("SELECT count(*) FROM sqlite_stat1 WHERE tbl = 't'") == 1)
  }
}
