import SluiceCore
import TestSupport
import Testing

/// SQLite releases a closure while it still works on the closure's function or collation.
///
/// The deinits that run at that time may call any method.
@Suite(.tags(.connections)) struct `deinits that call the connection` {
  final class OnRelease: @unchecked Sendable {
    private let action: () -> Void
    init(_ action: @escaping () -> Void) { self.action = action }
    deinit { action() }
  }

  final class Payload { let text = String(repeating: "payload", count: 10) }

  final class Log { var entries: [String] = [] }

  let connection: Connection
  let log = Log()

  init() throws { connection = try Connection() }

  private func addFunction() throws {
    let payload = Payload()
    let witness = OnRelease { [connection, log] in
      let rows = try? connection.query(.column(.string), sql: "SELECT f(1)")
      log.entries.append(rows?.first ?? "gone")
    }
    try connection.addFunction("f") { [payload, witness] (value: Int) in
      withExtendedLifetime(witness) { payload.text }
    }
  }

  private func addCollation() throws {
    let payload = Payload()
    let witness = OnRelease { [connection, log] in
      let rows = try? connection.query(.column(.int), sql: "SELECT 'a' < 'b' COLLATE k")
      log.entries.append(rows.map { "\($0)" } ?? "gone")
      try? connection.removeCollation("k")
    }
    try connection.addCollation("k") { [payload, witness] first, second in
      withExtendedLifetime((payload, witness)) { SQLOrder(first, second) }
    }
  }

  @Test func `a deinit that runs during a function's removal cannot call the function`() throws {
    try addFunction()
    try connection.removeFunction("f", arity: 1)
    #expect(log.entries == ["gone"])
  }

  @Test func `a deinit that runs during a function's replacement calls the new function`() throws {
    try addFunction()
    try connection.addFunction("f") { (value: Int) in "new" }
    #expect(log.entries == ["new"])
  }

  @Test func `a deinit that runs during a collation's removal cannot use the collation`() throws {
    try addCollation()
    try connection.removeCollation("k")
    #expect(log.entries == ["gone"])
  }

  @Test func `a deinit that runs during a collation's replacement can remove the new collation`()
    throws
  {
    try addCollation()
    try connection.addCollation("k") { SQLOrder($1, $0) }
    #expect(log.entries == ["[0]"])
    #expect(throws: SQLiteError.self) {
      try connection.execute(sql: "SELECT 'a' < 'b' COLLATE k")
    }
  }

  @Test func `a deinit that runs during closing cannot call the function`() throws {
    try addFunction()
    try connection.close()
    #expect(log.entries == ["gone"])
  }

  /// Adds a function `once` that returns an object, and a function `take` that receives this object.
  ///
  /// SQLite releases the object within the step; the first deinit runs `act`.
  private func addCarriers(_ act: @escaping () -> Void) throws {
    let isArmed = Tally()
    isArmed.count = 1
    try connection.addFunction("once", arity: 0) { values in
      try values.setResultObject(
        OnRelease {
          guard isArmed.count > 0 else { return }
          isArmed.count = 0
          act()
        })
      return .null
    }
    try connection.addFunction("take", arity: 1) { _ in 7 }
  }

  /// Adds a function that retains an object while the statement runs; the first deinit runs `act`.
  private func addKeeper(_ act: @escaping () -> Void) throws {
    let isArmed = Tally()
    isArmed.count = 1
    try connection.addFunction("keep", arity: 1) { values in
      _ = try values.auxiliaryData(at: 0) { (_: Int) in
        OnRelease {
          guard isArmed.count > 0 else { return }
          isArmed.count = 0
          act()
        }
      }
      return 7
    }
  }

  @Test func `a deinit in the first step can close the connection`() throws {
    try addCarriers { [unowned connection] in try? connection.close() }
    let statement = try connection.prepare(sql: Self.first)
    #expect(failure { _ = try statement.step() }?.code == .misuse)
    #expect(!connection.isOpen)
  }

  @Test func `a deinit in a later step can close the connection`() throws {
    try addCarriers { [unowned connection] in try? connection.close() }
    let statement = try connection.prepare(
      sql: "WITH t(a) AS (VALUES (1), (2), (3)) SELECT take(once()) FROM t")
    #expect(try statement.step() != nil)
    #expect(failure { _ = try statement.step() }?.code == .misuse)
    #expect(!connection.isOpen)
  }

  @Test func `a deinit in a step of a cached statement can close the connection`() throws {
    try addCarriers { [unowned connection] in try? connection.close() }
    let error = failure { try connection.execute(sql: Self.first) { _ in } }
    #expect(error?.code == .misuse)
    #expect(connection.statementCacheStatistics.count == 0)
  }

  @Test(arguments: [false, true])
  func `a deinit in a step can rerun its statement, and the step throws misuse`(_ isLater: Bool)
    throws
  {
    let holder = Holder()
    try addCarriers { [weak holder] in _ = try? holder?.statement?.first(.values) }
    holder.statement = try connection.prepare(
      sql: isLater ? "WITH t(a) AS (VALUES (1), (2), (3)) SELECT take(once()) FROM t" : Self.first)
    if isLater { #expect(try holder.statement?.step() != nil) }
    #expect(failure { _ = try holder.statement?.step() }?.code == .misuse)
    #expect(try holder.statement?.query(.column(.int)) == (isLater ? [7, 7, 7] : [7, 7]))
  }

  @Test func `a deinit in a step cannot clear the bindings of its statement`() throws {
    let holder = Holder()
    try addCarriers { [weak holder, log] in
      log.entries.append(
        failure { try holder?.statement?.clearBindings() }.map { "\($0.code)" } ?? "cleared")
    }
    let text = String(repeating: "long enough ", count: 100)
    let statement = try connection.prepare(
      sql:
        "WITH t(a) AS (VALUES (1), (2), (3)) SELECT ? FROM t WHERE take(once()) AND a > 1")
    holder.statement = statement
    try statement.bind(.string(text))
    if let row = try statement.step() {
      let found = try row.get(.string, at: 0)
      #expect(found == text)
    }
    #expect(log.entries == ["\(ResultCode.misuse)"])
  }

  @Test(arguments: [false, true])
  func `a deinit during binding can step the statement`(
    _ isCleared: Bool
  ) throws {
    let holder = Holder()
    let statement = try connection.prepare(sql: "SELECT ifnull(?, 0) > 1 UNION ALL SELECT 2")
    holder.statement = statement
    func bind() throws {
      let witness = OnRelease { [holder] in _ = try? holder.statement?.step() }
      try statement.bind(.object(witness))
    }
    try bind()
    if isCleared {
      try statement.clearBindings()
      // The parameter has no value, so the statement cannot step.
      #expect(failure { _ = try statement.step() }?.code == .range)
    } else {
      try statement.bind(1)
      #expect(failure { try statement.bind(2) }?.message.contains("is running") == true)
      if let row = try statement.step() {
        let found = try row.get(.int, at: 0)
        #expect(found == 2)
      }
      #expect(try statement.query(.column(.int)) == [0, 2])
    }
  }

  @Test func `a deinit while the connection closes can close the connection again`() throws {
    try addKeeper { [unowned connection] in try? connection.close() }
    try connection.execute(sql: "SELECT 1")
    try connection.execute(sql: "SELECT 2")
    let statements = try (0..<20).map { _ in
      try connection.prepare(sql: "SELECT keep(1) UNION ALL SELECT 2")
    }
    for statement in statements { _ = try statement.step() }
    try connection.close()
    #expect(!connection.isOpen)
    try connection.close()
  }

  /// With statistics of index contents (STAT4), SQLite calls functions while it plans, and uses their results.
  @Test
  func `a function cannot replace or remove itself while SQLite compiles or runs its statement`()
    throws
  {
    try connection.execute(
      sql: """
        CREATE TABLE n(a); CREATE INDEX i ON n(a);
        WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 500)
        INSERT INTO n SELECT i FROM c;
        ANALYZE
        """)
    let payload = Payload()
    try connection.addFunction("own", arity: 1, options: .deterministic) {
      [unowned connection, log, payload] values in
      let codes = [
        failure { try connection.addFunction("own", arity: 1) { _ in 0 } }?.code,
        failure { try connection.removeFunction("own", arity: 1) }?.code,
      ]
      log.entries.append("\(codes == [.busy, .busy]) \(payload.text.count)")
      return try values[0]
    }
    let statement = try connection.prepare(sql: "SELECT count(*) FROM n WHERE a > own(400)")
    #expect(try statement.first(.column(.int)) == 100)
    #expect(!log.entries.isEmpty)
    #expect(log.entries.allSatisfy { $0 == "true 70" })
    try connection.removeFunction("own", arity: 1)
  }

  @Test func `a deinit in a failing step does not hide the error`() throws {
    try connection.execute(sql: "CREATE TABLE t(a UNIQUE); INSERT INTO t VALUES (7)")
    try addCarriers { [unowned connection] in try? connection.execute(sql: "SELECT 1") }
    let error = failure { try connection.execute(sql: "INSERT INTO t VALUES (take(once()))") }
    #expect(error?.code.primary == .constraint)
    #expect(error?.message == "UNIQUE constraint failed: t.a")
  }

  private static let first =
    "WITH t(a) AS (VALUES (1), (2), (3)) SELECT 7 FROM t WHERE take(once()) AND a > 1"

  private final class Holder { var statement: Statement? }
}
