/// A ``VirtualTable`` that takes `INSERT`, `UPDATE` and `DELETE`.
///
/// It is there once for each connection that knows it. What it does not undo in ``rollback()`` and
/// ``rollback(to:)`` stays when a transaction, or a statement that fails half way, is undone.
///
/// The corresponding C function of the three is `xUpdate`.
public protocol WritableVirtualTable: VirtualTable {
  /// What identifies a row: the rowid, or the primary key of a table `WITHOUT ROWID`.
  associatedtype Key: SQLValue = Int64

  /// Adds a row, and returns its key.
  ///
  /// `key` is the rowid that the statement gives, or nil if the table is to choose one, as it also
  /// is if the table is `WITHOUT ROWID`.
  func insert(_ row: borrowing VirtualTableRow, key: Key?) throws -> Key

  /// Changes a row, and perhaps its key.
  ///
  /// The corresponding C function is `xUpdate`.
  func update(_ key: Key, to row: borrowing VirtualTableRow, newKey: Key) throws

  /// Deletes a row.
  func delete(_ key: Key) throws

  /// Called before the first change in a transaction, also in that of a single statement.
  ///
  /// The corresponding C function is `xBegin`.
  func begin() throws

  /// Called when a transaction is to be committed. If it throws, it is rolled back. Another that begins in here throws
  /// ``ResultCode/misuse``.
  ///
  /// The corresponding C function is `xSync`.
  func sync() throws

  /// Called when a transaction has been committed, which cannot fail any more. As in ``sync()``, none can begin.
  ///
  /// The corresponding C function is `xCommit`.
  func commit()

  /// Called when a transaction is rolled back.
  ///
  /// The corresponding C function is `xRollback`.
  func rollback()

  /// Called when the state is to be kept under a number. Those with a higher number are forgotten.
  ///
  /// The number is that of a `SAVEPOINT`, or of a statement that may have to be undone by itself.
  ///
  /// The corresponding C function is `xSavepoint`.
  func savepoint(_ number: Int) throws

  /// Called when a savepoint is not needed any more, nor those with a higher number.
  ///
  /// The corresponding C function is `xRelease`.
  func release(_ number: Int) throws

  /// Called when the state is to come back that was kept under a number, or else under the next higher
  /// one, as nothing has changed in between, or else that of the begin. The savepoint stays.
  ///
  /// The number is -1 for a `SAVEPOINT` that has begun the transaction.
  ///
  /// The corresponding C function is `xRollbackTo`.
  func rollback(to number: Int) throws
}

extension WritableVirtualTable {
  public func begin() throws {}
  public func sync() throws {}
  public func commit() {}
  public func rollback() {}
  public func savepoint(_ number: Int) throws {}
  public func release(_ number: Int) throws {}
  public func rollback(to number: Int) throws {}
}
