import CSluice

/// The kind of a transaction, which determines when it acquires its locks.
public enum TransactionKind: String, Hashable, Sendable, CaseIterable {
  /// Acquires its locks with the first statement that reads or writes.
  ///
  /// A transaction that reads and later writes can fail with ``ResultCode/busySnapshot``, and must then be
  /// restarted.
  case deferred = "DEFERRED"
  /// Acquires the write lock immediately, so that no other connection can write before the transaction ends.
  case immediate = "IMMEDIATE"
  /// Acquires the write lock immediately; without a WAL, other connections cannot even read.
  case exclusive = "EXCLUSIVE"
}

/// The command that ends a transaction or savepoint when its body has returned.
public enum TransactionCommand: Hashable, Sendable, CaseIterable {
  /// Keeps the changes of the body.
  case commit
  /// Undoes the changes of the body; no error is thrown.
  case rollback
}

/// The state of a transaction.
///
/// The corresponding C values are `SQLITE_TXN_NONE`, `SQLITE_TXN_READ` and `SQLITE_TXN_WRITE`.
public enum TransactionState: Hashable, Sendable, CaseIterable {
  /// Nothing has been read or written, or there is no transaction.
  case none
  /// The transaction has read.
  case read
  /// The transaction has written, or holds the write lock.
  case write
}

extension Connection {
  /// Runs `body` in a transaction, commits, and returns the value of `body`.
  ///
  /// ```swift
  /// let id = try connection.transaction { connection in
  ///   try connection.execute("INSERT INTO event(title) VALUES (\(title))")
  ///   return connection.lastInsertRowid
  /// }
  /// ```
  ///
  /// If `body` throws or the commit fails, the transaction is rolled back, and the error is thrown. SQLite can
  /// also roll back automatically, for example when the disk is full. In this case, no further statement of
  /// `body` runs, even if `body` catches the error: each statement throws the error again, and so does the
  /// transaction.
  ///
  /// Inside a transaction, this method begins a savepoint, and `kind` has no effect. Before and after `body`, the
  /// method ends statements that write and are positioned on a row.
  ///
  /// - Throws: ``ResultCode/misuse`` if an SQL function calls this method while the statement that uses the
  ///   function writes outside a transaction.
  @discardableResult
  public func transaction<T>(
    _ kind: TransactionKind = .deferred, _ body: (_ connection: Connection) throws -> T
  ) throws -> T {
    try run(in: begin(kind)) { connection, _ in try body(connection) }.value
  }

  /// Runs `body` in a transaction, which `body` can roll back by setting its parameter `command`.
  ///
  /// ```swift
  /// try connection.transaction { connection, command in
  ///   try connection.execute(sql: "UPDATE account SET amount = amount - 10 WHERE id = 1")
  ///   try connection.execute(sql: "UPDATE account SET amount = amount + 10 WHERE id = 2")
  ///   if try isOverdrawn(connection) { command = .rollback }
  /// }
  /// ```
  ///
  /// In all other respects, this method behaves like the overload whose body has one argument.
  ///
  /// - Returns: The command, and the value of `body`.
  @discardableResult
  public func transaction<T>(
    _ kind: TransactionKind = .deferred,
    _ body: (_ connection: Connection, _ command: inout TransactionCommand) throws -> T
  ) throws -> (command: TransactionCommand, value: T) {
    try run(in: begin(kind), body)
  }

  /// Runs `body` in a savepoint, releases the savepoint, and returns the value of `body`.
  ///
  /// Inside a transaction, a savepoint is like a nested transaction. Outside a transaction, this method runs `body` in
  /// a deferred transaction, which hooks and authorizers observe as such. A savepoint that is rolled back is also
  /// released, so it does not remain open. The savepoint needs a name only if its body executes `ROLLBACK TO`.
  @discardableResult
  public func savepoint<T>(
    _ name: String? = nil, _ body: (_ connection: Connection) throws -> T
  ) throws -> T {
    try run(in: begin(.deferred, name: name)) { connection, _ in try body(connection) }.value
  }

  /// Runs `body` in a savepoint, which `body` can roll back by setting its parameter `command`.
  ///
  /// In all other respects, this method behaves like the overload whose body has one argument.
  ///
  /// - Returns: The command, and the value of `body`.
  @discardableResult
  public func savepoint<T>(
    _ name: String? = nil,
    _ body: (_ connection: Connection, _ command: inout TransactionCommand) throws -> T
  ) throws -> (command: TransactionCommand, value: T) {
    try run(in: begin(.deferred, name: name), body)
  }

