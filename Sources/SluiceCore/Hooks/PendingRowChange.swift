import CSluice

/// A row that is about to change, valid only during the call.
///
/// The values of all columns can be read, in the order of the table's columns. An index out of bounds throws
/// ``ResultCode/range``, and text that is not UTF-8 throws ``ResultCode/mismatch``. A virtual generated column,
/// which is computed when it is read, throws ``ResultCode/schema``. A column after it may also throw, because SQLite
/// 3.40 would return another column's value.
///
/// If a whole number is inserted into a column declared `REAL`, SQLite reports it as an integer.
@safe public struct PendingRowChange: ~Copyable {
  private let handle: OpaquePointer
  private let schemaName: UnsafePointer<CChar>?
  private let tableName: UnsafePointer<CChar>?
  private let oldKey: Int64
  private let newKey: Int64
  /// The kind of the change; an update for a blob that is written in place, see ``writtenBlob``.
  public let operation: RowChange.Operation

  init(
    _ handle: OpaquePointer, _ operation: Int32, _ schema: UnsafePointer<CChar>?,
    _ table: UnsafePointer<CChar>?, _ oldKey: Int64, _ newKey: Int64
  ) {
    unsafe self.handle = handle
    unsafe schemaName = schema
    unsafe tableName = table
    self.oldKey = oldKey
    self.newKey = newKey
    let isBlob = unsafe sluice_preupdate_blobwrite(handle) >= 0
    self.operation = isBlob ? .update : RowChange.Operation(operation)
  }
}

extension PendingRowChange {
  /// The name of the database on the connection, such as `main`.
  public var schema: String { unsafe schemaName.map { unsafe String(cString: $0) } ?? "" }

  /// The name of the table.
  public var table: String { unsafe tableName.map { unsafe String(cString: $0) } ?? "" }

  /// The rowid before the change; nil for an inserted row.
  ///
  /// In a table without a rowid, the value is meaningless.
  public var oldRowid: Int64? { operation == .insert ? nil : oldKey }

  /// The rowid after the change; nil for a deleted row.
  ///
  /// In a table without a rowid, the value is meaningless.
  public var newRowid: Int64? {
    if operation == .delete { return nil }
    return writtenBlob == nil ? newKey : oldKey
  }

  /// The number of columns of the row.
  ///
  /// The corresponding C function is `sqlite3_preupdate_count`.
  public var count: Int { unsafe Int(sluice_preupdate_count(handle)) }

  /// The number of nested triggers that led to the change; 0 for a change by the statement itself.
  ///
  /// The corresponding C function is `sqlite3_preupdate_depth`.
  public var depth: Int { unsafe Int(sluice_preupdate_depth(handle)) }

  /// Whether SQLite is certain to count the row as a change of the running statement.
  ///
  /// The property is false for every deleted row, because SQLite does not count rows that `REPLACE` displaces.
  var isCounted: Bool { depth == 0 && operation != .delete && writtenBlob == nil }

  /// The index of the column whose blob is about to be written in place; nil for any other change.
  ///
  /// The new value of such a blob is unknown.
  ///
  /// The corresponding C function is `sqlite3_preupdate_blobwrite`.
  public var writtenBlob: Int? {
    let column = unsafe sluice_preupdate_blobwrite(handle)
    return column >= 0 ? Int(column) : nil
  }

  /// Returns the value of a column before the change.
  ///
  /// - Throws: ``ResultCode/misuse`` for an inserted row.
  ///
  /// The corresponding C function is `sqlite3_preupdate_old`.
  public func old(at index: Int) throws -> DatabaseValue {
    guard operation != .insert else {
      throw SQLiteError(.misuse, "An inserted row has no old values")
    }
    return try unsafe value(index, isOld: true) { unsafe sluice_preupdate_old(handle, $0, &$1) }
  }

