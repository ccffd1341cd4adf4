import CSluice

/// Runs `body` in a transaction, and again up to `retries` times as long as another connection keeps it from
/// being done, and nothing of it can have been committed.
@inlinable
func transact<T: Sendable>(
  _ connection: inout sending Connection, _ kind: TransactionKind, retries: Int,
  _ body: (inout sending Connection, inout TransactionCommand) throws -> T
) throws -> (command: TransactionCommand, value: T) {
  var attempt = 0
  while true {
    do { return try transact(&connection, kind, body) } catch {
      guard attempt < retries, (error as? SQLiteError)?.code.primary == .busy, connection.canRetry
      else { throw error }
      try connection.pause(attempt)
      attempt += 1
    }
  }
}

extension Connection {
  /// Whether nothing is left of a transaction that has failed, neither here nor on disk.
  @usableFromInline var canRetry: Bool {
    isOpen && isInAutocommit && state.scopeDepth == 0 && !state.hasUncertainCommit
  }

  /// Waits before the next attempt, each time about twice as long, so that two who are in each other's way do
  /// not stay so; it throws if the work is to stop.
  @usableFromInline
  func pause(_ attempt: Int) throws {
    let longest = 1_000 << min(attempt, 7)
    var rest = Int.random(in: longest / 2...longest)
    while rest > 0 {
      try state.refuseStopped()
      let slice = min(rest, 25_000)
      sqlite3_sleep(Int32(slice / 1_000))
      rest -= slice
    }
    try state.refuseStopped()
  }
}
