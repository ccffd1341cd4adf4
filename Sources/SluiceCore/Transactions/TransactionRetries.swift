import CSluice

/// Runs `body`, which cannot keep the connection, in a transaction or savepoint.
///
/// If another connection blocked the transaction and nothing can have been committed, `body` runs again, up to
/// `retries` times. In all other respects, this function behaves like `Connection.transaction`.
@inlinable
func transact<T: Sendable>(
  _ connection: inout sending Connection, _ kind: TransactionKind,
  name: String? = nil, retries: Int = 0,
  _ body: (inout sending Connection, inout TransactionCommand) throws -> T
) throws -> (command: TransactionCommand, value: T) {
  var attempt = 0
  while true {
    do {
      let scope = try connection.begin(kind, name: name)
      do {
        var command = TransactionCommand.commit
        let value = try body(&connection, &command)
        try connection.end(scope, command)
        return (command, value)
      } catch {
        connection.abandon(scope)
        throw error
      }
    } catch {
      guard connection.canRetry(after: error, isAllowed: attempt < retries) else { throw error }
      try connection.pause(attempt)
      attempt += 1
    }
  }
}

extension Connection {
  /// Returns whether the transaction can run again, because it certainly had no effect.
  ///
  /// If another connection blocked the transaction, it can run again only if `isAllowed` is true. A translator repeats a
  /// transaction that lost its connection.
  @usableFromInline
  func canRetry(after error: any Error, isAllowed: Bool) -> Bool {
    guard isOpen, isInAutocommit, state.scope.depth == 0, !state.scope.hasUncertainCommit else {
      return false
    }
    if isAllowed, (error as? SQLiteError)?.code.primary == .busy { return true }
    return translator?.canRepeat(after: error) ?? false
  }

  /// Waits before the next attempt, about twice as long each time, and throws if the work must stop.
  ///
  /// The duration is random, so that two connections do not block each other repeatedly.
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