  private func run<T>(
    in scope: @autoclosure () throws -> TransactionScope,
    _ body: (Connection, inout TransactionCommand) throws -> T
  ) throws -> (command: TransactionCommand, value: T) {
    try state.beginUse()
    defer { state.endUse() }
    let scope = try scope()
    do {
      var command = TransactionCommand.commit
      let value = try body(self, &command)
      try end(scope, command)
      return (command, value)
    } catch {
      abandon(scope)
      throw error
    }
  }
}

extension Connection {
  /// Whether no transaction is open, so that each statement commits automatically.
  ///
  /// The corresponding C function is `sqlite3_get_autocommit`.
  public var isInAutocommit: Bool {
    unsafe rawHandle.map { unsafe sqlite3_get_autocommit($0) != 0 } ?? true
  }

  /// Whether SQLite is currently calling a function, collation or similar code of this connection.
  public var isInCallback: Bool { state.calls.depth > 0 }

  /// Returns the state of the transaction in the database `schema`, or, if `schema` is nil, the highest state in any
  /// database.
  ///
  /// - Throws: ``ResultCode/range`` for an unknown schema.
  ///
  /// The corresponding C function is `sqlite3_txn_state`.
  public func transactionState(schema: String? = nil) throws -> TransactionState {
    if let schema { try refuseNUL(in: schema, "The name of the schema") }
    return switch unsafe sqlite3_txn_state(try handle(), schema) {
    case SQLITE_TXN_NONE: .none
    case SQLITE_TXN_READ: .read
    case SQLITE_TXN_WRITE: .write
    default: throw SQLiteError(.range, "There is no schema named \"\(schema ?? "")\"")
    }
  }

  /// Begins a transaction that ``commit()`` or ``rollback()`` ends.
  ///
  /// `transaction` is safer: it always ends the transaction, and stops its body if the transaction ends early.
  public func begin(_ kind: TransactionKind = .deferred) throws {
    try endImplicitTransaction()
    try execute(sql: "BEGIN \(kind.rawValue)")
  }

  /// Commits the transaction that ``begin(_:)`` began.
  ///
  /// If this method throws, the transaction may still be open: see ``isInAutocommit``. Inside the body of a
  /// transaction or savepoint, this method throws ``ResultCode/misuse``.
  public func commit() throws {
    try refuseInScope("COMMIT")
    try execute(sql: "COMMIT")
  }

  /// Rolls back the transaction that ``begin(_:)`` began.
  ///
  /// Inside the body of a transaction or savepoint, this method throws ``ResultCode/misuse``.
  public func rollback() throws {
    try refuseInScope("ROLLBACK")
    if case .owesRollback = state.scopeState { return try rollBackOwed() }
    try execute(sql: "ROLLBACK")
  }

  private func refuseInScope(_ sql: String) throws {
    guard state.scope.depth == 0 else {
      throw SQLiteError(
        .misuse, "The body of a transaction or savepoint cannot end it: set its command", sql: sql)
    }
  }
}

/// Methods for read transactions.
///
/// A read transaction sees a single state of the database until the transaction ends.
extension Connection {
  /// Begins a transaction that sees the main database as it is now, until ``endReadTransaction()``.
  ///
  /// In contrast, a deferred transaction sees the database as it is when the transaction first reads. With a WAL, a
  /// long transaction keeps the WAL from being emptied, so that the WAL grows.
  ///
  /// - Throws: ``ResultCode/misuse`` if a transaction is already open.
  public func beginReadTransaction() throws {
    guard isInAutocommit else {
      throw SQLiteError(.misuse, "A transaction is already open")
    }
    try begin(.deferred)
    do { try takeSnapshot() } catch {
      // An error of the rollback is ignored, because the first error is the one to report.
      try? rollback()
      throw error
    }
    state.writes.begunBeforeReading = state.writes.begun
  }

  /// Advances the transaction of ``beginReadTransaction()`` to the current state of the database.
  ///
  /// - Throws: ``ResultCode/misuse`` if no read transaction is open.
  public func updateReadTransaction() throws {
    try endReadTransaction()
    try beginReadTransaction()
  }

  /// Ends the transaction of ``beginReadTransaction()``.
  ///
  /// - Throws: ``ResultCode/misuse`` if no transaction is open, or if the open transaction has written.
  public func endReadTransaction() throws {
    // The state `write` alone does not prove that the caller has written, because Sluice itself may have created a
    // temporary table, and dropped it.
    guard !isInAutocommit,
      try transactionState() != .write || state.writes.begunBeforeReading == state.writes.begun
    else {
      throw SQLiteError(.misuse, "No read transaction is open")
    }
    state.writes.begunBeforeReading = nil
    try rollback()
  }

  /// Reads from the database, so that a deferred transaction takes its snapshot now instead of at its first query.
  func takeSnapshot() throws {
    try execute(sql: "SELECT 1 FROM sqlite_master LIMIT 1")
  }
}
