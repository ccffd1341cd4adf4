/// Runs `body` in a transaction or savepoint on a connection that is lent.
///
/// It does what `Connection.transaction` does, for a body that gets the connection in a
/// form that it cannot keep.
@inlinable
func transact<T: Sendable>(
  _ connection: inout sending Connection, _ kind: TransactionKind,
  isSavepoint: Bool = false, name: String? = nil,
  _ body: (inout sending Connection, inout TransactionCommand) throws -> T
) throws -> (command: TransactionCommand, value: T) {
  let scope = try connection.begin(kind, isSavepoint: isSavepoint, name: name)
  do {
    var command = TransactionCommand.commit
    let value = try body(&connection, &command)
    try connection.end(scope, command)
    return (command, value)
  } catch {
    connection.abandon(scope)
    throw error
  }
}

/// Runs `body` on a connection that could write, but must not.
func onlyReading<T: Sendable>(
  _ connection: inout sending Connection, _ body: (inout sending Connection) throws -> T
) throws -> T {
  let state = connection.state
  state.isReading = true
  defer { state.isReading = false }
  return try body(&connection)
}

/// Runs `body` in a transaction that sees the database as it is when `body` first reads.
@inlinable
func transactReadingLater<T: Sendable>(
  _ connection: inout sending Connection, _ body: (inout sending Connection) throws -> T
) throws -> T {
  let scope: Scope = try connection.begin(.deferred)
  do {
    let value = try body(&connection)
    try connection.end(scope, .commit)
    return value
  } catch {
    connection.abandon(scope)
    throw error
  }
}

/// Runs `body` in a transaction like `transactReadingLater`, on a connection that could write, but must not.
func transactGuarded<T: Sendable>(
  _ connection: inout sending Connection, _ body: (inout sending Connection) throws -> T
) throws -> T {
  try onlyReading(&connection) { try transactReadingLater(&$0, body) }
}

/// Runs `body` in a transaction that sees the database as it was when it began.
func transactReading<T: Sendable>(
  _ connection: inout sending Connection, _ body: (inout sending Connection) throws -> T
) throws -> T {
  try transact(&connection, .deferred) { connection, _ in
    try connection.takeSnapshot()
    return try body(&connection)
  }.value
}
