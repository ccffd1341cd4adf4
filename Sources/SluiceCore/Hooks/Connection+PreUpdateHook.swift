import CSluice

extension Connection {
  /// Calls `body` before each row is inserted, updated or deleted, with the old and the new values.
  ///
  /// ```swift
  /// try connection.onPreUpdate { change in
  ///   guard change.table == "account", change.operation == .update else { return }
  ///   history.append((try change.old(at: 1), try change.new(at: 1)))
  /// }
  /// ```
  ///
  /// Unlike ``onUpdate(_:)``, it hears of tables without a rowid, of rows that `REPLACE` displaces and
  /// of a `DELETE` without `WHERE`; not of virtual tables and of SQLite's own. What is told of can
  /// still be rolled back, and `body` can throw, as with ``onUpdate(_:)``.
  ///
  /// It throws ``ResultCode/notFound`` if the linked SQLite lacks ``SQLiteCapability/preUpdateHook``, and
  /// ``ResultCode/misuse`` while the connection has a session, which takes the hook for itself.
  ///
  /// The corresponding C function is `sqlite3_preupdate_hook`.
  @discardableResult
  public func onPreUpdate(
    _ body: @escaping (_ change: borrowing PendingRowChange) throws -> Void
  ) throws -> HookToken {
    _ = try unsafe handle()
    try SQLiteLibrary.require(.preUpdateHook)
    guard state.preUpdateUser != .sessions else {
      throw SQLiteError(.misuse, "The connection has a session, which takes the pre-update hook")
    }
    return try observe(\.preUpdate, body)
  }
}

extension Hooks {
  func installPreUpdateHook(_ handle: OpaquePointer, _ isOn: Bool) {
    state.preUpdateUser = isOn ? .hooks : nil
    guard isOn else {
      unsafe sluice_preupdate_hook(handle, nil, nil)
      return
    }
    unsafe sluice_preupdate_hook(
      handle,
      { me, handle, operation, schema, table, oldKey, newKey in
        let hooks = unsafe Hooks.at(me)
        guard !hooks.state.hasVeto, let handle = unsafe handle else { return }
        hooks.vetoing {
          try unsafe hooks.preUpdate.tell(
            PendingRowChange(handle, operation, schema, table, oldKey, newKey))
        }
      }, pointer)
    // A DELETE without WHERE was compiled to look at no row.
    unsafe recompileStatements(handle)
  }
}
