import CSluice

/// The table-valued function `array`, which returns the elements of a bound array as rows.
///
/// To SQLite, the function is a table with the column `value`, and a hidden column for the argument.
enum ArrayModule {
  /// The names of the function; the second is for databases that have a table with the first name.
  static let names = ["array", "sluice_array"]
  private static let argumentColumn: Int32 = 1

  /// Registers the function with a connection, and returns the result code.
  static func add(to connection: OpaquePointer?) -> Int32 {
    for name in names {
      let module = unsafe module.to(sqlite3_module.self)
      let code = unsafe sqlite3_create_module_v2(connection, name, module, nil, nil)
      guard code == SQLITE_OK else { return code }
    }
    return SQLITE_OK
  }

  /// The callbacks, to which SQLite refers as long as any connection exists.
  ///
  /// The structure is complete before SQLite gets it, and never changes afterwards.
  private static let module: SharedPointer = {
    let module = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
    unsafe module.initialize(to: sqlite3_module())
    // The module is eponymous-only because it has no xCreate.
    unsafe module.pointee.xConnect = { connection, _, _, _, table, _ in
      let code = unsafe sqlite3_declare_vtab(connection, "CREATE TABLE x(value, argument HIDDEN)")
      guard code == SQLITE_OK else { return code }
      return unsafe allocate(sqlite3_vtab.self, table)
    }
    unsafe module.pointee.xDisconnect = { table in
      unsafe sqlite3_free(table)
      return SQLITE_OK
    }
    unsafe module.pointee.xBestIndex = { _, plan in unsafe chooseIndex(plan) }
    unsafe module.pointee.xOpen = { _, cursor in
      unsafe cursor?.withMemoryRebound(to: UnsafeMutablePointer<sluice_cursor>?.self, capacity: 1) {
        unsafe allocate(sluice_cursor.self, $0)
      } ?? SQLITE_ERROR
    }
    unsafe module.pointee.xClose = { cursor in
      unsafe setValues(of: cursor, to: nil)
      unsafe sqlite3_free(cursor)
      return SQLITE_OK
    }
    unsafe module.pointee.xFilter = { cursor, _, _, count, arguments in
      unsafe setValues(of: cursor, to: nil)
      let argument = unsafe count > 0 ? sluice_value_object(arguments?.pointee) : nil
      guard let box = unsafe argument,
        let values = unsafe Box<Any>.at(box).value as? [DatabaseValue]
      else {
        let table = unsafe cursor?.pointee.pVtab
        unsafe sqlite3_free(table?.pointee.zErrMsg)
        unsafe table?.pointee.zErrMsg = sluice_message(
          "array requires one argument, bound with SQLParameter.array")
        return SQLITE_MISMATCH
      }
      unsafe setValues(of: cursor, to: Values(values))
      // The second argument is a rowid; SQLite compares it again, so other rows may follow.
      if count == 2, let rowid = unsafe arguments?[1],
        unsafe sqlite3_value_type(rowid) == SQLITE_INTEGER
      {
        unsafe select(rowid: sqlite3_value_int64(rowid), of: cursor)
      }
      return SQLITE_OK
    }
    unsafe module.pointee.xNext = { cursor in
      unsafe own(cursor)?.pointee.position += 1
      return SQLITE_OK
    }
    unsafe module.pointee.xEof = { cursor in unsafe current(cursor) == nil ? 1 : 0 }
    unsafe module.pointee.xColumn = { cursor, context, index in
      guard index != argumentColumn, let value = unsafe current(cursor) else { return SQLITE_OK }
      do { try unsafe FunctionContext(context).setResult(value) } catch {
        unsafe FunctionContext(context).setError(SQLiteError(wrapping: error))
      }
      return SQLITE_OK
    }
    unsafe module.pointee.xRowid = { cursor, rowid in
      unsafe rowid?.pointee = (own(cursor)?.pointee.position ?? 0) + 1
      return SQLITE_OK
    }
    return unsafe SharedPointer(module)
  }()

