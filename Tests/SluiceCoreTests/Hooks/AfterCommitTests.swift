import SluiceCore
import SluiceTesting
import TestSupport
import Testing

@Suite(.tags(.hooks), .inEachThreadingMode) struct `after-commit closures` {
  let db: Connection
  let notes = Notes()

  init() throws {
    db = try Connection.inTestedMode()
    try db.execute(sql: "CREATE TABLE t(a UNIQUE)")
  }

  private func note(_ line: String, _ db: Connection) throws {
    try db.afterCommit { [notes] _ in notes.add(line) }
  }

  @Test func `after-commit closures run once, in order, after the outermost commit`() throws {
    try db.transaction { db, _ in
      try note("a", db)
      try db.transaction { db, _ in try note("b", db) }
      try db.execute(sql: "INSERT INTO t VALUES (1)")
      try note("c", db)
      #expect(notes.lines.isEmpty)
    }
    #expect(notes.read() == ["a", "b", "c"])
    try db.transaction { db, _ in try db.execute(sql: "INSERT INTO t VALUES (2)") }
    #expect(notes.read() == [])
  }

  @Test func `after-commit closures run after a COMMIT, a RELEASE or a call to commit`() throws {
    for (begin, end) in [
      ("BEGIN", "COMMIT"), ("BEGIN IMMEDIATE", "END"), ("SAVEPOINT s", "RELEASE s"),
    ] {
      try db.execute(sql: begin)
      try note(end, db)
      try db.execute(sql: end + "; SELECT 1")
      #expect(notes.read() == [end])
    }
    try db.begin()
    try note("method", db)
    try db.commit()
    #expect(notes.read() == ["method"])
  }

  @Test func `each kind of rollback discards the after-commit closures`() throws {
    try db.execute(sql: "INSERT INTO t VALUES (1)")
    for sql in ["ROLLBACK", "INSERT OR ROLLBACK INTO t VALUES (1)"] {
      try db.execute(sql: "BEGIN")
      try note(sql, db)
      try? db.execute(sql: sql)
      #expect(db.isInAutocommit)
    }
    try db.transaction { db, command in
      try note("command", db)
      command = .rollback
    }
    #expect(throws: ForeignError.self) {
      try db.transaction { db, _ in
        try note("thrown", db)
        throw ForeignError()
      }
    }
    let token = try db.onCommit { throw ForeignError() }
    #expect(throws: ForeignError.self) {
      try db.transaction { db, _ in
        try note("refused", db)
        try db.execute(sql: "INSERT INTO t VALUES (2)")
      }
    }
    token.cancel()
    try db.execute(sql: "BEGIN; COMMIT")
    #expect(notes.read() == [])
  }

  @Test func `rolling back a savepoint discards the after-commit closures registered in it`() throws
  {
    try db.transaction { db, _ in
      try note("before", db)
      try db.savepoint { db, command in
        try note("inside", db)
        try db.savepoint { db, _ in try note("kept by the inner one", db) }
        command = .rollback
      }
      _ = try? db.transaction { db, _ in
        try note("thrown", db)
        throw ForeignError()
      }
      try db.savepoint("s") { db, _ in
        try note("undone by SQL", db)
        try db.execute(sql: "ROLLBACK TO s")
        try note("after ROLLBACK TO", db)
      }
      try note("after", db)
    }
    #expect(notes.read() == ["before", "after ROLLBACK TO", "after"])
  }

  @Test(arguments: ["a", "\"a\"", "[A]", "'a'", "A /* ; */ ;"])
  func `ROLLBACK TO with any spelling of the savepoint's name discards the after-commit closures`(
    _ name: String
  )
    throws
  {
    try db.execute(sql: "BEGIN")
    try note("0", db)
    try db.execute(sql: "-- begin\nSAVEPOINT \(name)")
    try note("1", db)
    try db.execute(sql: "SAVEPOINT b")
    try note("2", db)
    try db.execute(sql: "RELEASE SAVEPOINT b; SAVEPOINT b")
    try note("3", db)
    try db.execute(sql: "ROLLBACK TO b")
    try note("4", db)
    try db.execute(sql: "COMMIT")
    #expect(notes.read() == ["0", "1", "2", "4"])
    try db.execute(sql: "BEGIN; SAVEPOINT b")
    try db.execute(sql: "SAVEPOINT a")
    try note("5", db)
    try db.execute(sql: "SAVEPOINT c")
    try note("6", db)
    try db.execute(sql: "ROLLBACK TRANSACTION TO SAVEPOINT \(name)")
    try db.execute(sql: "RELEASE a; RELEASE b; COMMIT")
    #expect(notes.read() == [])
  }

  @Test func `a prepared ROLLBACK TO savepoint discards the after-commit closures each time`()
    throws
  {
    let back = try db.prepare(sql: "ROLLBACK TO \"savepoint\"")
    try db.execute(sql: "BEGIN; SAVEPOINT savepoint")
    for _ in 0..<3 {
      try note("undone", db)
      try back.execute()
    }
    try note("kept", db)
    try db.execute(sql: "RELEASE SAVEPOINT savepoint; COMMIT")
    #expect(notes.read() == ["kept"])
  }

  @Test func `savepoints that SQL opened in a scope do not discard later after-commit closures`()
    throws
  {
    try db.transaction { db, _ in
      _ = try? db.transaction { db, _ in
        try db.execute(sql: "SAVEPOINT x")
        throw ForeignError()
      }
      try db.execute(sql: "SAVEPOINT x")
      try note("kept", db)
      try db.transaction { db, _ in
        try db.execute(sql: "SAVEPOINT y")
        try note("inner", db)
      }
      try db.execute(sql: "RELEASE x")
    }
    #expect(notes.read() == ["kept", "inner"])
  }

  @Test func `a failed statement discards the after-commit closures that its functions registered`()
    throws
  {
    try db.addFunction("note", arity: 0) { [notes, unowned db] _ in
      try db.afterCommit { _ in notes.add("called") }
      return .integer(1)
    }
    try db.execute(sql: "BEGIN; INSERT INTO t VALUES (1)")
    #expect(
      failure { try db.execute(sql: "INSERT INTO t VALUES (note())") }?.code.primary == .constraint)
    try db.execute(sql: "COMMIT")
    #expect(notes.read() == [])
    try db.execute(sql: "BEGIN; DELETE FROM t; INSERT INTO t VALUES (note()); COMMIT")
    #expect(notes.read() == ["called"])
  }

  @Test func `an after-commit closure from an update hook runs after the implicit transaction`()
    throws
  {
    try db.onUpdate { [notes, unowned db] change in
      try db.afterCommit { db in notes.add("\(change.rowid) \(db.isInAutocommit)") }
    }
    try db.execute(sql: "INSERT INTO t VALUES (1)")
    #expect(notes.read() == ["1 true"])
    #expect(throws: SQLiteError.self) { try db.execute(sql: "INSERT INTO t VALUES (2), (1)") }
    #expect(notes.read() == [])
    let insert = try db.prepare(sql: "INSERT INTO t VALUES (3), (4) RETURNING a")
    _ = try insert.step() as Row?
    #expect(notes.read() == [])
    try insert.reset()
    #expect(notes.read() == ["2 true", "3 true"])
  }

  @Test func `afterCommit throws outside a transaction and on a closed connection`() throws {
    #expect(failure { try note("never", db) }?.code == .misuse)
    let select = try db.prepare(sql: "SELECT 1")
    _ = try select.step() as Row?
    #expect(failure { try note("never", db) }?.code == .misuse)
    try db.close()
    #expect(failure { try note("never", db) }?.message == "The connection is closed")
  }

  @Test func `an after-commit closure can read the database and write in a new transaction`() throws
  {
    try db.transaction { db, _ in
      try db.execute(sql: "INSERT INTO t VALUES (1)")
      try db.afterCommit { [notes] db in
        notes.add((try? db.integers("SELECT a FROM t")) ?? [])
        _ = try? db.transaction { db, _ in
          try db.execute(sql: "INSERT INTO t VALUES (2)")
          try db.afterCommit { db in notes.add((try? db.integers("SELECT a FROM t")) ?? []) }
        }
        _ = try? db.transaction { db, command in
          try db.afterCommit { _ in notes.add("rolled back") }
          command = .rollback
        }
        notes.add("first")
      }
      try note("second", db)
    }
    #expect(notes.read() == ["[1]", "first", "second", "[1, 2]"])
  }

  @Test func `after-commit closures wait for a transaction that an earlier closure leaves open`()
    throws
  {
    try db.transaction { db, _ in
      try db.afterCommit { try? $0.begin() }
      try note("second", db)
    }
    #expect(!db.isInAutocommit)
    #expect(notes.read() == [])
    try db.rollback()
    #expect(notes.read() == ["second"])
  }

  @Test
  func `closing the connection discards the after-commit closures, even if one of them closes it`()
    throws
  {
    try db.execute(sql: "BEGIN")
    try note("open", db)
    try db.afterCommit { try? $0.close() }
    try note("closed", db)
    try db.execute(sql: "COMMIT")
    #expect(notes.read() == ["open"])
    #expect(!db.isOpen)
    let other = try Connection()
    try other.execute(sql: "BEGIN")
    try note("never", other)
    try other.close()
    var third: Connection? = try Connection()
    try third?.execute(sql: "BEGIN")
    try third.map { try note("never", $0) }
    third = nil
    #expect(notes.read() == [])
  }

  @Test func `a COMMIT inside a transaction body runs after-commit closures after the body`()
    throws
  {
    let error = failure {
      try db.transaction { db, _ in
        try note("committed", db)
        try? db.execute(sql: "COMMIT")
        #expect(notes.lines.isEmpty)
      }
    }
    #expect(error?.code == .misuse)
    #expect(notes.read() == ["committed"])
  }

  @Test func `an object released with an after-commit closure can use the connection`() throws {
    final class Last {
      let db: Connection
      init(_ db: Connection) { self.db = db }
      deinit { try? db.execute(sql: "INSERT INTO t VALUES (7)") }
    }
    for sql in ["COMMIT", "ROLLBACK"] {
      try db.execute(sql: "DELETE FROM t; BEGIN")
      try db.afterCommit { [last = Last(db)] _ in withExtendedLifetime(last) {} }
      try db.execute(sql: sql)
      #expect(try db.integers("SELECT a FROM t") == [7])
    }
  }
}