  /// Returns the value of a column after the change.
  ///
  /// - Throws: ``ResultCode/misuse`` for a deleted row, and for a blob that is written in place.
  ///
  /// The corresponding C function is `sqlite3_preupdate_new`.
  public func new(at index: Int) throws -> DatabaseValue {
    guard operation != .delete, writtenBlob == nil else {
      throw SQLiteError(
        .misuse, "A deleted row, or a blob that is written in place, has no new values")
    }
    return try unsafe value(index, isOld: false) { unsafe sluice_preupdate_new(handle, $0, &$1) }
  }

  private func value(
    _ index: Int, isOld: Bool, _ look: (Int32, inout OpaquePointer?) -> Int32
  ) throws -> DatabaseValue {
    let count = self.count
    guard index >= 0, index < count else {
      throw SQLiteError(
        .range, "There is no column at index \(index); the row has \(count) columns")
    }
    var value: OpaquePointer?
    // Some versions of SQLite number only the stored columns. If the table has a column that is not stored, the
    // last index is then out of range. In later versions, only the indexes of such columns are out of range.
    if unsafe look(Int32(truncatingIfNeeded: count - 1), &value) == SQLITE_RANGE {
      try refuseMoved(index)
    }
    let code = unsafe look(Int32(truncatingIfNeeded: index), &value)
    if code == SQLITE_RANGE { try refuseMoved(index) }
    guard code == SQLITE_OK, let value = unsafe value else {
      throw unsafe SQLiteError(code == SQLITE_OK ? SQLITE_NOMEM : code, of: nil)
    }
    if isOld, unsafe Self.isMissing(value),
      let stored = try unsafe storedValue(index, of: handle, rowid: oldKey)
    {
      return stored
    }
    do { return try unsafe Argument(value).stored() } catch {
      throw error.error("Column \(index)")
    }
  }

  /// Throws if the column, or a column before it, is not stored.
  private func refuseMoved(_ index: Int) throws {
    let sql = try "PRAGMA \(quoted(identifier: schema)).table_xinfo(\(quoted(identifier: table)))"
    try unsafe RawQuery.run(sql, on: handle) { row in
      guard unsafe sqlite3_column_int64(row, 0) <= Int64(index),
        unsafe sqlite3_column_int64(row, 6) == 2
      else { return }
      throw SQLiteError(
        .schema,
        "Column \(index) is a virtual generated column or follows one, so its value cannot be read here"
      )
    }
  }
}

extension Connection {
  /// Calls `body` before each row is inserted, updated or deleted, with the old and new values.
  ///
  /// ```swift
  /// try connection.onPreUpdate { change in
  ///   guard change.table == "account", change.operation == .update else { return }
  ///   history.append((try change.old(at: 1), try change.new(at: 1)))
  /// }
  /// ```
  ///
  /// Unlike ``onUpdate(_:)``, this hook reports changes to tables without a rowid, rows that `REPLACE` displaces, and
  /// the rows of a `DELETE` without `WHERE`. It does not report changes to virtual tables or to SQLite's own tables.
  /// As with ``onUpdate(_:)``, a reported change can still be rolled back, and `body` can throw.
  ///
  /// - Throws: ``ResultCode/notFound`` if the linked SQLite lacks ``SQLiteCapability/preUpdateHook``.
  ///   ``ResultCode/misuse`` while the connection has a session, which uses the same hook.
  ///
  /// The corresponding C function is `sqlite3_preupdate_hook`.
  @discardableResult
  public func onPreUpdate(
    _ body: @escaping (_ change: borrowing PendingRowChange) throws -> Void
  ) throws -> HookToken {
    _ = try unsafe handle()
    try SQLiteLibrary.require(.preUpdateHook)
    guard state.watchers.preUpdates.user != .sessions else {
      throw SQLiteError(.misuse, "The connection has a session, which uses the pre-update hook")
    }
    return try observe(\.preUpdate, body)
  }
}

extension Hooks {
  func installPreUpdateHook(_ handle: OpaquePointer, _ isOn: Bool) {
    state.watchers.preUpdates.user = isOn ? .hooks : nil
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
    // A DELETE without WHERE that was prepared before the hook was set would not visit the rows.
    unsafe recompileStatements(handle)
  }
}
