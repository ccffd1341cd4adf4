import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.hooks, .monitoring), .inEachThreadingMode) struct `tracing` {
  let db: Connection
  let notes = Notes()

  init() throws {
    db = try Connection.inTestedMode()
    try db.execute(sql: "CREATE TABLE t(a)")
  }

  @Test func `a trace reports the start, rows and end of a statement, and the close`() throws {
    var identities: Set<UInt?> = []
    try db.trace([.statement, .row, .profile, .close]) { [notes] event in
      switch event.kind {
      case .profile(let duration): notes.add("profile \(duration >= .zero)")
      default: notes.add("\(event.kind) \(event.sql ?? "-")")
      }
      if event.kind != .close { identities.insert(event.statementID) }
    }
    let sql = "VALUES (1), (2) -- all"
    try db.execute(sql: sql)
    #expect(notes.read() == ["statement \(sql)", "row \(sql)", "row \(sql)", "profile true"])
    #expect(identities.count == 1 && identities.first != .some(nil))
    try db.close()
    #expect(notes.read().last == "close -")
  }

  @Test func `a trace reports only the requested events`() throws {
    let row = try db.trace(.row) { [notes] event in notes.add(event.kind) }
    try db.trace(.statement) { [notes] event in notes.add("\(event.kind) \(event.duration == nil)")
    }
    try db.execute(sql: "SELECT 1")
    #expect(notes.read() == ["statement true", "row"])
    row.cancel()
    try db.execute(sql: "SELECT 1")
    #expect(notes.read() == ["statement true"])
  }

  @Test func `the expanded SQL of a trace event contains the bound values`() throws {
    try db.trace(.profile) { [notes] event in notes.add(event.expandedSQL ?? "-") }
    try db.execute(sql: "INSERT INTO t VALUES (?)", parameters: "it's")
    #expect(notes.read() == ["INSERT INTO t VALUES ('it''s')"])
  }

  @Test func `a trace distinguishes triggers from statements that begin with a comment`() throws {
    try db.execute(sql: "CREATE TABLE u(a)")
    try db.execute(
      sql: "CREATE TRIGGER r AFTER INSERT ON t BEGIN INSERT INTO u VALUES (new.a); END")
    try db.addFunction("nested", arity: 0) { [unowned db] _ in
      try db.value("/* inner */ SELECT 7")
    }
    try db.trace(.statement) { [notes] event in notes.add("\(event.kind): \(event.sql ?? "-")") }
    let sql = "-- TRIGGER no\nINSERT INTO t VALUES (1)"
    try db.execute(sql: sql)
    let trigger = notes.read()
    #expect(trigger.prefix(2) == ["statement: \(sql)", "trigger: -- TRIGGER r"])
    #expect(trigger.last?.hasPrefix("trigger: -- INSERT INTO u") == true)
    try db.execute(sql: "SELECT nested()")
    #expect(notes.read() == ["statement: SELECT nested()", "statement: /* inner */ SELECT 7"])
  }

  @Test func `a trace reports a failed statement and does not change its error`() throws {
    try db.trace(.profile) { [notes] event in notes.add(event.sql ?? "-") }
    let sql = "SELECT abs(-9223372036854775808)"
    #expect(failure { try db.execute(sql: sql) }?.message == "integer overflow")
    #expect(notes.read() == [sql])
  }

  @Test func `a trace reports the BEGIN and COMMIT of a transaction scope`() throws {
    try db.trace(.statement) { [notes] event in notes.add(event.sql ?? "-") }
    try db.transaction { _, _ in }
    #expect(notes.read() == ["BEGIN DEFERRED", "COMMIT"])
  }

  @Test func `a trace reports the close of a deallocated connection`() throws {
    do {
      let db = try Connection.inTestedMode()
      try db.trace([.close, .statement]) { [notes] event in notes.add(event.kind) }
    }
    #expect(notes.read().last == "close")
  }
}
