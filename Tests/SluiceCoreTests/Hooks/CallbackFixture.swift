import SluiceCore
import TestSupport
import Testing

/// A connection with a callback that performs an action on its first call.
final class CallbackFixture {
  private let kind: CallbackKind
  private let act: CallbackAct
  private let folder: TestFolder
  private let connection: Connection
  private let blocker: Connection
  private var other: Statement?
  private var end: CallbackKind.End?
  private var isRunning = false
  private(set) var calls = 0
  /// The result code with which the action of the callback was rejected.
  private(set) var outcome: ResultCode?

  init(_ kind: CallbackKind, _ act: CallbackAct) throws {
    self.kind = kind
    self.act = act
    folder = try TestFolder()
    connection = try Connection(path: folder.file(), configuration: .impatient)
    try connection.execute(sql: "PRAGMA auto_vacuum = full; CREATE TABLE t(a); CREATE TABLE u(a)")
    try connection.execute(sql: "INSERT INTO t VALUES ('b'), ('a'), ('c')")
    if kind.usesWAL { try connection.execute(sql: "PRAGMA journal_mode = wal") }
    blocker = try Connection(path: folder.file(), configuration: .impatient)
    try register()
    try connection.execute(sql: kind.setUp)
    if !kind.isBusy {
      other = try connection.prepare(sql: "SELECT a FROM t")
      let hasRow = try other?.step() != nil
      #expect(hasRow)
    }
  }

  private func register() throws {
    end = try kind.register(connection) { [unowned self] in try called() }
  }

  private func called() throws {
    guard isRunning else { return }
    calls += 1
    guard calls == 1 else { return }
    try perform()
  }

  func run() throws {
    if kind.isBusy { try blocker.begin(.exclusive) }
    isRunning = true
    defer { isRunning = false }
    try kind.run(connection, kind.sql) { [unowned self] in try called() }
  }

  private func perform() throws {
    if kind.isBusy { try blocker.rollback() }
    do { try use(connection) } catch let error as SQLiteError {
      outcome = error.code
      if act == .throwing { throw ForeignError("thrown") }
      if act == .refusing { throw SQLiteError(.permission, "refused") }
    }
  }

  private func use(_ db: Connection) throws {
    switch act {
    case .throwing, .refusing: throw SQLiteError(.constraint, "for the outcome")
    case .asking:
      #expect(db.isOpen && db.isInCallback == kind.isInCall)
      _ = (db.changes, db.lastInsertRowid, db.isInAutocommit)
      _ = try db.transactionState()
    case .selecting: _ = try db.integers("SELECT count(*) FROM u")
    case .inserting: try db.execute(sql: "INSERT INTO u VALUES (1)")
    case .preparing: _ = try db.prepare(sql: "SELECT 1")
    case .beginning: try db.savepoint { _, _ in }
    case .resettingOther: try (other ?? db.prepare(sql: "SELECT 1")).reset()
    case .droppingOther: other = nil
    case .observing: try db.onCommit {}.cancel()
    case .closing: try db.close()
    case .ending:
      try end?()
      end = nil
    case .replacing: try register()
    }
  }

  func expectUsable() throws {
    other = nil
    if !connection.isInAutocommit { try connection.rollback() }
    if let end {
      try connection.execute(sql: kind.cleanUp)
      try end()
    }
    try connection.execute(sql: "CREATE TABLE fresh(a); INSERT INTO fresh VALUES (42)")
    #expect(try connection.integers("SELECT a FROM fresh") == [42])
    #expect(try connection.value("PRAGMA integrity_check") == "ok")
    try connection.close()
    #expect(!connection.isOpen)
  }
}
