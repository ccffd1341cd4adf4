import SluiceCore
import TestSupport
import Testing

/// Callbacks that use the connection that calls them.
@Suite(.tags(.reliability)) struct `callbacks that use their connection` {
  static let cells = Host.allCases.flatMap { host in
    Action.allCases.flatMap { action in [false, true].map { Cell(host, action, $0) } }
  }

  @Test(.timeLimit(.minutes(10)), arguments: cells)
  func `each action in a callback has the expected outcome, and the connection remains usable`(
    _ cell: Cell
  )
    throws
  {
    let scenario = try CallbackScenario(cell.host)
    if cell.isInTransaction { try scenario.connection.begin() }
    let result = failure { try scenario.run(cell.action) }
    let outcome = try #require(scenario.outcome)
    switch cell.action {
    // A callback cannot change anything while SQLite compares or compiles.
    case let action where cell.host.isMidway && action.changesSomething:
      #expect(outcome == .failure(.misuse))
    case .close, .stepRunning, .resetRunning, .bindRunning: #expect(outcome == .failure(.misuse))
    case .removeItself, .replaceItself: #expect(outcome == .failure(.busy))
    case .select, .prepare, .dropRunning, .dropOther: #expect(outcome == .success)
    case .rollback: #expect(outcome == (cell.isInTransaction ? .success : .failure(.error)))
    case .commit:
      #expect(cell.isInTransaction ? outcome.isSuccessOrBusy : outcome == .failure(.error))
    case .insert: #expect(outcome == .success)
    // An insert outside a transaction would be rolled back with a transaction that begins inside it.
    case .transaction where cell.isInLoneInsert, .savepoint where cell.isInLoneInsert:
      #expect(outcome == .failure(.misuse))
    // A running statement that writes can make savepoints and commits busy.
    case .transaction, .savepoint: #expect(outcome.isSuccessOrBusy)
    case .dropTable: #expect(outcome == .failure(.locked))
    case .vacuum: #expect(outcome == .failure(.error))
    }
    // The statement itself then succeeds or throws an error of a known code.
    #expect([nil, .abort, .error, .locked, .schema, .busy].contains(result?.code.primary))

    let connection = scenario.connection
    if !connection.isInAutocommit { try connection.rollback() }
    scenario.dropStatements()
    #expect(try connection.value("PRAGMA integrity_check") == "ok")
    try connection.execute(sql: "CREATE TABLE fresh(a); INSERT INTO fresh VALUES (42)")
    #expect(try connection.integers("SELECT a FROM fresh") == [42])
    try connection.close()
    #expect(!connection.isOpen)
  }
}

struct Cell: Sendable, CustomTestStringConvertible {
  let host: Host
  let action: Action
  let isInTransaction: Bool

  init(_ host: Host, _ action: Action, _ isInTransaction: Bool) {
    self.host = host
    self.action = action
    self.isInTransaction = isInTransaction
  }

  var isInLoneInsert: Bool { host == .functionOfInsert && !isInTransaction }

  var testDescription: String { "\(host) \(action)" + (isInTransaction ? " in a transaction" : "") }
}

/// A kind of callback.
enum Host: CaseIterable, Sendable {
  case function
  case functionOfInsert
  case step
  case final
  case windowStep
  case windowInverse
  case windowValue
  case windowFinal
  case collation
  case collationNeeded

  /// Whether SQLite calls the callback in the middle of work that permits no changes.
  var isMidway: Bool { self == .collation || self == .collationNeeded }
}

/// An action that a callback performs.
enum Action: CaseIterable, Sendable {
  case select
  case insert
  case prepare
  case rollback
  case commit
  case close
  case stepRunning
  case resetRunning
  case bindRunning
  case dropRunning
  case dropOther
  case removeItself
  case replaceItself
  case transaction
  case savepoint
  case dropTable
  case vacuum

  /// Whether the action prepares or runs a statement, or adds or removes a callback.
  var changesSomething: Bool {
    switch self {
    case .select, .insert, .prepare, .rollback, .commit, .transaction, .savepoint, .dropTable,
      .vacuum, .removeItself, .replaceItself:
      true
    default: false
    }
  }
}

enum Outcome: Equatable {
  case success
  case failure(ResultCode)

  var isSuccessOrBusy: Bool { self == .success || self == .failure(.busy) }
}
