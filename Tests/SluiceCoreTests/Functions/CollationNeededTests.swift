import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.collations)) struct `collations supplied on demand` {
  let connection: Connection

  init() throws {
    connection = try Connection()
    try connection.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES ('a'), ('b')")
  }

  private func sorted(_ collation: String) throws -> [DatabaseValue] {
    try connection.column("SELECT a FROM t ORDER BY a COLLATE \(collation)")
  }

  @Test func `a collation supplier is called once, and the statement uses its collation`() throws {
    let log = Log()
    try connection.onCollationNeeded { [unowned own = self.connection] connection, name in
      log.entries.append(name)
      #expect(connection === own)
      try connection.addReversed(name)
    }
    #expect(try sorted("reversed") == ["b", "a"])
    #expect(try sorted("reversed") == ["b", "a"])
    #expect(log.entries == ["reversed"])
    #expect(try sorted("\"other one\"") == ["b", "a"])
    #expect(log.entries == ["reversed", "other one"])
  }

  @Test func `a statement throws if the collation supplier does not add the collation`() throws {
    let log = Log()
    try connection.onCollationNeeded { _, name in log.entries.append(name) }
    let error = failure { try sorted("reversed") }
    #expect(error?.code == .errorMissingCollation)
    #expect(error?.message == "no such collation sequence: reversed")
    #expect(log.entries.first == "reversed")
    #expect(try connection.value("SELECT 1") == 1)
  }

  @Test func `the statement rethrows an error of the collation supplier with its code and message`()
    throws
  {
    try connection.onCollationNeeded { _, name in
      throw SQLiteError(.permission, "no \(name) here")
    }
    let error = failure { try sorted("reversed") }
    #expect(error?.code == .permission)
    #expect(error?.message == "no reversed here")
    try connection.onCollationNeeded { _, _ in throw ForeignError("unknown") }
    #expect(throws: ForeignError("unknown")) { try sorted("reversed") }
    #expect(
      failure { try connection.execute(sql: "nonsense") }?.message.contains("syntax error") == true)
  }

  @Test
  func
    `an error that a supplier throws after adding its collation does not affect a later statement`()
    throws
  {
    try connection.onCollationNeeded { connection, name in
      try connection.addReversed(name)
      throw ForeignError("too late")
    }
    let own = foreignFailure { try sorted("reversed") }
    #expect(own == nil || own?.description == "too late")
    let error = failure { try connection.execute(sql: "INSERT INTO nowhere VALUES (1)") }
    #expect(error?.message == "no such table: nowhere")
  }

  @Test
  func `an error that a supplier throws during a re-prepare does not affect a later statement`()
    throws
  {
    try connection.addReversed("reversed")
    let statement = try connection.prepare(sql: "SELECT a FROM t ORDER BY a COLLATE reversed")
    try connection.addFunction("refuse", arity: 0) { _ in throw ForeignError("its own") }
    let failing = try connection.prepare(sql: "SELECT refuse()")
    #expect(foreignFailure { try failing.execute() }?.description == "its own")
    let tally = Tally()
    try connection.onCollationNeeded { connection, name in
      tally.count += 1
      try connection.addReversed(name)
      throw ForeignError("too late")
    }
    try connection.removeCollation("reversed")
    #expect(try statement.query(.column(.string)) == ["b", "a"])
    #expect(tally.count == 1)
    #expect(foreignFailure { try failing.execute() }?.description == "its own")
  }

  @Test func `a removed or replaced collation supplier is not called`() throws {
    let log = Log()
    try connection.onCollationNeeded { _, _ in log.entries.append("first") }
    try connection.onCollationNeeded { connection, name in
      log.entries.append("second")
      try connection.addReversed(name)
    }
    #expect(try sorted("one") == ["b", "a"])
    try connection.onCollationNeeded(nil)
    #expect(failure { try sorted("two") }?.message == "no such collation sequence: two")
    #expect(log.entries == ["second"])
  }

  @Test func `a collation supplier cannot roll back the transaction that created the table`() throws
  {
    try connection.onCollationNeeded { connection, name in
      #expect(failure { try connection.rollback() }?.code == .misuse)
      try connection.addReversed(name)
    }
    try connection.begin()
    try connection.execute(sql: "CREATE TABLE u(a, b); CREATE INDEX i ON u(b)")
    let error = failure {
      try connection.column("SELECT a FROM u WHERE b = 'x' ORDER BY a COLLATE reversed")
    }
    #expect(error == nil)
    try connection.rollback()
    #expect(try connection.value("PRAGMA integrity_check") == "ok")
  }

  @Test func `a collation supplier cannot drop the table that its statement uses`() throws {
    try connection.onCollationNeeded { connection, name in
      try connection.execute(sql: "DROP TABLE t")
    }
    #expect(failure { try sorted("reversed") }?.code == .misuse)
    #expect(try connection.integers("SELECT count(*) FROM t") == [2])
    #expect(try connection.value("PRAGMA integrity_check") == "ok")
  }

  @Test
  func `a collation supplier cannot remove or replace itself, or functions and collations in use`()
    throws
  {
    let connection = try Connection()
    try connection.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES ('x'), ('y')")
    try connection.addFunction("f") { (text: String) in text }
    try connection.addCollation("k") { SQLOrder($0, $1) }
    var refusals: [ResultCode?] = []
    try connection.onCollationNeeded { connection, name in
      refusals = [
        failure { try connection.removeFunction("f", arity: 1) }?.code,
        failure { try connection.addFunction("f") { (text: String) in 1 } }?.code,
        failure { try connection.removeCollation("k") }?.code,
        failure { try connection.onCollationNeeded(nil) }?.code,
      ]
      try connection.addCollation(name) { SQLOrder($0, $1) }
    }
    let rows = try connection.query(
      .column(.string),
      sql: """
        SELECT f(a) FROM t UNION ALL SELECT a FROM t WHERE a COLLATE k < 'zz' AND a COLLATE u < 'zz'
        """)
    #expect(rows == ["x", "y", "x", "y"])
    #expect(refusals == [.misuse, .misuse, .misuse, .misuse])
  }

  @Test
  func `the deinit of an object that a replaced supplier captured can remove the new supplier`()
    throws
  {
    final class OnRelease {
      private let action: () -> Void
      init(_ action: @escaping () -> Void) { self.action = action }
      deinit { action() }
    }
    let connection = try Connection()
    var count = 0
    func add() throws {
      let witness = OnRelease { [connection] in
        count += 1
        try? connection.onCollationNeeded(nil)
      }
      try connection.onCollationNeeded { [witness] _, _ in withExtendedLifetime(witness) {} }
    }
    try add()
    try connection.onCollationNeeded { _, _ in }
    #expect(count == 1)
    #expect(failure { try connection.execute(sql: "SELECT 'a' < 'b' COLLATE u") } != nil)
  }
}

extension Connection {
  fileprivate func addReversed(_ name: String) throws {
    try addCollation(name) { (a: String, b: String) in SQLOrder(b, a) }
  }
}
