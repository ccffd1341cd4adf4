import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.hooks), .inEachThreadingMode) struct `update hooks` {
  let db: Connection
  let notes = Notes()

  init() throws {
    db = try Connection.inTestedMode()
    try db.execute(sql: "CREATE TABLE t(a); CREATE TABLE w(a PRIMARY KEY) WITHOUT ROWID")
  }

  private var rows: [Int] { get throws { try db.integers("SELECT a FROM t") } }

  @Test func `an update hook observes row changes, except truncation and WITHOUT ROWID tables`()
    throws
  {
    try db.onUpdate { [notes] in notes.add("\($0.operation) \($0.schema).\($0.table) \($0.rowid)") }
    try db.execute(sql: "INSERT INTO t VALUES (1), (2)")
    #expect(notes.read() == ["insert main.t 1", "insert main.t 2"])
    try db.execute(sql: "UPDATE t SET rowid = 7 WHERE a = 2; CREATE TEMP TABLE s(a)")
    #expect(notes.read() == ["update main.t 7"])
    try db.execute(sql: "DELETE FROM t WHERE a = 1; INSERT INTO s VALUES (1)")
    #expect(notes.read() == ["delete main.t 1", "insert temp.s 1"])
    try db.execute(sql: "DELETE FROM t; INSERT INTO w VALUES (1)")
    #expect(notes.read() == [])
  }

  @Test
  func `an update hook observes each row of a DELETE for which the authorizer returns ignore`()
    throws
  {
    try db.execute(sql: "INSERT INTO t VALUES (1), (2)")
    try db.onUpdate { [notes] in notes.add("\($0.operation) \($0.rowid)") }
    try db.authorize { if case .delete = $0.action { .ignore } else { .allow } }
    try db.execute(sql: "DELETE FROM t")
    #expect(notes.read() == ["delete 1", "delete 2"])
    #expect(try rows == [])
  }

  @Test(arguments: [
    "INSERT INTO t VALUES (1), (2), (3)", "INSERT INTO t VALUES (1), (2), (3) RETURNING a",
  ])
  func `an error thrown by an update hook rolls back the statement and is rethrown`(_ sql: String)
    throws
  {
    var isStrict = true
    try db.onUpdate { [notes] change in
      notes.add(change.rowid)
      if isStrict, change.rowid == 2 { throw ForeignError("not this row") }
    }
    try db.onRollback { [notes] in notes.add("rollback") }
    #expect(throws: ForeignError("not this row")) { try db.execute(sql: sql) }
    #expect(notes.read() == ["1", "2", "rollback"])
    #expect(try rows == [])
    isStrict = false
    try db.execute(sql: sql)
    #expect(try rows == [1, 2, 3])
  }

  @Test func `an error thrown by an update hook ends the transaction, and later writes throw`()
    throws
  {
    try db.onUpdate { if $0.rowid == 2 { throw SQLiteError(.constraint, "not this row") } }
    let error = failure {
      try db.transaction { db, _ in
        try db.execute(sql: "INSERT INTO t VALUES (1)")
        let error = failure { try db.execute(sql: "INSERT INTO t VALUES (2) RETURNING a") }
        #expect(error?.code == .constraint)
        let next = failure { try db.execute(sql: "INSERT INTO w VALUES (1)") }
        #expect(next == error)
      }
    }
    #expect(error?.message == "not this row")
    #expect(try rows == [])
    #expect(try db.integers("SELECT count(*) FROM w") == [0])
  }

  @Test func `an error thrown by an update hook also rolls back other writing statements`() throws {
    let other = try db.prepare(sql: "INSERT INTO t VALUES (1), (2) RETURNING a")
    #expect(try other.step() != nil)
    try db.onUpdate { _ in throw ForeignError("not this row") }
    #expect(throws: ForeignError("not this row")) {
      try db.execute(sql: "INSERT INTO t VALUES (3)")
    }
    // The rows that `other` returned are rolled back, which only its next step can report.
    #expect(failure { while try other.step() != nil {} }?.code.primary != .misuse)
    #expect(try rows == [])
    #expect(db.isInAutocommit)
  }

  @Test
  func `an update hook's error fails the statement run by a function, not the calling statement`()
    throws
  {
    try db.onUpdate { if $0.table == "t" { throw ForeignError("not this table") } }
    try db.addFunction("write", arity: 0) { [unowned db] _ in
      let error = foreignFailure { try db.execute(sql: "INSERT INTO t VALUES (1)") }
      return .text(error?.description ?? "no error")
    }
    #expect(try db.value("SELECT write()") == "not this table")
    #expect(try rows == [])
    try db.execute(sql: "CREATE TABLE u(a)")
    try db.execute(sql: "INSERT INTO u VALUES (1)")
  }
}
