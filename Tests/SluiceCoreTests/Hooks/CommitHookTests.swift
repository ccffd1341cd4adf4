import CSluice
import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.hooks), .inEachThreadingMode) struct `commit and rollback hooks` {
  let db: Connection
  let notes = Notes()

  init() throws {
    db = try Connection.inTestedMode()
    try db.execute(sql: "CREATE TABLE t(a)")
  }

  private var rows: [Int] { get throws { try db.integers("SELECT a FROM t") } }

  private func noteAll() throws {
    try db.onCommit { [notes] in notes.add("commit") }
    try db.onRollback { [notes] in notes.add("rollback") }
  }

  @Test func `commit and rollback hooks observe each transaction that writes`() throws {
    try noteAll()
    try db.execute(sql: "INSERT INTO t VALUES (1)")
    #expect(notes.read() == ["commit"])
    try db.transaction { db, _ in try db.execute(sql: "INSERT INTO t VALUES (2)") }
    #expect(notes.read() == ["commit"])
    try db.execute(sql: "BEGIN; INSERT INTO t VALUES (3); ROLLBACK; SELECT * FROM t")
    #expect(notes.read() == ["rollback"])
    try db.transaction { db, command in
      try db.execute(sql: "INSERT INTO t VALUES (3)")
      command = .rollback
    }
    #expect(notes.read() == ["rollback"])
    try db.transaction { db, _ in _ = try db.integers("SELECT a FROM t") }
    #expect(try rows == [1, 2])
    #expect(notes.read() == [])
  }

  @Test func `rolling back the outermost savepoint calls the rollback hook only`() throws {
    try noteAll()
    let refusal = try db.onCommit { throw ForeignError("not today") }
    for name in [nil, "s"] {
      try db.savepoint(name) { db, command in
        try db.execute(sql: "INSERT INTO t VALUES (1)")
        command = .rollback
      }
      #expect(notes.read() == ["rollback"])
      #expect(throws: ForeignError("body")) {
        try db.savepoint(name) { db in
          try db.savepoint { db in try db.execute(sql: "INSERT INTO t VALUES (1)") }
          throw ForeignError("body")
        }
      }
      #expect(notes.read() == ["rollback"])
      try db.savepoint(name) { db, command in
        _ = try db.integers("SELECT a FROM t")
        command = .rollback
      }
      #expect(notes.read() == ["rollback"])
    }
    refusal.cancel()
    try db.savepoint { db in
      try db.savepoint { db, command in
        try db.execute(sql: "INSERT INTO t VALUES (1)")
        command = .rollback
      }
      try db.execute(sql: "INSERT INTO t VALUES (2)")
      #expect(notes.lines.isEmpty)
    }
    #expect(notes.read() == ["commit"])
    try db.savepoint { db in _ = try db.integers("SELECT a FROM t") }
    #expect(notes.read() == [])
    #expect(try rows == [2])
    #expect(db.isInAutocommit)
  }

  @Test func `a savepoint in a transaction of the program leaves its end to the program`() throws {
    try noteAll()
    for begin in ["BEGIN", "SAVEPOINT outer"] {
      try db.execute(sql: begin)
      try db.savepoint { db, command in
        try db.execute(sql: "INSERT INTO t VALUES (1)")
        command = .rollback
      }
      #expect(!db.isInAutocommit)
      #expect(notes.read() == [])
      try db.execute(sql: "INSERT INTO t VALUES (2)")
      try db.execute(sql: "COMMIT")
      #expect(notes.read() == ["commit"])
    }
    #expect(try rows == [2, 2])
  }

  @Test func `an automatic rollback calls the rollback hook`() throws {
    try db.execute(sql: "CREATE UNIQUE INDEX i ON t(a); INSERT INTO t VALUES (1); BEGIN")
    try noteAll()
    #expect(failure { try db.execute(sql: "INSERT OR ROLLBACK INTO t VALUES (1)") } != nil)
    #expect(notes.read() == ["rollback"])
    #expect(db.isInAutocommit)
  }

  @Test func `closing the connection inside a transaction does not call the hooks`() throws {
    try noteAll()
    try db.execute(sql: "BEGIN; INSERT INTO t VALUES (1)")
    try db.close()
    #expect(notes.read() == [])
  }

  @Test func `an error thrown by a commit hook rolls back and is rethrown by the statement`() throws
  {
    try noteAll()
    let token = try db.onCommit { throw ForeignError("not today") }
    for sql in ["INSERT INTO t VALUES (1)", "BEGIN; INSERT INTO t VALUES (1); COMMIT"] {
      #expect(throws: ForeignError("not today")) { try db.execute(sql: sql) }
      #expect(db.isInAutocommit)
      #expect(notes.read() == ["commit", "rollback"])
    }
    #expect(try rows == [])
    token.cancel()
    try db.execute(sql: "INSERT INTO t VALUES (1)")
    #expect(try rows == [1])
  }

  @Test func `an SQLiteError thrown by a commit hook keeps its result code`() throws {
    try db.onCommit { throw SQLiteError(.full, "enough") }
    #expect(failure { try db.execute(sql: "INSERT INTO t VALUES (1)") }?.code == .full)
  }

  @Test(arguments: [false, true])
  func `a scope whose commit a hook rejects is rolled back and rethrows the hook's error`(
    _ isSavepoint: Bool
  ) throws {
    var isStrict = true
    try db.onCommit { if isStrict { throw ForeignError("not today") } }
    let error = foreignFailure {
      if isSavepoint {
        try db.savepoint { db, _ in try db.execute(sql: "INSERT INTO t VALUES (1)") }
      } else {
        try db.transaction { db, _ in try db.execute(sql: "INSERT INTO t VALUES (1)") }
      }
    }
    #expect(error?.description == "not today")
    #expect(db.isInAutocommit)
    #expect(try rows == [])
    isStrict = false
    try db.transaction { db, _ in try db.execute(sql: "INSERT INTO t VALUES (2)") }
    #expect(try rows == [2])
  }

  @Test func `a queue remains usable after a commit hook rejects a commit`() throws {
    let queue = try ConnectionQueue()
    try queue.sync { db in
      try db.execute(sql: "CREATE TABLE t(a)")
      try db.onCommit { throw ForeignError("not today") }
    }
    let error = foreignFailure {
      try queue.syncTransaction { db, _ in try db.execute(sql: "INSERT INTO t VALUES (1)") }
    }
    #expect(error?.description == "not today")
    #expect(try queue.sync { db in try db.integers("SELECT count(*) FROM t") } == [0])
  }

  @Test func `several commit hooks are called in order until one throws`() throws {
    for name in ["a", "b", "c"] {
      try db.onCommit { [notes] in
        notes.add(name)
        if name == "b" { throw ForeignError(name) }
      }
    }
    #expect(throws: ForeignError("b")) { try db.execute(sql: "INSERT INTO t VALUES (1)") }
    #expect(notes.read() == ["a", "b"])
  }

  @Test func `a RETURNING row is rolled back if its commit fails at the reset`() throws {
    try db.onCommit { throw ForeignError("not today") }
    let insert = try db.prepare(sql: "INSERT INTO t VALUES (1) RETURNING a")
    #expect(try insert.step() != nil)
    #expect(throws: ForeignError("not today")) { try insert.reset() }
    #expect(try rows == [])
  }

  @Test
  func `a commit hook's error that no caller receives does not affect later statements`() throws {
    let token = try db.onCommit { throw ForeignError("not today") }
    do {
      let insert = try db.prepare(sql: "INSERT INTO t VALUES (1) RETURNING a")
      #expect(try insert.step() != nil)
    }
    token.cancel()
    let error = failure { try db.execute(sql: "INSERT INTO nowhere VALUES (1)") }
    #expect(error?.message == "no such table: nowhere")
    #expect(try rows == [])
  }

  @Test func `a connection adopted from C calls its rollback hooks`() throws {
    let db = try unsafe Connection(adopting: openedByC())
    try db.execute(sql: "CREATE TABLE t(a)")
    try db.onRollback { [notes] in notes.add("rollback") }
    try db.execute(sql: "BEGIN; INSERT INTO t VALUES (1); ROLLBACK")
    #expect(notes.read() == ["rollback"])
    try db.addFunction("undo", arity: 0) { [unowned db] _ in
      try db.rollback()
      return 1
    }
    try db.begin()
    #expect(failure { try db.execute(sql: "INSERT INTO t SELECT undo()") }?.code == .abortRollback)
    #expect(try db.integers("SELECT a FROM t") == [])
  }

  @Test func `cancelling the last observer removes the commit and update hooks from SQLite`() throws
  {
    let handle = try unsafe openedByC()
    let db = unsafe Connection(adopting: handle)
    let token = try db.onCommit {}
    token.cancel()
    try db.execute(sql: "SELECT 1")
    let marker = unsafe UnsafeMutableRawPointer(bitPattern: 8)
    #expect(unsafe sqlite3_commit_hook(handle, nil, marker) == nil)
    #expect(unsafe sqlite3_update_hook(handle, nil, marker) == nil)
    unsafe sqlite3_commit_hook(handle, nil, nil)
    unsafe sqlite3_update_hook(handle, nil, nil)
  }
}