  /// The array that a cursor iterates over, in a class so that C can hold a reference to it.
  private final class Values {
    let elements: [DatabaseValue]
    /// The position behind the last element to return.
    var end: Int
    init(_ elements: [DatabaseValue]) {
      self.elements = elements
      end = elements.count
    }
  }

  private static func chooseIndex(_ plan: UnsafeMutablePointer<sqlite3_index_info>?) -> Int32 {
    guard let plan = unsafe plan else { return SQLITE_ERROR }
    var isBlocked = false
    var argument: Int?
    var rowid: Int?
    for index in 0..<Int(unsafe plan.pointee.nConstraint) {
      let constraint = unsafe plan.pointee.aConstraint[index]
      guard Int32(constraint.op) == SQLITE_INDEX_CONSTRAINT_EQ else { continue }
      switch constraint.iColumn {
      case argumentColumn where constraint.usable == 0: isBlocked = true
      case argumentColumn: argument = argument ?? index
      case -1 where constraint.usable != 0: rowid = index
      default: break
      }
    }
    guard let argument else {
      // If the argument comes from a table that is read later, SQLITE_CONSTRAINT makes SQLite reject this plan.
      return isBlocked ? SQLITE_CONSTRAINT : SQLITE_OK
    }
    unsafe plan.pointee.aConstraintUsage[argument].argvIndex = 1
    unsafe plan.pointee.aConstraintUsage[argument].omit = 1
    if let rowid { unsafe plan.pointee.aConstraintUsage[rowid].argvIndex = 2 }
    unsafe plan.pointee.estimatedCost = rowid == nil ? 100 : 1
    unsafe plan.pointee.estimatedRows = rowid == nil ? 100 : 1
    // The rows are in the order of their rowids.
    if unsafe plan.pointee.nOrderBy == 1, unsafe plan.pointee.aOrderBy[0].iColumn == -1,
      unsafe plan.pointee.aOrderBy[0].desc == 0
    {
      unsafe plan.pointee.orderByConsumed = 1
    }
    return SQLITE_OK
  }

  /// Limits the rows of a cursor to the one with a rowid, if there is one.
  private static func select(
    rowid: Int64, of cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?
  ) {
    guard let cursor = unsafe own(cursor), let object = unsafe cursor.pointee.object else { return }
    unsafe Unmanaged<Values>.fromOpaque(object)._withUnsafeGuaranteedRef { values in
      let isFound = 1...Int64(max(1, values.elements.count)) ~= rowid
      unsafe cursor.pointee.position = isFound ? rowid - 1 : 0
      values.end = isFound ? min(Int(rowid), values.elements.count) : 0
    }
  }

  private static func allocate<T>(
    _ type: T.Type, _ place: UnsafeMutablePointer<UnsafeMutablePointer<T>?>?
  ) -> Int32 {
    guard let memory = unsafe sluice_allocate(UInt64(MemoryLayout<T>.size)) else {
      return SQLITE_NOMEM
    }
    unsafe place?.pointee = memory.bindMemory(to: T.self, capacity: 1)
    return SQLITE_OK
  }

  private static func own(_ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?)
    -> UnsafeMutablePointer<sluice_cursor>?
  {
    unsafe UnsafeMutableRawPointer(cursor)?.assumingMemoryBound(to: sluice_cursor.self)
  }

  private static func setValues(
    of cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?, to values: Values?
  ) {
    guard let cursor = unsafe own(cursor) else { return }
    if let old = unsafe cursor.pointee.object { unsafe Unmanaged<Values>.fromOpaque(old).release() }
    unsafe cursor.pointee.object = values.map { unsafe Unmanaged.passRetained($0).toOpaque() }
    unsafe cursor.pointee.position = 0
  }

  private static func current(_ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?)
    -> DatabaseValue?
  {
    guard let cursor = unsafe own(cursor), let object = unsafe cursor.pointee.object else {
      // A plain `nil` would be a literal of `DatabaseValue`, which means NULL.
      return DatabaseValue?.none
    }
    return unsafe Unmanaged<Values>.fromOpaque(object)._withUnsafeGuaranteedRef { values in
      let position = Int(unsafe cursor.pointee.position)
      return position < values.end ? values.elements[position] : DatabaseValue?.none
    }
  }
}