@Suite(.tags(.hooks)) struct `after-commit closures on files and queues` {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  @Test(arguments: [Configuration.JournalMode.delete, .wal], [false, true])
  func `the commit is visible to other connections when an after-commit closure runs`(
    _ mode: Configuration.JournalMode, _ isAttached: Bool
  ) throws {
    var configuration = Configuration()
    configuration.journalMode = mode
    let other = try Connection(path: folder.file(), configuration: configuration)
    try other.execute(sql: "CREATE TABLE t(a)")
    let db =
      isAttached
      ? try Connection() : try Connection(path: folder.file(), configuration: configuration)
    if isAttached { try db.execute("ATTACH \(folder.file()) AS more") }
    let notes = Notes()
    try db.onWALCommit { db, _ in
      // Rolling back this transaction must not undo the reported commit.
      _ = try? db.transaction { db, command in command = .rollback }
    }
    try db.transaction(.immediate) { db, _ in
      try db.execute(sql: "INSERT INTO t VALUES (1)")
      try db.afterCommit { _ in notes.add((try? other.integers("SELECT a FROM t")) ?? []) }
    }
    #expect(notes.read() == ["[1]"])
  }

  @Test func `a retried transaction runs only the after-commit closures of its last attempt`()
    throws
  {
    let queue = try ConnectionQueue(path: folder.file(), configuration: .impatientWAL)
    let other = try ConnectionQueue(path: folder.file(), configuration: .impatientWAL)
    try queue.sync { try $0.execute(sql: "CREATE TABLE t(a)") }
    let (runs, calls) = (Counter(), Counter())
    try queue.syncTransaction(.deferred, retries: 3) { connection, _ in
      runs.add()
      try connection.afterCommit { _ in calls.add() }
      _ = try connection.integers("SELECT a FROM t")
      if runs.count < 3 { try other.sync { try $0.execute(sql: "INSERT INTO t VALUES (1)") } }
      try connection.execute(sql: "INSERT INTO t VALUES (2)")
    }
    #expect(runs.count == 3)
    #expect(calls.count == 1)
  }

  @Test func `a violated deferred constraint does not discard the after-commit closures`()
    throws
  {
    let db = try Connection()
    let notes = Notes()
    try db.execute(
      sql: """
        CREATE TABLE p(id INTEGER PRIMARY KEY);
        CREATE TABLE c(p REFERENCES p DEFERRABLE INITIALLY DEFERRED);
        BEGIN; INSERT INTO c VALUES (1)
        """)
    try db.afterCommit { _ in notes.add("committed") }
    #expect(failure { try db.commit() }?.code == .constraintForeignKey)
    #expect(notes.read() == [])
    try db.execute(sql: "INSERT INTO p VALUES (1); COMMIT")
    #expect(notes.read() == ["committed"])
  }

  @Test(arguments: [Configuration.JournalMode.delete, .wal])
  func `a failed commit runs no after-commit closure`(_ mode: Configuration.JournalMode) throws {
    let memory = MemoryFileSystem()
    let plain = try RegisteredFileSystem(memory)
    let files = try FaultyFileSystem(over: memory)
    var (failures, commits) = (0, 0)
    _ = try files.failEachCall(with: .error()) { attempt in
      let path = "\(attempt.number).db"
      let first = try plain.connection(path)
      try first.execute(sql: "CREATE TABLE t(a); PRAGMA journal_mode = \(mode.rawValue)")
      try first.close()
      let db = try files.connection(path)
      defer { try? db.close() }
      let notes = Notes()
      let error = try attempt.failing {
        try db.transaction { db, _ in
          try db.execute(sql: "INSERT INTO t VALUES (1)")
          try db.afterCommit { _ in notes.add("committed") }
        }
      }
      if error == nil { commits += 1 } else { failures += 1 }
      #expect(notes.read() == (error == nil ? ["committed"] : []), "\(error as Any)")
    }
    #expect(failures > 3 && commits > 0)
  }
}
