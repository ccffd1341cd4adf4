import CSluice

/// When a transaction takes its locks.
public enum TransactionKind: String, Hashable, Sendable, CaseIterable {
  /// With the first statement that reads or writes. One that has read and then writes can fail
  /// with ``ResultCode/busySnapshot``, and has to be begun again.
  case deferred = "DEFERRED"
  /// At once for writing, so that no other connection can write before it ends.
  case immediate = "IMMEDIATE"
  /// At once for writing; without a WAL, other connections cannot even read.
  case exclusive = "EXCLUSIVE"
}

/// The end of a transaction or savepoint whose body has returned.
public enum TransactionCommand: Hashable, Sendable, CaseIterable {
  /// Keeps the changes of the body.
  case commit
  /// Undoes the changes of the body. This is not an error.
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
  /// The transaction has written, or has the lock to do so.
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
  /// If `body` throws, the transaction is rolled back, and the error is thrown on. If the commit fails,
  /// the transaction is rolled back, and the reason is thrown. SQLite can roll back by itself, for example
  /// when the disk is full. Then no further statement of `body` runs, even if `body` catches the error: each
  /// statement throws it again, and so does the transaction.
  ///
  /// Inside a transaction this is a savepoint, and `kind` has no effect. A statement that writes
  /// and stands on a row is ended before and after `body`. A function that a statement calls which
  /// writes outside of a transaction cannot begin one: it throws ``ResultCode/misuse``.
  @discardableResult
  public func transaction<T>(
    _ kind: TransactionKind = .deferred, _ body: (_ connection: Connection) throws -> T
  ) throws -> T {
    try run(in: begin(kind)) { connection, _ in try body(connection) }.value
  }

  /// Runs `body` in a transaction that its `command` commits or rolls back.
  ///
  /// ```swift
  /// try connection.transaction { connection, command in
  ///   try connection.execute(sql: "UPDATE account SET amount = amount - 10 WHERE id = 1")
  ///   try connection.execute(sql: "UPDATE account SET amount = amount + 10 WHERE id = 2")
  ///   if try isOverdrawn(connection) { command = .rollback }
  /// }
  /// ```
  ///
  /// In all else it is like the form whose body has one argument.
  ///
  /// - Returns: The command, and the value of `body`.
  @discardableResult
  public func transaction<T>(
    _ kind: TransactionKind = .deferred,
    _ body: (_ connection: Connection, _ command: inout TransactionCommand) throws -> T
  ) throws -> (command: TransactionCommand, value: T) {
    try run(in: begin(kind), body)
  }

  /// Runs `body` in a savepoint, releases it, and returns the value of `body`.
  ///
  /// Inside a transaction it is like a nested transaction; outside of one, it begins a deferred
  /// transaction. A savepoint that is rolled back is also released, so nothing is left open. It needs no
  /// name, unless its body executes `ROLLBACK TO`.
  @discardableResult
  public func savepoint<T>(
    _ name: String? = nil, _ body: (_ connection: Connection) throws -> T
  ) throws -> T {
    try run(in: begin(.deferred, isSavepoint: true, name: name)) { connection, _ in
      try body(connection)
    }.value
  }

  /// Runs `body` in a savepoint that its `command` keeps or rolls back.
  ///
  /// In all else it is like the form whose body has one argument.
  ///
  /// - Returns: The command, and the value of `body`.
  @discardableResult
  public func savepoint<T>(
    _ name: String? = nil,
    _ body: (_ connection: Connection, _ command: inout TransactionCommand) throws -> T
  ) throws -> (command: TransactionCommand, value: T) {
    try run(in: begin(.deferred, isSavepoint: true, name: name), body)
  }

  private func run<T>(
    in scope: TransactionScope, _ body: (Connection, inout TransactionCommand) throws -> T
  ) throws -> (command: TransactionCommand, value: T) {
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
  /// Whether no transaction is open, so that each statement commits by itself.
  ///
  /// The corresponding C function is `sqlite3_get_autocommit`.
  public var isInAutocommit: Bool {
    unsafe rawHandle.map { unsafe sqlite3_get_autocommit($0) != 0 } ?? true
  }

  /// Whether a function, collation or the like asks that SQLite is calling for this connection now.
  public var isInCallback: Bool { state.calls.depth > 0 }

  /// Returns the state of the open transaction, in the database `schema` or in any.
  ///
  /// An unknown schema throws ``ResultCode/range``.
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
  /// `transaction` is safer: it ends what it begins, and watches over it.
  public func begin(_ kind: TransactionKind = .deferred) throws {
    try endImplicitTransaction()
    try execute(sql: "BEGIN \(kind.rawValue)")
  }

  /// Commits the transaction that ``begin(_:)`` began.
  ///
  /// If this throws, the transaction may still be open: see ``isInAutocommit``.
  public func commit() throws {
    try refuseInScope("COMMIT")
    try execute(sql: "COMMIT")
  }

  /// Undoes the transaction that ``begin(_:)`` began.
  public func rollback() throws {
    try refuseInScope("ROLLBACK")
    if case .owesRollback = state.scopeState { return try rollBackOwed() }
    try execute(sql: "ROLLBACK")
  }

  private func refuseInScope(_ sql: String) throws {
    guard state.scopeDepth == 0 else {
      throw SQLiteError(
        .misuse, "The body of a transaction or savepoint cannot end it: set its command", sql: sql)
    }
  }
}

/// Transactions that only read, and see one state of the database for as long as they last.
extension Connection {
  /// Begins a transaction that sees the main database as it is now, until ``endReadTransaction()``.
  ///
  /// A deferred transaction, in contrast, sees the database as it is when it first reads. With a
  /// WAL, one that lasts keeps the WAL from being emptied, so that it grows.
  ///
  /// It throws ``ResultCode/misuse`` if there is a transaction already.
  public func beginReadTransaction() throws {
    guard isInAutocommit else {
      throw SQLiteError(.misuse, "A transaction is already open")
    }
    try begin(.deferred)
    do { try takeSnapshot() } catch {
      // The first error is the one to report.
      try? rollback()
      throw error
    }
  }

  /// Moves a transaction that ``beginReadTransaction()`` began on to the present state.
  ///
  /// It throws ``ResultCode/misuse`` if there is none.
  public func updateReadTransaction() throws {
    try endReadTransaction()
    try beginReadTransaction()
  }

  /// Ends a transaction that ``beginReadTransaction()`` began.
  ///
  /// It throws ``ResultCode/misuse`` if there is none, and for one that has written.
  public func endReadTransaction() throws {
    guard !isInAutocommit, try transactionState() != .write else {
      throw SQLiteError(.misuse, "No read transaction is open")
    }
    try rollback()
  }

  /// Reads, so that a deferred transaction takes its snapshot now and not with its first query.
  func takeSnapshot() throws {
    try execute(sql: "SELECT 1 FROM sqlite_master LIMIT 1")
  }
}
