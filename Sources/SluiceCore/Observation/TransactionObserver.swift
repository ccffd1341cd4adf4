/// An object that observes the transactions of a connection: their rows, commits and rollbacks.
///
/// ```swift
/// final class ChangeLog: TransactionObserver {
///   private var rows: [RowChange] = []
///
///   func databaseDidChange(with change: RowChange) { rows.append(change) }
///   func databaseDidCommit(_ connection: Connection) {
///     print("\(rows.count) rows have changed.")
///     rows.removeAll()
///   }
///   func databaseDidRollback(_ connection: Connection) { rows.removeAll() }
/// }
/// ```
///
/// For each transaction that writes, the methods are called in the order of their declaration. A rollback is
/// reported even for a transaction that has not written. Each method has a default implementation that does nothing.
///
/// If an SQL function ends a transaction, ``databaseDidCommit(_:)`` or ``databaseDidRollback(_:)`` is called only
/// when the statement that calls the function ends. If the function also begins a second transaction, the call for
/// the first transaction comes after ``databaseDidChange(with:)`` and ``databaseWillCommit()`` for the second.
public protocol TransactionObserver: AnyObject, SendableMetatype {
  /// Called for each row that was inserted, updated or deleted, before the transaction is committed.
  ///
  /// This method is called for all rows in the order of the changes, just before ``databaseWillCommit()``. It is
  /// not called for rows that a rolled-back savepoint or a failed statement has undone, or for rows that the
  /// functions of a failed statement have changed. If a statement fails with the conflict clause `FAIL`, this
  /// method is not called for rows that only triggers of the statement have changed. The connection cannot be used
  /// during the call.
  func databaseDidChange(with change: RowChange)

  /// Called before the transaction is committed; an error prevents the commit.
  ///
  /// If this method throws, the transaction is rolled back, and the statement or scope that was committing throws
  /// the error. The connection cannot be used during the call.
  func databaseWillCommit() throws

  /// Called after the transaction has been committed.
  ///
  /// The connection can be used, as in a closure of ``Connection/afterCommit(_:)``.
  func databaseDidCommit(_ connection: Connection)

  /// Called after the transaction has been rolled back, by SQL, by a scope, or by SQLite.
  ///
  /// The connection can be used. This method is not called when a savepoint is rolled back, or when the
  /// connection closes.
  func databaseDidRollback(_ connection: Connection)
}

extension TransactionObserver {
  public func databaseDidChange(with change: RowChange) {}
  public func databaseWillCommit() throws {}
  public func databaseDidCommit(_ connection: Connection) {}
  public func databaseDidRollback(_ connection: Connection) {}
}

extension Connection {
  /// Adds an observer of transactions.
  ///
  /// ```swift
  /// let token = try connection.add(transactionObserver: ChangeLog())
  /// ```
  ///
  /// The changed rows of a transaction are kept in memory until its commit. If the linked SQLite has
  /// ``SQLiteCapability/preUpdateHook``, the observer gets the same rows as ``onPreUpdate(_:)``, and this method
  /// throws ``ResultCode/misuse`` while the connection has a session. Without that capability, the observer gets
  /// the rows of ``onUpdate(_:)``. That hook does not report rows that `REPLACE` deletes, or a `DELETE` without
  /// `WHERE`.
  ///
  /// In tables without a rowid, ``RowChange/rowid`` is undefined. To observe the values of rows, use
  /// ``DatabaseReader/rowChanges(in:schema:limit:)``.
  ///
  /// The connection retains `observer` until the token is cancelled, or the connection closes. An observer that
  /// is added inside a transaction gets the rows that change after this call.
  ///
  /// The corresponding C functions are `sqlite3_preupdate_hook`, `sqlite3_commit_hook` and `sqlite3_rollback_hook`.
  @discardableResult
  public func add(transactionObserver observer: any TransactionObserver) throws -> HookToken {
    let follower = ObservedTransaction(observer, state)
    if SQLiteLibrary.has(.preUpdateHook) {
      follower.token = try onPreUpdate { change in
        follower.note(
          RowChange(
            operation: change.operation, schema: change.schema, table: change.table,
            rowid: change.newRowid ?? change.oldRowid ?? 0), isCounted: change.isCounted)
      }
    } else {
      follower.token = try onUpdate { follower.note($0, isCounted: false) }
    }
    transactionWatch.add(follower)
    return try follower.token ?? { throw closed }()
  }
}

/// The rows of the open transaction, for one observer.
private final class ObservedTransaction: TransactionFollower {
  var log = TransactionLog<RowChange>()
  var token: HookToken?
  private let observer: any TransactionObserver
  private unowned let state: ConnectionState
  private var isCommitting = false

  init(_ observer: any TransactionObserver, _ state: ConnectionState) {
    self.observer = observer
    self.state = state
  }

  var isCancelled: Bool { token?.isCancelled ?? false }

  func note(_ change: RowChange, isCounted: Bool) {
    guard let place = state.watchers.transactions?.place else { return }
    log.append(change, at: place, isCounted: isCounted)
  }

  func prepareCommit() throws {
    isCommitting = true
    for change in log.takeAll() where !isCancelled { observer.databaseDidChange(with: change) }
    if !isCancelled { try observer.databaseWillCommit() }
  }

  func committed() -> ((Connection) -> Void)? {
    guard isCommitting else { return nil }
    isCommitting = false
    return { [self] connection in
      if !isCancelled { observer.databaseDidCommit(connection) }
    }
  }

  func rolledBack() -> ((Connection) -> Void)? {
    isCommitting = false
    return { [self] connection in
      if !isCancelled { observer.databaseDidRollback(connection) }
    }
  }

  func forgetNames() {}
  func loseRows() {}
  func contentWasReplaced(in schema: String) {}
  func closed() {}
}
