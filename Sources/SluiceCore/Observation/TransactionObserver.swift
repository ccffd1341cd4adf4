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
/// The methods are called in the order of this list, for each transaction that writes; a rollback is reported for
/// each transaction. The last two wait for the end of the statement whose function ends a transaction, and so come after
/// the calls of a transaction that the function begins next. Each method has a default implementation that does nothing.
public protocol TransactionObserver: AnyObject {
  /// A row was inserted, updated or deleted by a transaction that is about to be committed.
  ///
  /// It is called for all rows in the order of the changes, just before ``databaseWillCommit()``. Rows that a
  /// savepoint or a failed statement has undone are left out. So are rows that a statement, which fails with the conflict
  /// clause `FAIL`, has only changed by its triggers, and rows that the functions of a failed statement have changed.
  /// The connection cannot be used.
  func databaseDidChange(with change: RowChange)

  /// The transaction is about to be committed; throwing refuses that.
  ///
  /// The transaction is then rolled back, and the statement or scope that was to commit throws the error. The
  /// connection cannot be used.
  func databaseWillCommit() throws

  /// The transaction has been committed.
  ///
  /// The connection can be used, as in a closure of ``Connection/afterCommit(_:)``.
  func databaseDidCommit(_ connection: Connection)

  /// The transaction has been rolled back, by SQL, by a scope, or by SQLite.
  ///
  /// The connection can be used. It is not called when a savepoint is rolled back, or when the connection closes.
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
  /// The rows that a transaction changes wait in memory for its commit. If the linked SQLite has
  /// ``SQLiteCapability/preUpdateHook``, the observer gets the same rows as ``onPreUpdate(_:)``, and this throws
  /// ``ResultCode/misuse`` while the connection has a session. In tables without a rowid, ``RowChange/rowid`` is
  /// undefined. Without that capability it gets the rows of ``onUpdate(_:)``, which misses rows that `REPLACE` deletes
  /// and a `DELETE` without `WHERE`. ``DatabaseReader/rowChanges(in:schema:limit:)`` has the values of rows.
  ///
  /// The connection keeps `observer` until the token is cancelled, or the connection closes. An observer that is added
  /// inside of a transaction gets the rows that change after this call.
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

/// The rows of the running transaction, for one observer.
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
    guard let place = state.transactionWatch?.place else { return }
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
