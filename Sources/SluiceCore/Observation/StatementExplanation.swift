import CSluice

/// The query plan of a statement, which a monitor has requested.
///
/// See ``ConnectionMonitor/wantsExplanation(of:)``.
public struct StatementExplanation: Hashable, Sendable {
  /// The run of the statement for which the plan was requested.
  public let statement: StatementRecord
  /// The query plan, determined without parameter values; nil if it could not be determined.
  ///
  /// The plan is nil if:
  /// - the statement is not a `SELECT`, `VALUES`, `INSERT`, `REPLACE`, `UPDATE` or `DELETE`, with or without
  ///   `WITH`;
  /// - a table of the statement no longer exists at the end of the access, for example after a rollback;
  /// - the connection has closed, or its queue or pool is closing or suspended, at the end of the access;
  /// - no queue or pool owns the connection.
  public let plan: QueryPlan?
  /// The counters of each loop, over all runs since the statement was prepared.
  ///
  /// The array is empty if the linked SQLite lacks ``SQLiteCapability/scanStatus``.
  public let scanStatus: [ScanStatus]
}

/// The statements of the current access whose plans the monitor has requested.
///
/// The object outlives a connection that the access replaces with another one.
final class UnexplainedStatements: Sendable {
  private let statements = Locked<[StatementExplanation]>([])
  private static let capacity = 100

  /// Whether another statement can be added.
  var hasRoom: Bool { statements.withLock { $0.count < Self.capacity } }

  func add(_ statement: StatementExplanation) { statements.withLock { $0.append(statement) } }

  /// Removes and returns all statements.
  func takeAll() -> [StatementExplanation] {
    statements.withLock { statements in
      defer { statements = [] }
      return statements
    }
  }
}

extension ConnectionState {
  /// Passes a statement that has just ended to a monitor, and records it if the monitor requests its plan.
  ///
  /// SQLite is in the middle of a call here, so the connection cannot compile the `EXPLAIN` yet.
  func report(
    _ record: StatementRecord, _ event: borrowing TraceEvent, _ unexplained: UnexplainedStatements,
    to monitor: any ConnectionMonitor
  ) {
    monitor.statementDidEnd(record)
    guard unexplained.hasRoom, monitor.wantsExplanation(of: record) else { return }
    let explanation = StatementExplanation(
      statement: record, plan: nil, scanStatus: event.scanStatus)
    // Without a queue or pool, it is unknown when the program no longer uses the connection, so report no plan.
    guard interruptState != nil else { return monitor.statementWasExplained(explanation) }
    unexplained.add(explanation)
  }
}

extension Connection {
  /// Returns the statements of an access that has ended, with their plans.
  func explain(_ statements: [StatementExplanation]) -> [StatementExplanation] {
    // SQLite may have to read the schema again. Do not wait for a lock then, because that would delay the next
    // access.
    let timeout = state.lockWait.timeout
    state.lockWait.timeout = .zero
    defer { state.lockWait.timeout = timeout }
    var explanations: [StatementExplanation] = []
    inMonitor {
      explanations = statements.map { noted in
        // The access is over, and its result must not depend on its monitor, so ignore errors.
        let plan = try? plan(of: noted.statement.sql)
        return StatementExplanation(
          statement: noted.statement, plan: plan, scanStatus: noted.scanStatus)
      }
    }
    return explanations
  }

  /// Returns the plan of a statement that has run; nil for a kind of statement that is not explained.
  private func plan(of sql: String) throws -> QueryPlan? {
    // The first 4,096 bytes contain the first keyword, unless it follows a very long comment.
    let beginning = String(decoding: sql.utf8.prefix(4096), as: UTF8.self)
    guard let first = SQLToken.tokens(of: beginning).first(where: { !$0.is(sign: ";") }),
      first.kind == .word, Self.planned.contains(String(decoding: first.content, as: UTF8.self))
    else { return nil }
    return try explaining(String(Substring(sql.utf8.dropFirst(first.range.lowerBound)))).readPlan()
  }

  /// The first words of the statements that are explained; `EXPLAIN` does not execute them, unlike a `PRAGMA`.
  private static let planned: Set = [
    "select", "values", "with", "insert", "replace", "update", "delete",
  ]
}
