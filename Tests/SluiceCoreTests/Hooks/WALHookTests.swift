import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.hooks), .inEachThreadingMode) struct `WAL hooks` {
  let folder: TestFolder
  let db: Connection
  let notes = Notes()

  init() throws {
    folder = try TestFolder()
    var configuration = Configuration()
    configuration.journalMode = .wal
    configuration.threadingMode = ThreadingModes.tested
    db = try Connection(path: folder.file(), configuration: configuration)
    try db.execute(sql: "CREATE TABLE t(a)")
  }

  private func insert() throws { try db.execute(sql: "INSERT INTO t VALUES (zeroblob(5000))") }

  @Test func `a WAL hook receives the number of frames after each commit`() throws {
    var frames: [Int] = []
    let token = try db.onWALCommit { [unowned own = db] connection, commit in
      #expect(connection === own)
      #expect(commit.schema == "main")
      frames.append(commit.frames)
    }
    try insert()
    try db.transaction { db, _ in
      try db.execute(sql: "INSERT INTO t VALUES (1); INSERT INTO t VALUES (2)")
    }
    #expect(frames.count == 2)
    #expect(frames.sorted() == frames && frames.first != 0)
    token.cancel()
    try insert()
    #expect(frames.count == 2)
  }

  @Test(arguments: [false, true])
  func `automatic checkpoints continue while a WAL hook is set and after the hook is cancelled`(
    _ isCancelled: Bool
  )
    throws
  {
    try db.setWALAutocheckpoint(10)
    var frames: [Int] = []
    let token = try db.onWALCommit { frames.append($1.frames) }
    if isCancelled { token.cancel() }
    for _ in 0..<40 { try insert() }
    #expect(try db.walAutocheckpoint == 10)
    // Without checkpoints, each insert would grow the WAL.
    #expect(try walSize() < 40 * 5000)
    #expect(isCancelled ? frames.isEmpty : frames.count == 40 && (frames.max() ?? 99) < 20)
  }

  private func walSize() throws -> Int { try folder.bytes("app.db-wal").count }

  @Test func `the autocheckpoint interval can be read and set with and without a WAL hook`() throws
  {
    #expect(try db.walAutocheckpoint == 1000)
    let token = try db.onWALCommit { [notes] in notes.add($1.schema) }
    #expect(try db.walAutocheckpoint == 1000)
    try db.setWALAutocheckpoint(20)
    #expect(try db.walAutocheckpoint == 20)
    #expect(try db.value("PRAGMA wal_autocheckpoint") == 20)
    try db.execute(sql: "PRAGMA wal_autocheckpoint = 30")
    #expect(try db.walAutocheckpoint == 30)
    try insert()
    #expect(notes.read() == ["main"])
    try db.setWALAutocheckpoint(-5)
    #expect(try db.walAutocheckpoint == 0)
    try insert()
    #expect(notes.read() == ["main"])
    try db.setWALAutocheckpoint(.max)
    #expect(try db.walAutocheckpoint == Int(Int32.max))
    token.cancel()
    try insert()
    #expect(notes.read() == [])
    #expect(try db.value("PRAGMA wal_autocheckpoint") == DatabaseValue.integer(Int64(Int32.max)))
  }

  @Test func `a WAL hook can use the connection and is not called for its own commits`() throws {
    try db.execute(sql: "CREATE TABLE log(frames)")
    try db.onWALCommit { [notes] connection, commit in
      notes.add("commit")
      let error = failure {
        try connection.transaction { connection, _ in
          try connection.execute(sql: "INSERT INTO log VALUES (?)", parameters: .int(commit.frames))
          try connection.execute(sql: "INSERT INTO log VALUES (0)")
        }
      }
      if let error { notes.add(error) }
    }
    try insert()
    #expect(notes.read() == ["commit"])
    try db.transaction { db, _ in try db.execute(sql: "INSERT INTO t VALUES (1)") }
    #expect(notes.read() == ["commit"])
    #expect(try db.integers("SELECT count(*) FROM log") == [4])
  }

  @Test(arguments: ["BEGIN", "SAVEPOINT s", "BEGIN; INSERT INTO t VALUES (7)"])
  func `a transaction that a WAL hook leaves open is rolled back and throws misuse`(_ sql: String)
    throws
  {
    var isLeaving = true
    try db.onWALCommit { connection, _ in
      // If this fails, the expectations below fail.
      if isLeaving { try? connection.execute(sql: sql) }
    }
    try db.onWALCommit { [notes] connection, _ in notes.add(connection.isInAutocommit) }
    let ways: [() throws -> Void] = [
      insert, { try db.transaction { db, _ in try insert() } },
      { try db.execute(sql: "BEGIN; INSERT INTO t VALUES (1); COMMIT") },
    ]
    for (count, way) in ways.enumerated() {
      let error = failure(way)
      #expect(error?.code == .misuse)
      #expect(error?.message.contains("left a transaction open") == true)
      #expect(db.isInAutocommit)
      #expect(notes.read() == ["true"])
      #expect(try db.integers("SELECT count(*) FROM t") == [count + 1])
    }
    isLeaving = false
    try insert()
    #expect(try db.integers("SELECT count(*) FROM t") == [4])
  }

  @Test(arguments: [
    "PRAGMA wal_autocheckpoint = 10", "/* */ pragma main.\"WAL_autocheckpoint\"(10)",
  ])
  func `re-preparing a wal_autocheckpoint pragma does not remove the WAL hook`(_ sql: String)
    throws
  {
    let change = try db.prepare(sql: sql)
    let question = try db.prepare(sql: "PRAGMA wal_autocheckpoint")
    try db.setWALAutocheckpoint(500)
    try db.onWALCommit { [notes] in notes.add($1.schema) }
    try db.addFunction("f") { (number: Int) in number }
    for (statement, frames) in [(question, 500), (change, 10), (question, 10)] {
      // SQLite recompiles earlier statements, which may call the replaced function.
      try db.addFunction("f") { (number: Int) in number }
      #expect(try statement.first(.column(.int)) == frames)
      #expect(try db.walAutocheckpoint == frames)
      try insert()
      #expect(notes.read() == ["main"])
    }
    for _ in 0..<40 { try insert() }
    #expect(try walSize() < 40 * 5000)
  }

  @Test
  func `a query that runs while a virtual table connects preserves the autocheckpoint interval`()
    throws
  {
    final class Asking: VirtualTable {
      let schema: VirtualTableSchema = ["a"]
      func plan(_ query: borrowing VirtualTableQuery) -> VirtualTablePlan? { VirtualTablePlan() }
      func cursor() -> Cursor { Cursor() }
      final class Cursor: VirtualTableCursor {
        func filter(_ filter: borrowing VirtualTableFilter) {}
        func next() {}
        let isAtEnd = true
        func column(_ index: Int) -> DatabaseValue { .null }
        let rowid: Int64 = 0
      }
    }
    try db.addModule("asking", as: .eponymousOnly) { [unowned own = db] _ in
      _ = try own.prepare(sql: "SELECT 1").first(.column(.int))
      return Asking()
    }
    try db.onWALCommit { [notes] in notes.add($1.schema) }
    #expect(try db.integers("SELECT a FROM asking") == [])
    #expect(try db.walAutocheckpoint == 1000)
    try insert()
    #expect(notes.read() == ["main"])
  }

  @Test func `a WAL hook can add a function`() throws {
    var refused: SQLiteError?
    try db.onWALCommit { connection, _ in
      refused = failure {
        try connection.addFunction("twice", arity: 1) { values in
          .integer(try values.get(Int64.self, at: 0) * 2)
        }
      }
    }
    try insert()
    #expect(refused == nil)
    #expect(try db.integers("SELECT twice(21)") == [42])
  }
}
