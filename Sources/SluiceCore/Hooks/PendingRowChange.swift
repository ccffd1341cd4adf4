import CSluice

/// A row that is about to change, lent for the time of the call.
///
/// The values are those of all columns, in the order of the table. An index outside of them throws
/// ``ResultCode/range``, and text that is not UTF-8 throws ``ResultCode/mismatch``. A column that is computed when
/// it is read throws ``ResultCode/schema``, and so may those behind it, which SQLite 3.40 would mix up.
///
/// SQLite 3.40 takes the old value of a column that was added to the table after the row was written for NULL,
/// whatever its default, and a whole number that is inserted into a column declared `REAL` for an integer.
@safe public struct PendingRowChange: ~Copyable {
  private let handle: OpaquePointer
  private let schemaName: UnsafePointer<CChar>?
  private let tableName: UnsafePointer<CChar>?
  private let oldKey: Int64
  private let newKey: Int64
  /// The kind of the change; ``writtenBlob`` tells a blob that is written separately.
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
  /// The name that the database has on the connection, such as `main`.
  public var schema: String { unsafe schemaName.map { unsafe String(cString: $0) } ?? "" }

  /// The table of the row.
  public var table: String { unsafe tableName.map { unsafe String(cString: $0) } ?? "" }

  /// The key that the row has, or nil for one that is new.
  ///
  /// In a table without a rowid, it means nothing.
  public var oldRowid: Int64? { operation == .insert ? nil : oldKey }

  /// The key that the row will have, or nil for one that goes.
  ///
  /// In a table without a rowid, it means nothing.
  public var newRowid: Int64? {
    if operation == .delete { return nil }
    return writtenBlob == nil ? newKey : oldKey
  }

  /// How many columns the row has.
  ///
  /// The corresponding C function is `sqlite3_preupdate_count`.
  public var count: Int { unsafe Int(sluice_preupdate_count(handle)) }

  /// How many triggers, each called by the one before, have led here; 0 for what SQL does itself.
  ///
  /// The corresponding C function is `sqlite3_preupdate_depth`.
  public var depth: Int { unsafe Int(sluice_preupdate_depth(handle)) }

  /// Whether SQLite certainly counts it as a change of the statement that runs; rows that REPLACE displaces are not counted.
  var isCounted: Bool { depth == 0 && operation != .delete && writtenBlob == nil }

  /// The column of the blob that is about to be written in place, or nil if that is not what happens.
  ///
  /// The new value is not known then.
  ///
  /// The corresponding C function is `sqlite3_preupdate_blobwrite`.
  public var writtenBlob: Int? {
    let column = unsafe sluice_preupdate_blobwrite(handle)
    return column >= 0 ? Int(column) : nil
  }

  /// The value that a column has; a row that is new throws ``ResultCode/misuse``.
  ///
  /// The corresponding C function is `sqlite3_preupdate_old`.
  public func old(at index: Int) throws -> DatabaseValue {
    guard operation != .insert else {
      throw SQLiteError(.misuse, "An inserted row has no old values")
    }
    return try unsafe value(index) { unsafe sluice_preupdate_old(handle, $0, &$1) }
  }

  /// The value that a column will have; a row that goes, and a blob that is written in place, throws
  /// ``ResultCode/misuse``.
  ///
  /// The corresponding C function is `sqlite3_preupdate_new`.
  public func new(at index: Int) throws -> DatabaseValue {
    guard operation != .delete, writtenBlob == nil else {
      throw SQLiteError(.misuse, "A deleted row has no new values")
    }
    return try unsafe value(index) { unsafe sluice_preupdate_new(handle, $0, &$1) }
  }

  private func value(
    _ index: Int, _ look: (Int32, inout OpaquePointer?) -> Int32
  ) throws -> DatabaseValue {
    let count = self.count
    guard index >= 0, index < count else {
      throw SQLiteError(.range, "There is no column \(index); the row has \(count)")
    }
    var value: OpaquePointer?
    // The last one is out of range if SQLite counts only the columns that are stored; later, those are that are not.
    if unsafe look(Int32(truncatingIfNeeded: count - 1), &value) == SQLITE_RANGE {
      try refuseMoved(index)
    }
    let code = unsafe look(Int32(truncatingIfNeeded: index), &value)
    if code == SQLITE_RANGE { try refuseMoved(index) }
    guard code == SQLITE_OK, let value = unsafe value else {
      throw unsafe SQLiteError(code == SQLITE_OK ? SQLITE_NOMEM : code, of: nil)
    }
    do { return try unsafe Argument(value).stored() } catch {
      throw error.error("Column \(index)")
    }
  }

  /// Refuses a column that is not stored, or stands behind one that is not.
  private func refuseMoved(_ index: Int) throws {
    let sql = try "PRAGMA \(quoted(identifier: schema)).table_xinfo(\(quoted(identifier: table)))"
    var statement: OpaquePointer?
    defer { unsafe sqlite3_finalize(statement) }
    var code = unsafe sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
    if code == SQLITE_OK { code = unsafe sqlite3_step(statement) }
    while code == SQLITE_ROW {
      if unsafe sqlite3_column_int64(statement, 0) <= Int64(index),
        unsafe sqlite3_column_int64(statement, 6) == 2
      {
        throw SQLiteError(
          .schema,
          "Column \(index) is a virtual generated column or follows one, so its value cannot be read here"
        )
      }
      code = unsafe sqlite3_step(statement)
    }
    guard code == SQLITE_DONE else { throw unsafe SQLiteError(code, of: handle, sql: sql) }
  }
}

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
      throw SQLiteError(.misuse, "The connection has a session, which uses the pre-update hook")
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
