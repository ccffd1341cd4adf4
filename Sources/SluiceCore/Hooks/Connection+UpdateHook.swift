import CSluice

extension Connection {
  /// Calls `body` for each row that this connection has inserted, updated or deleted.
  ///
  /// ```swift
  /// try connection.onUpdate { change in
  ///   print(change.operation, change.table, change.rowid)
  /// }
  /// ```
  ///
  /// `body` is called while the statement runs, so a reported change can still be rolled back. SQLite does not
  /// report changes to tables without a rowid, to virtual tables, or to its own tables. It does not report rows
  /// that `REPLACE` displaces or that a `DELETE` without `WHERE` deletes. ``onPreUpdate(_:)`` reports most of these
  /// changes.
  ///
  /// If `body` throws, the statement throws that error. The whole transaction is rolled back, because SQLite cannot
  /// undo a smaller part at that point. `body` is not called again for that statement.
  ///
  /// Using the connection in an observer throws ``ResultCode/misuse``. In all other respects, this
  /// method behaves like ``onCommit(_:)``.
  ///
  /// The corresponding C function is `sqlite3_update_hook`.
  @discardableResult
  public func onUpdate(_ body: @escaping (_ change: RowChange) throws -> Void) throws -> HookToken {
    try observe(\.update) { try body($0) }
  }
}

extension Hooks {
  func installUpdateHook(_ handle: OpaquePointer, _ isOn: Bool) {
    guard isOn else {
      unsafe sqlite3_update_hook(handle, nil, nil)
      return
    }
    unsafe sqlite3_update_hook(
      handle,
      { me, operation, schema, table, rowid in
        let hooks = unsafe Hooks.at(me)
        guard !hooks.state.hasVeto, let schema = unsafe schema, let table = unsafe table else {
          return
        }
        let change = RowChange(
          operation: RowChange.Operation(operation), schema: unsafe String(cString: schema),
          table: unsafe String(cString: table), rowid: rowid)
        hooks.vetoing { try hooks.update.tell(change) }
      }, pointer)
  }

  /// Runs `body`, which calls the observers of a row change; if `body` throws, the change is undone later.
  func vetoing(_ body: () throws -> Void) {
    state.within(.hook) {
      do { try body() } catch { state.keepFailure(error, isVeto: true) }
    }
  }
}

extension RowChange.Operation {
  init(_ code: Int32) {
    self =
      switch code {
      case SQLITE_INSERT: .insert
      case SQLITE_DELETE: .delete
      default: .update
      }
  }
}

/// A change to a row by an INSERT, UPDATE or DELETE.
public struct RowChange: Hashable, Sendable {
  /// The kind of the change.
  public let operation: Operation
  /// The name of the database on the connection, such as `main`.
  public let schema: String
  /// The name of the table.
  public let table: String
  /// The rowid of the row; after an update, the new rowid.
  public let rowid: Int64

  /// A kind of row change.
  ///
  /// The corresponding C values are `SQLITE_INSERT`, `SQLITE_UPDATE` and `SQLITE_DELETE`.
  public enum Operation: Hashable, Sendable, CaseIterable {
    /// The row is inserted.
    case insert
    /// The row is updated.
    case update
    /// The row is deleted.
    case delete
  }
}
