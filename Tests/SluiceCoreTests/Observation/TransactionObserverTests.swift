import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.hooks), .inEachThreadingMode) struct `transaction observers` {
  let db: Connection
  let log = Log()

  /// An observer that records its notifications.
  final class Log: TransactionObserver {
    let notes = Notes()
    var refusal: (any Error)?

    func databaseDidChange(with change: RowChange) {
      notes.add("\(change.operation) \(change.table) \(change.rowid)")
    }
    func databaseWillCommit() throws {
      notes.add("will commit")
      if let refusal { throw refusal }
    }
    func databaseDidCommit(_ connection: Connection) {
      notes.add("committed \((try? connection.integers("SELECT count(*) FROM t")[0]) ?? -1)")
    }
    func databaseDidRollback(_ connection: Connection) {
      notes.add("rolled back \((try? connection.integers("SELECT count(*) FROM t")[0]) ?? -1)")
    }
  }

  init() throws {
    db = try Connection.inTestedMode()
    try db.execute(sql: "CREATE TABLE t(a UNIQUE)")
    try db.add(transactionObserver: log)
  }

  private var notes: [String] { log.notes.read() }

  @Test func `a transaction observer receives the row changes and then the commit`() throws {
    try db.execute(sql: "INSERT INTO t VALUES (1), (2)")
    #expect(notes == ["insert t 1", "insert t 2", "will commit", "committed 2"])
    try db.transaction { db, _ in
      try db.execute(sql: "UPDATE t SET a = 3 WHERE a = 1")
      try db.execute(sql: "DELETE FROM t WHERE a = 2")
      #expect(log.notes.lines.isEmpty)
    }
    #expect(notes == ["update t 1", "delete t 2", "will commit", "committed 1"])
    try db.transaction { db, _ in _ = try db.integers("SELECT a FROM t") }
    #expect(notes == [])
  }

  @Test func `a transaction observer does not receive row changes of a rolled-back savepoint`()
    throws
  {
    try db.transaction { db, _ in
      try db.execute(sql: "INSERT INTO t VALUES (1)")
      _ = try? db.transaction { db, _ in
        try db.execute(sql: "INSERT INTO t VALUES (2)")
        throw ForeignError()
      }
      try db.savepoint { db, _ in try db.execute(sql: "INSERT INTO t VALUES (3)") }
      try db.execute(sql: "SAVEPOINT s; INSERT INTO t VALUES (4); ROLLBACK TO s; RELEASE s")
      try db.execute(sql: "SAVEPOINT s; INSERT INTO t VALUES (5); RELEASE s")
    }
    #expect(
      notes == ["insert t 1", "insert t 2", "insert t 3", "will commit", "committed 3"])
    #expect(try db.integers("SELECT a FROM t") == [1, 3, 5])
  }

  @Test func `a transaction observer is told that the outermost savepoint was rolled back`() throws
  {
    try db.savepoint { db, command in
      try db.execute(sql: "INSERT INTO t VALUES (1)")
      try db.afterCommit { [log] _ in log.notes.add("after commit") }
      command = .rollback
    }
    #expect(notes == ["rolled back 0"])
    log.refusal = ForeignError("not today")
    try db.savepoint { db, command in
      try db.execute(sql: "INSERT INTO t VALUES (1)")
      command = .rollback
    }
    #expect(notes == ["rolled back 0"])
    #expect(throws: ForeignError("not today")) {
      try db.savepoint { db in try db.execute(sql: "INSERT INTO t VALUES (1)") }
    }
    #expect(notes == ["insert t 1", "will commit", "rolled back 0"])
  }

  @Test func `a transaction observer receives the rows of a failed statement only with OR FAIL`()
    throws
  {
    try db.execute(sql: "BEGIN; INSERT INTO t VALUES (1)")
    #expect(failure { try db.execute(sql: "INSERT INTO t VALUES (2), (1)") } != nil)
    #expect(failure { try db.execute(sql: "INSERT OR FAIL INTO t VALUES (3), (1)") } != nil)
    try db.execute(sql: "COMMIT")
    #expect(notes == ["insert t 1", "insert t 2", "will commit", "committed 2"])
    #expect(try db.integers("SELECT a FROM t") == [1, 3])
  }

  @Test func `each transaction observer receives a commit before the next transaction begins`()
    throws
  {
    final class Writer: TransactionObserver {
      var hasWritten = false
      let sql: String
      init(_ sql: String) { self.sql = sql }
      func databaseDidCommit(_ connection: Connection) {
        guard !hasWritten else { return }
        hasWritten = true
        #expect(failure { try connection.execute(sql: sql) } == nil)
      }
    }
    for (number, sql) in ["INSERT INTO t VALUES (10)", "BEGIN; INSERT INTO t VALUES (11); COMMIT"]
      .enumerated()
    {
      let other = try Connection.inTestedMode()
      try other.execute(sql: "CREATE TABLE t(a)")
      let log = Log()
      try other.add(transactionObserver: Writer(sql))
      try other.add(transactionObserver: log)
      try other.execute(sql: "INSERT INTO t VALUES (1)")
      #expect(
        log.notes.read() == [
          "insert t 1", "will commit", "committed 1", "insert t 2", "will commit", "committed 2",
        ], "\(number)")
    }
  }

  @Test func `a transaction observer that is cancelled during a row change receives nothing more`()
    throws
  {
    final class Cancelled: TransactionObserver {
      var token: HookToken?
      var count = 0
      func databaseDidChange(with change: RowChange) {
        count += 1
        token?.cancel()
      }
      func databaseWillCommit() throws { count += 100 }
    }
    let observer = Cancelled()
    observer.token = try db.add(transactionObserver: observer)
    try db.execute(sql: "INSERT INTO t VALUES (1), (2)")
    #expect(observer.count == 1)
  }

  @Test func `a transaction observer receives a rollback without row changes`() throws {
    try db.execute(sql: "BEGIN; INSERT INTO t VALUES (1); ROLLBACK")
    #expect(notes == ["rolled back 0"])
    try db.transaction { db, command in
      try db.execute(sql: "INSERT INTO t VALUES (1)")
      command = .rollback
    }
    #expect(notes == ["rolled back 0"])
    try db.execute(sql: "BEGIN; INSERT INTO t VALUES (1)")
    try db.close()
    #expect(notes == [])
  }

  @Test func `a transaction observer can reject a commit`() throws {
    log.refusal = ForeignError("not today")
    #expect(throws: ForeignError("not today")) {
      try db.transaction { db, _ in try db.execute(sql: "INSERT INTO t VALUES (1)") }
    }
    #expect(notes == ["insert t 1", "will commit", "rolled back 0"])
    #expect(throws: ForeignError("not today")) { try db.execute(sql: "INSERT INTO t VALUES (1)") }
    #expect(notes == ["insert t 1", "will commit", "rolled back 0"])
    log.refusal = nil
    try db.execute(sql: "INSERT INTO t VALUES (1)")
    #expect(notes.last == "committed 1")
  }

  @Test func `a connection retains a transaction observer until its token is cancelled`() throws {
    weak var kept: Log?
    let token: HookToken
    do {
      let other = Log()
      kept = other
      token = try db.add(transactionObserver: other)
    }
    try db.execute(sql: "INSERT INTO t VALUES (1)")
    #expect(kept?.notes.read().count == 3)
    token.cancel()
    try db.execute(sql: "INSERT INTO t VALUES (2)")
    #expect(kept == nil)
    #expect(notes.count == 6)
  }

  @Test func `a transaction observer added inside a transaction receives the remaining changes`()
    throws
  {
    let other = Log()
    try db.execute(sql: "BEGIN; SAVEPOINT a; INSERT INTO t VALUES (1)")
    try db.add(transactionObserver: other)
    try db.execute(sql: "INSERT INTO t VALUES (2); ROLLBACK TO a")
    try db.transaction { db, command in
      try db.execute(sql: "INSERT INTO t VALUES (3)")
      try db.transaction { db, _ in try db.execute(sql: "INSERT INTO t VALUES (4)") }
      command = .rollback
    }
    try db.execute(sql: "INSERT INTO t VALUES (5); COMMIT")
    #expect(other.notes.read() == ["insert t 1", "will commit", "committed 1"])
  }

  @Test func `a transaction observer can write after a commit and receives its own commits`() throws
  {
    final class Follower: TransactionObserver {
      var count = 0
      func databaseDidCommit(_ connection: Connection) {
        count += 1
        if count < 3 { try? connection.execute("INSERT INTO t VALUES (\(count))") }
      }
    }
    let follower = Follower()
    try db.add(transactionObserver: follower)
    try db.execute(sql: "INSERT INTO t VALUES (0)")
    #expect(follower.count == 3)
    #expect(try db.integers("SELECT a FROM t") == [0, 1, 2])
  }

  @Test(.enabled(if: SQLiteLibrary.has(.preUpdateHook)))
  func `a transaction observer receives replaced rows and rows of a DELETE without WHERE`() throws {
    try db.execute(sql: "INSERT INTO t VALUES (1); REPLACE INTO t VALUES (1)")
    #expect(notes.suffix(4) == ["delete t 1", "insert t 2", "will commit", "committed 1"])
    try db.execute(sql: "DELETE FROM t")
    #expect(notes == ["delete t 2", "will commit", "committed 0"])
  }
}
