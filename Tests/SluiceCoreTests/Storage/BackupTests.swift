import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.storage)) struct `backups between connections` {
  let folder: TestFolder
  let db: Connection

  init() throws {
    folder = try TestFolder()
    db = try Connection(path: folder.file())
    try db.fill(rows: 500)
  }

  @Test(arguments: [nil, 1, 7, 1_000_000, Int.max])
  func `a backup with any step size makes the target equal to the source`(pages: Int?) throws {
    let target = try Connection()
    try target.execute(sql: "CREATE TABLE other(x)")
    try db.backup(to: target, pagesPerStep: pages)
    #expect(try target.content == db.content)
    #expect(try target.value("PRAGMA integrity_check") == "ok")
    #expect(try target.column("SELECT name FROM sqlite_schema") == ["t", "i"])
  }

  @Test func `a backup copies from memory to a file and back`() throws {
    let memory = try Connection()
    try memory.fill(rows: 100)
    let file = try Connection(path: folder.file("b.db"))
    try memory.backup(to: file)
    let again = try Connection()
    try file.backup(to: again)
    #expect(try file.content == memory.content)
    #expect(try again.content == memory.content)
  }

  @Test func `a backup copies between attached databases by their names`() throws {
    let target = try Connection()
    try db.attach(path: folder.file("b.db"), as: "it's")
    try db.execute(sql: "CREATE TABLE \"it's\".u(x); INSERT INTO \"it's\".u VALUES (7)")
    try target.attach(path: ":memory:", as: "c")
    try target.execute(sql: "CREATE TABLE main.keep(x)")
    try db.backup(to: target, database: "it's", as: "c")
    #expect(try target.column("SELECT x FROM c.u") == [7])
    #expect(try target.column("SELECT name FROM main.sqlite_schema") == ["keep"])
    try db.backup(to: target, database: "it's", as: "temp")
    #expect(try target.column("SELECT x FROM temp.u") == [7])
  }

  @Test func `a backup reports its progress after each step until no pages remain`() throws {
    var told: [(Int, Int)] = []
    try db.backup(to: Connection(), pagesPerStep: 2) { told.append(($0, $1)) }
    let count = try #require(try db.first(.column(.int), sql: "PRAGMA page_count"))
    #expect(told.map(\.0) == Array(stride(from: count - 2, through: 0, by: -2)))
    #expect(told.allSatisfy { $0.1 == count })
  }

  @Test
  func `an error thrown by the progress closure cancels a backup and leaves its target unchanged`()
    throws
  {
    let target = try Connection(path: folder.file("b.db"))
    try target.execute(sql: "CREATE TABLE old(x); INSERT INTO old VALUES (1)")
    var calls = 0
    #expect(throws: ForeignError.self) {
      try db.backup(to: target, pagesPerStep: 1) { _, _ in
        calls += 1
        if calls == 3 { throw ForeignError() }
      }
    }
    #expect(calls == 3)
    #expect(try target.column("SELECT x FROM old") == [1])
    try target.execute(sql: "INSERT INTO old VALUES (2)")
  }

  @Test func `cancelling a task cancels its backup`() async throws {
    let path = folder.file()
    let task = Task {
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      let target = try Connection()
      #expect(throws: CancellationError.self) {
        try Connection(path: path).backup(to: target)
      }
      return try target.integers("SELECT count(*) FROM sqlite_schema")
    }
    #expect(try await task.value == [0])
  }

  @Test func `a backup copies changes that the source makes between steps`() throws {
    let target = try Connection()
    let backup = try Backup(of: db, to: target)
    #expect(try backup.step(pages: 3))
    try db.execute(sql: "UPDATE t SET a = -a")
    while try backup.step(pages: 5) {}
    #expect(try target.content == db.content)
  }

  @Test func `a write by another connection restarts a backup`() throws {
    let target = try Connection()
    let other = try Connection(path: folder.file())
    let backup = try Backup(of: db, to: target)
    #expect(try backup.step(pages: 5))
    let remaining = backup.remainingPages
    try other.execute(sql: "UPDATE t SET a = -a")
    #expect(try backup.step(pages: 1))
    #expect(backup.remainingPages == remaining + 4)
    while try backup.step() {}
    #expect(try target.content == other.content)
  }

  @Test func `the target of a backup rejects other operations until the backup ends`() throws {
    let target = try Connection()
    try target.execute(sql: "CREATE TABLE old(x)")
    let prepared = try target.prepare(sql: "SELECT * FROM old")
    let backup = try Backup(of: db, to: target)
    for _ in 0..<2 {
      #expect(failure { try prepared.execute() }?.code == .misuse)
      #expect(failure { try target.execute(sql: "SELECT 1") }?.code == .misuse)
      #expect(failure { try target.transaction { _, _ in } }?.code == .misuse)
      #expect(failure { try target.addFunction("f", arity: 0) { _ in 1 } }?.code == .misuse)
      #expect(failure { try target.backup(to: Connection()) }?.code == .misuse)
      #expect(failure { try Backup(of: Connection(), to: target) }?.code == .misuse)
      let error = failure { try target.prepare(sql: "SELECT 1") }
      #expect(error?.message.contains("backup") == true)
      #expect(try backup.step(pages: 1))
    }
    try backup.cancel()
    try prepared.execute()
    #expect(try target.column("SELECT name FROM sqlite_schema") == ["old"])
  }

  @Test func `a statement prepared on the target before a backup reads the copied rows after it`()
    throws
  {
    let target = try Connection()
    try target.execute(sql: "CREATE TABLE t(a, b); INSERT INTO t VALUES (0, 0)")
    let count = try target.prepare(sql: "SELECT count(*) FROM t")
    #expect(try count.first(.column(.int)) == 1)
    #expect(try target.integers("SELECT count(*) FROM t") == [1])
    try db.backup(to: target)
    #expect(try count.first(.column(.int)) == 500)
    #expect(try target.integers("SELECT count(*) FROM t") == [500])
  }

  @Test func `backing up a connection to itself throws misuse`() throws {
    let error = failure { try db.backup(to: db) }
    #expect(error?.code == .misuse)
    #expect(try db.integers("SELECT count(*) FROM t") == [500])
  }

  @Test func `a backup to a target in use throws`() throws {
    let target = try Connection()
    try target.execute(sql: "CREATE TABLE old(x); INSERT INTO old VALUES (1), (2)")
    let statement = try target.prepare(sql: "SELECT x FROM old")
    let hasRow = try statement.step() != nil
    #expect(hasRow)
    let error = failure { try db.backup(to: target) }
    #expect(error?.code == .error)
    #expect(error?.message == "destination database is in use")
    try statement.reset()
    try target.transaction { target, _ in
      #expect(failure { try db.backup(to: target) }?.code == .misuse)
    }
    try target.addFunction("f", arity: 0) { [db, unowned target] _ in
      #expect(failure { try db.backup(to: target) }?.code == .misuse)
      return 1
    }
    try target.execute(sql: "SELECT f()")
    try db.backup(to: target)
  }

  @Test func `backing up a source with uncommitted writes throws busy without waiting`() throws {
    let target = try Connection()
    try db.transaction { db, _ in
      try db.execute(sql: "INSERT INTO t VALUES (1, 1)")
      let error = failure { try db.backup(to: target, busyLimit: .seconds(3600)) }
      #expect(error?.code == .busy)
    }
    #expect(try target.integers("SELECT count(*) FROM sqlite_schema") == [0])
    try db.transaction { db, _ in
      _ = try db.content
      try db.backup(to: target)
    }
    #expect(try target.content == db.content)
  }

  @Test(arguments: ["nothing", "", "main\0"]) func `a backup with an unknown database name throws`(
    name: String
  )
    throws
  {
    let expected: ResultCode = name.contains("\0") ? .misuse : .range
    let target = try Connection()
    #expect(failure { try db.backup(to: target, database: name) }?.code == expected)
    #expect(failure { try db.backup(to: target, as: name) }?.code == expected)
    #expect(failure { try db.backup(to: "x", database: name) }?.code == expected)
    #expect(failure { try db.restore(from: folder.file(), database: name) }?.code == expected)
  }

  @Test func `a backup to an in-memory target with another page size throws and changes nothing`()
    throws
  {
    let target = try Connection()
    try target.execute(sql: "PRAGMA page_size = 512; CREATE TABLE old(x)")
    let error = failure { try db.backup(to: target) }
    #expect(error?.code == .readOnly)
    #expect(error?.message.contains("size") == true)
    #expect(try target.column("SELECT name FROM sqlite_schema") == ["old"])
    let file = try Connection(path: folder.file("b.db"))
    try file.execute(sql: "PRAGMA page_size = 512; CREATE TABLE old(x)")
    try db.backup(to: file)
    #expect(try file.content == db.content)
  }
}

extension Connection {
  /// Creates a table and an index that fill many pages.
  func fill(rows: Int) throws {
    try execute(
      sql: """
        CREATE TABLE t(a, b);
        WITH RECURSIVE n(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM n LIMIT \(rows))
        INSERT INTO t SELECT a, hex(zeroblob(100)) || a FROM n;
        CREATE INDEX i ON t(b)
        """)
  }

  /// The content of the table as a single text value.
  var content: DatabaseValue {
    get throws { try value("SELECT group_concat(a || b) FROM (SELECT * FROM t ORDER BY rowid)") }
  }
}
