import SluiceCore
import TestSupport

/// A cause of an automatic rollback by SQLite.
enum RollbackCause: CaseIterable, Sendable {
  case conflict
  case trigger
  case interrupt
  case full

  var code: ResultCode {
    switch self {
    case .conflict: .constraintUnique
    case .trigger: .constraintTrigger
    case .interrupt: .interrupt
    case .full: .full
    }
  }

  var message: String {
    switch self {
    case .conflict: "UNIQUE constraint failed: t.a"
    case .trigger: "by the trigger"
    case .interrupt: "interrupted"
    case .full: "database or disk is full"
    }
  }

  private var sql: String {
    switch self {
    case .conflict: "INSERT OR ROLLBACK INTO t VALUES (0)"
    case .trigger: "INSERT INTO guarded VALUES (0)"
    case .interrupt:
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
      INSERT INTO t SELECT interrupting(i + 1000) FROM n
      """
    // Without a statement journal, SQLite rolls back the transaction; with one, only the statement.
    case .full: "INSERT INTO large VALUES (zeroblob(99999))"
    }
  }

  /// Makes SQLite roll back automatically.
  func strike(_ connection: Connection) throws { try connection.execute(sql: sql) }

  /// Prepares the database for ``strike(_:)``; the table t has the row 0.
  static func prepare(_ connection: Connection) throws {
    try connection.execute(
      sql: """
        CREATE TABLE t(a UNIQUE);
        INSERT INTO t VALUES (0);
        CREATE TABLE large(a UNIQUE);
        CREATE TABLE guarded(a);
        CREATE TRIGGER guard BEFORE INSERT ON guarded BEGIN
          SELECT RAISE(ROLLBACK, 'by the trigger');
        END
        """)
    let pages = try connection.integers("PRAGMA page_count")[0]
    try connection.execute(sql: "PRAGMA max_page_count = \(pages)")
    try connection.addFunction("interrupting", arity: 1) { [unowned connection] values in
      connection.interrupt()
      return try values[0]
    }
  }

  /// Returns whether `error` has the code and the message of this cause.
  func isNamed(by error: SQLiteError?) -> Bool {
    error?.code == code && error?.message == message
  }
}

extension Connection {
  func insert(_ value: Int) throws {
    try execute(sql: "INSERT INTO t VALUES (?)", parameters: .int(value))
  }

  var rows: [Int] { get throws { try integers("SELECT a FROM t ORDER BY a") } }
}
