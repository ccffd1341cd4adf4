// Read transactions of queues, pools and snapshots. Writing throws in them.

/// Runs `body` in a transaction that sees the database as it is when `body` first reads.
@inlinable
func transactReadingLater<T: Sendable>(
  _ connection: inout sending Connection, _ body: (inout sending Connection) throws -> T
) throws -> T {
  try transact(&connection, .deferred) { connection, _ in try body(&connection) }.value
}

/// Runs `body` in a transaction that sees the database as it was when the transaction began.
func transactReading<T: Sendable>(
  _ connection: inout sending Connection, _ body: (inout sending Connection) throws -> T
) throws -> T {
  try transact(&connection, .deferred) { connection, _ in
    try connection.takeSnapshot()
    return try body(&connection)
  }.value
}

/// Runs `body` like `transactReadingLater`, on a connection that could write but must not.
func transactGuarded<T: Sendable>(
  _ connection: inout sending Connection, _ body: (inout sending Connection) throws -> T
) throws -> T {
  try onlyReading(&connection) { try transactReadingLater(&$0, body) }
}

/// Runs `body` on a connection that could write but must not.
func onlyReading<T: Sendable>(
  _ connection: inout sending Connection, _ body: (inout sending Connection) throws -> T
) throws -> T {
  let state = connection.state
  state.writes.policy.isReading = true
  defer { state.writes.policy.isReading = false }
  return try body(&connection)
}
