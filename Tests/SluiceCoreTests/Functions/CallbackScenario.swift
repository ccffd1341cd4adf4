import SluiceCore
import TestSupport
import Testing

/// A connection with a callback that performs an action the first time that it is called.
final class CallbackScenario {
  let connection: Connection
  private(set) var outcome: Outcome?
  private let host: Host
  private var action: Action?
  private var running: Statement?
  private var other: Statement?

  init(_ host: Host) throws {
    self.host = host
    connection = try Connection()
    try connection.execute(
      sql: """
        CREATE TABLE t(a TEXT);
        INSERT INTO t VALUES ('c'), ('a'), ('b');
        CREATE TABLE u(a)
        """)
    try register()
    other = try connection.prepare(sql: "SELECT a FROM t")
    _ = try other?.step()
  }

  /// Runs the statement that calls the host, which performs `action` once.
  func run(_ action: Action) throws {
    self.action = action
    running = try connection.prepare(sql: sql)
    try running?.execute()
  }

  func dropStatements() {
    running = nil
    other = nil
  }

  private var sql: String {
    let frame = "OVER (ORDER BY rowid ROWS 1 PRECEDING)"
    return switch host {
    case .function: "SELECT f(a, NULL) FROM t"
    case .functionOfInsert: "INSERT INTO u SELECT f(a, NULL) FROM t"
    case .step, .final: "SELECT g(a) FROM t"
    case .windowStep, .windowInverse, .windowValue, .windowFinal: "SELECT g(a) \(frame) FROM t"
    case .collation: "SELECT a FROM t ORDER BY a COLLATE c"
    case .collationNeeded: "SELECT a FROM t ORDER BY a COLLATE needed"
    }
  }

  private func register() throws {
    switch host {
    case .function, .functionOfInsert:
      try connection.addFunction("f", arity: 2) { [weak self] values in
        self?.act()
        return try values[0]
      }
    case .step, .final, .windowStep, .windowInverse, .windowValue, .windowFinal:
      try connection.addAggregateFunction("g", arity: 1) { [weak self] in Actor(self) }
    case .collation:
      try connection.addCollation("c") { [weak self] (a: String, b: String) in
        self?.act()
        return SQLOrder(a, b)
      }
    case .collationNeeded:
      try connection.onCollationNeeded { [weak self] connection, name in
        self?.act()
        try connection.addCollation(name) { (a: String, b: String) in SQLOrder(a, b) }
      }
    }
  }

  fileprivate func act(as host: Host) {
    if host == self.host { act() }
  }

  private func act() {
    guard let action, outcome == nil else { return }
    outcome = .success
    let error = failure { try perform(action) }
    outcome = error.map { .failure($0.code) } ?? .success
  }

  private func perform(_ action: Action) throws {
    switch action {
    case .select: _ = try connection.integers("SELECT count(*) FROM t")
    case .insert: try connection.execute(sql: "INSERT INTO t VALUES ('d')")
    case .prepare: _ = try connection.prepare(sql: "SELECT count(*) FROM t")
    case .rollback: try connection.rollback()
    case .commit: try connection.commit()
    case .close: try connection.close()
    case .stepRunning: _ = try statementInUse().step()
    case .resetRunning: try statementInUse().reset()
    case .bindRunning: try statementInUse().clearBindings()
    case .dropRunning: running = nil
    case .dropOther: other = nil
    case .removeItself: try remove()
    case .replaceItself: try register()
    case .transaction:
      try connection.transaction { connection, _ in
        try connection.execute(sql: "INSERT INTO u VALUES ('d')")
      }
    case .savepoint:
      try connection.savepoint { connection, command in
        try connection.execute(sql: "INSERT INTO u VALUES ('d')")
        command = .rollback
      }
    case .dropTable: try connection.execute(sql: "DROP TABLE t")
    case .vacuum: try connection.execute(sql: "VACUUM")
    }
  }

  /// Returns the running statement, or throws misuse while the statement is still being prepared.
  private func statementInUse() throws -> Statement {
    guard let running else { throw SQLiteError(.misuse, "nothing is running yet") }
    return running
  }

  private func remove() throws {
    switch host {
    case .function, .functionOfInsert: try connection.removeFunction("f", arity: 2)
    case .step, .final, .windowStep, .windowInverse, .windowValue, .windowFinal:
      try connection.removeFunction("g", arity: 1)
    case .collation: try connection.removeCollation("c")
    case .collationNeeded: try connection.onCollationNeeded(nil)
    }
  }
}

private final class Actor: SQLAggregateWindowFunction {
  private weak var scenario: CallbackScenario?
  init(_ scenario: CallbackScenario?) { self.scenario = scenario }

  func step(_ values: borrowing SQLFunctionArguments) {
    scenario?.act(as: .step)
    scenario?.act(as: .windowStep)
  }

  func inverse(_ values: borrowing SQLFunctionArguments) { scenario?.act(as: .windowInverse) }

  func value() -> DatabaseValue {
    scenario?.act(as: .windowValue)
    return 0
  }

  func final() -> DatabaseValue {
    scenario?.act(as: .final)
    scenario?.act(as: .windowFinal)
    return 0
  }
}
