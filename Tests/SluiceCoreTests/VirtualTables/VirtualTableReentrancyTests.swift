import SluiceCore
import TestSupport
import Testing

/// Virtual tables that use their connection during a callback.
@Suite(.tags(.reliability), .serialized) struct `reentrancy of virtual tables` {
  enum Act: CaseIterable, Sendable {
    case select, selectItself, insert, insertIntoItself, createTable, begin, rollback, commit, close
    case transaction, dropItself, dropOther, removeModule, replaceModule, removeAll, addFunction
    case vacuum
  }

  struct Cell: Sendable, CustomTestStringConvertible {
    let callback: Callback
    let act: Act
    let isInTransaction: Bool
    var testDescription: String { "\(act) in \(callback)\(isInTransaction ? " of BEGIN" : "")" }
  }

  static let cells = Callback.allCases.flatMap { callback in
    Act.allCases.flatMap { act in
      [false, true].map { Cell(callback: callback, act: act, isInTransaction: $0) }
    }
  }

  let probe = Probe()

  private func perform(_ act: Act, on connection: Connection) throws {
    switch act {
    case .select: _ = try connection.integers("SELECT count(*) FROM t")
    case .selectItself: _ = try connection.column("SELECT a FROM p WHERE a <> 'z'")
    case .insert: try connection.execute(sql: "INSERT INTO t VALUES (1)")
    case .insertIntoItself: try connection.execute(sql: "INSERT INTO p VALUES (1)")
    case .createTable: try connection.execute(sql: "CREATE TABLE IF NOT EXISTS made(a)")
    case .begin: try connection.execute(sql: "BEGIN")
    case .rollback: try connection.execute(sql: "ROLLBACK")
    case .commit: try connection.execute(sql: "COMMIT")
    case .close: try connection.close()
    case .transaction:
      try connection.transaction { connection, _ in
        try connection.execute(sql: "INSERT INTO t VALUES (2)")
      }
    case .dropItself: try connection.execute(sql: "DROP TABLE p")
    case .dropOther: try connection.execute(sql: "DROP TABLE other")
    case .removeModule: try connection.removeModule("probe")
    case .replaceModule: try ProbeTable.add(to: connection, probe)
    case .removeAll: try connection.removeModules()
    case .addFunction: try connection.addFunction("fresh", arity: 0) { _ in 1 }
    case .vacuum: try connection.execute(sql: "VACUUM")
    }
  }

  @Test(.timeLimit(.minutes(10)), arguments: cells)
  func `the connection remains usable after any callback performs any action on it`(_ cell: Cell)
    throws
  {
    let connection = try Connection()
    try ProbeTable.add(to: connection, probe)
    try connection.execute(
      sql: """
        CREATE TABLE t(a); INSERT INTO t VALUES (0);
        CREATE VIRTUAL TABLE p USING probe; CREATE VIRTUAL TABLE other USING probe
        """)
    let needsTransaction: [Callback] = [
      .sync, .commit, .rollback, .savepoint, .release, .rollbackTo,
    ]
    if cell.isInTransaction || needsTransaction.contains(cell.callback) { try connection.begin() }
    var outcome: ResultCode??
    probe.at(cell.callback) { [unowned connection] in
      let error = failure { try perform(cell.act, on: connection) }
      outcome = .some(error?.code)
    }
    _ = failure { try connection.execute(sql: cell.callback.sql) }
    let code = try #require(outcome)
    switch cell.callback {
    case .plan, .function:
      #expect(code == .misuse)
    default:
      switch cell.act {
      case .close: #expect(code == .misuse)
      case .select: #expect(code == nil)
      default: break
      }
    }

    #expect(connection.isOpen)
    if !connection.isInAutocommit { try connection.rollback() }
    #expect(try connection.value("PRAGMA integrity_check") == "ok")
    try connection.execute(sql: "CREATE TABLE fresh(a); INSERT INTO fresh VALUES (42)")
    #expect(try connection.integers("SELECT a FROM fresh") == [42])
    try connection.close()
    #expect(!connection.isOpen)
  }

  @Test func `a module cannot be removed or replaced while a table is created`() throws {
    let connection = try Connection()
    try ProbeTable.add(to: connection, probe)
    for act in [Act.removeModule, .replaceModule, .removeAll] {
      var code: ResultCode?
      probe.at(.make) { [unowned connection] in
        code = failure { try perform(act, on: connection) }?.code
      }
      try connection.execute(sql: "CREATE VIRTUAL TABLE p USING probe; DROP TABLE p")
      #expect(code == .busy)
    }
  }

  @Test(arguments: [Act.insert, .createTable, .begin, .transaction, .rollback, .dropOther])
  func `a virtual table can read but not write while it connects`(_ act: Act) throws {
    let connection = try Connection()
    try ProbeTable.add(to: connection, probe, as: .eponymousOnly)
    try connection.execute(
      sql: "CREATE TABLE t(a); INSERT INTO t VALUES (0); CREATE TABLE other(a)")
    var codes: [ResultCode?] = []
    probe.at(.make) { [unowned connection] in
      codes.append(failure { try perform(.select, on: connection) }?.code)
      codes.append(failure { try perform(act, on: connection) }?.code)
    }
    #expect(try connection.column("SELECT a FROM probe") == ["a", "b", "c"])
    #expect(codes == [nil, .misuse])
  }

  @Test func `a virtual table can create and drop its own tables`() throws {
    let connection = try Connection()
    try ProbeTable.add(to: connection, probe)
    probe.at(.make) { [unowned connection] in
      try connection.execute(sql: "CREATE TABLE p_data(a); INSERT INTO p_data VALUES (1)")
    }
    try connection.execute(sql: "CREATE VIRTUAL TABLE p USING probe")
    probe.at(.destroy) { [unowned connection] in
      try connection.execute(sql: "DROP TABLE p_data")
    }
    #expect(try connection.integers("SELECT a FROM p_data") == [1])
    try connection.execute(sql: "DROP TABLE p")
    #expect(try connection.integers("SELECT count(*) FROM sqlite_schema") == [0])
  }
}
