import CSluice
import SluiceCore
import TestSupport
import Testing

@Suite struct AdoptingTests {
  @Test func `an adopted connection runs SQL and reports extended result codes`() throws {
    let db = try unsafe Connection(adopting: openedByC())
    try db.execute(sql: "CREATE TABLE t(a UNIQUE); INSERT INTO t VALUES (1)")
    #expect(failure { try db.execute(sql: "INSERT INTO t VALUES (1)") }?.code == .constraintUnique)
    #expect(db.configuration == .sqliteDefaults)
    try db.close()
    #expect(!db.isOpen)
  }

  @Test func `adopting a C handle changes none of its settings`() throws {
    let handle = try unsafe openedByC()
    unsafe sqlite3_exec(handle, "PRAGMA foreign_keys = 1; PRAGMA busy_timeout = 77", nil, nil, nil)
    let db = unsafe Connection(adopting: handle)
    #expect(try db.value("PRAGMA foreign_keys") == 1)
    #expect(try db.value("PRAGMA busy_timeout") == 77)
    #expect(try db.value("PRAGMA trusted_schema") == 1)
  }

  @Test func `an adopted connection closes when its last reference is released`() throws {
    let folder = try TestFolder()
    do {
      let db = try unsafe Connection(adopting: openedByC(folder.file()))
      try db.execute(sql: "PRAGMA journal_mode = wal; CREATE TABLE t(a)")
      #expect(try folder.content == ["app.db", "app.db-shm", "app.db-wal"])
    }
    #expect(try folder.content == ["app.db"])
  }

  @Test
  func `a connection that is released before a C statement is finalized remains open until then`()
    throws
  {
    let folder = try TestFolder()
    var left: OpaquePointer?
    do {
      let handle = try unsafe openedByC(folder.file())
      let db = unsafe Connection(adopting: handle)
      try db.execute(sql: "PRAGMA journal_mode = wal; CREATE TABLE t(a); INSERT INTO t VALUES (1)")
      unsafe sqlite3_prepare_v2(handle, "SELECT a FROM t", -1, &left, nil)
    }
    #expect(unsafe sqlite3_step(left) == SQLITE_ROW)
    #expect(try folder.content == ["app.db", "app.db-shm", "app.db-wal"])
    unsafe sqlite3_finalize(left)
    #expect(try folder.content == ["app.db"])
  }

  @Test func `closing throws busy and has no effect while a C statement is not finalized`() throws {
    let handle = try unsafe openedByC()
    var left: OpaquePointer?
    unsafe sqlite3_prepare_v2(handle, "SELECT 1", -1, &left, nil)
    let db = unsafe Connection(adopting: handle)
    #expect(failure { try db.close() }?.code == .busy)
    #expect(db.isOpen)
    #expect(try db.value("SELECT 2") == 2)
    unsafe sqlite3_finalize(left)
    try db.close()
    #expect(!db.isOpen)
  }
}
