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
  /// It is called while the statement runs, so that what is told of can still be rolled back. SQLite
  /// does not tell of tables without a rowid, virtual tables and its own tables, nor of rows that
  /// `REPLACE` displaces or a `DELETE` without `WHERE` sweeps away: ``onPreUpdate(_:)`` hears of most.
  ///
  /// If `body` throws, the statement throws that error, and the transaction that it is part of is rolled
  /// back: there is no smaller part that could be undone by then. `body` hears no more of that
  /// statement.
  ///
  /// None of several observers can use the connection, which throws ``ResultCode/misuse``. In all else
  /// it is like ``onCommit(_:)``.
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

  /// Tells of a change of a row, which what is thrown undoes after all.
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

/// A row that an INSERT, UPDATE or DELETE has changed.
public struct RowChange: Hashable, Sendable {
  /// The kind of the change.
  public let operation: Operation
  /// The name that the database has on the connection, such as `main`.
  public let schema: String
  /// The table of the row.
  public let table: String
  /// The key of the row; after an update, the new one.
  public let rowid: Int64

  /// The kind of a change of a row.
  ///
  /// The corresponding C values are `SQLITE_INSERT`, `SQLITE_UPDATE` and `SQLITE_DELETE`.
  public enum Operation: Hashable, Sendable, CaseIterable {
    /// The row is new.
    case insert
    /// The row has other values.
    case update
    /// The row is gone.
    case delete
  }
}
