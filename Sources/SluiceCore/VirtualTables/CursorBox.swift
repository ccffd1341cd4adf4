import CSluice

/// The state of a virtual table's cursor, which C retains.
final class CursorBox: AnyBox {
  let cursor: any VirtualTableCursor
  let skipsUnchanged: Bool

  init(_ cursor: any VirtualTableCursor, _ table: TableBox) {
    self.cursor = cursor
    skipsUnchanged = table.skipsUnchanged
    super.init(table.state)
  }

  typealias Pointer = UnsafeMutablePointer<sqlite3_vtab_cursor>

  /// Allocates the C structure, with a reference to this box that `free(_:)` releases.
  func allocated() throws -> Pointer {
    guard let memory = unsafe sluice_allocate(UInt64(MemoryLayout<sluice_cursor>.size)) else {
      throw SQLiteError(.noMemory, "Out of memory for a cursor")
    }
    let cursor = unsafe memory.bindMemory(to: sluice_cursor.self, capacity: 1)
    unsafe cursor.pointee.object = retained()
    return unsafe UnsafeMutableRawPointer(cursor).assumingMemoryBound(to: sqlite3_vtab_cursor.self)
  }

  /// Calls `body` with the box of a C cursor, and returns the result; SQLite keeps the cursor during the call.
  @inline(__always)
  static func with<T>(_ cursor: Pointer?, _ body: (CursorBox) throws -> T) rethrows -> T {
    let cursor = unsafe UnsafeMutableRawPointer(cursor!).assumingMemoryBound(
      to: sluice_cursor.self)
    return try unsafe Unmanaged<CursorBox>.fromOpaque(cursor.pointee.object)
      ._withUnsafeGuaranteedRef(body)
  }

  /// Calls `body` with a cursor, reports any error to SQLite, and returns the result code.
  @inline(__always)
  static func call(
    _ cursor: Pointer?, _ body: (any VirtualTableCursor) throws -> Void
  ) -> Int32 {
    do {
      try unsafe with(cursor) { box in try box.state.call { try body(box.cursor) } }
      return SQLITE_OK
    } catch { return unsafe TableBox.report(error, to: cursor?.pointee.pVtab) }
  }

  /// Frees a C cursor, and releases its box.
  static func free(_ cursor: Pointer?) {
    let memory = unsafe UnsafeMutableRawPointer(cursor!).assumingMemoryBound(
      to: sluice_cursor.self)
    let object = unsafe memory.pointee.object
    unsafe sqlite3_free(memory)
    unsafe releaseBox(object)
  }
}

/// The state of a virtual table, which C retains.
@safe final class TableBox: AnyBox {
  let table: any VirtualTable
  /// The table if it is writable, otherwise nil.
  let writer: (any WritableVirtualTable)?
  let skipsUnchanged: Bool
  /// The C connection, which outlives the table.
  let connection: OpaquePointer?
  /// The overloads that the table has returned; nil for a function that it does not overload.
  var functions: [FunctionName: Box<VirtualTableFunction>?] = [:]
  /// The number of calls to the table that are in progress, not counting calls to its cursors.
  ///
  /// SQLite itself counts the open cursors, and refuses to drop a table that has any.
  private var calls = 0

  init(_ table: any VirtualTable, _ module: ModuleBox, _ connection: OpaquePointer?) {
    self.table = table
    unsafe self.connection = connection
    writer = module.isWritable ? table as? any WritableVirtualTable : nil
    skipsUnchanged = module.isWritable && table.options.contains(.skipsUnchanged)
    super.init(module.state)
  }

  typealias Pointer = UnsafeMutablePointer<sqlite3_vtab>

  /// Allocates the C structure, with a reference to this box that `free(_:)` releases.
  func allocated() throws -> Pointer {
    guard let memory = unsafe sluice_allocate(UInt64(MemoryLayout<sluice_table>.size)) else {
      throw SQLiteError(.noMemory, "Out of memory for a virtual table")
    }
    let table = unsafe memory.bindMemory(to: sluice_table.self, capacity: 1)
    unsafe table.pointee.object = retained()
    return unsafe UnsafeMutableRawPointer(table).assumingMemoryBound(to: sqlite3_vtab.self)
  }

  /// Returns the box of a C table.
  @inline(__always)
  static func at(_ table: Pointer?) -> TableBox {
    let table = unsafe UnsafeMutableRawPointer(table!).assumingMemoryBound(to: sluice_table.self)
    return unsafe Unmanaged<TableBox>.fromOpaque(table.pointee.object).takeUnretainedValue()
  }

  /// Calls `body` with a table, reports any error to SQLite, and returns the result code.
  @inline(__always)
  static func call(_ table: Pointer?, _ body: (TableBox, Pointer?) throws -> Void) -> Int32 {
    let box = unsafe at(table)
    do {
      try box.called { try unsafe body(box, table) }
      return SQLITE_OK
    } catch { return unsafe report(error, to: table) }
  }

  /// Calls `body`, prevents the table from being dropped during the call, and returns the result.
  func called<T>(_ body: () throws -> T) throws -> T {
    calls += 1
    defer { calls -= 1 }
    return try state.call(body)
  }

  /// Reports `error` to the statement that called the table, and returns the result code.
  @inline(never)
  static func report(_ error: any Error, to table: Pointer?) -> Int32 {
    let failure = unsafe at(table).state.tellFailure(error)
    unsafe sqlite3_free(table?.pointee.zErrMsg)
    unsafe table?.pointee.zErrMsg = sluice_message(failure.message)
    return codeOfFailure(failure.code)
  }

  /// Drops a table and returns the result code; fails if the table throws or is in use.
  static func destroy(_ table: Pointer?) -> Int32 {
    let box = unsafe at(table)
    do {
      guard box.calls == 0 else { throw inUse }
      try box.called { try box.table.destroy() }
      // SQLite counted the cursors before it called this function, and `destroy()` may have opened another cursor.
      guard unsafe table?.pointee.nRef == 0 else { throw inUse }
    } catch {
      // The callback can return only a code, so the error is stored for the statement to throw.
      box.state.keepFailure(error)
      return codeOfFailure(SQLiteError(wrapping: error).code)
    }
    unsafe free(table)
    return SQLITE_OK
  }

  private static var inUse: SQLiteError {
    SQLiteError(.locked, "A virtual table cannot be dropped by its own methods")
  }

  /// Frees a C table, and releases its box.
  static func free(_ table: Pointer?) {
    let memory = unsafe UnsafeMutableRawPointer(table!).assumingMemoryBound(to: sluice_table.self)
    unsafe sqlite3_free(memory.pointee.base.zErrMsg)
    let object = unsafe memory.pointee.object
    unsafe sqlite3_free(memory)
    unsafe releaseBox(object)
  }
}

/// The name and arity by which SQL calls a function.
struct FunctionName: Hashable {
  let name: String
  let arity: Int
}

extension TableBox {
  typealias Function =
    @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void

  /// Reports the table's overload of a function to SQLite.
  ///
  /// - Returns: The overload's constraint number, or 1 if it has none; 0 if there is no overload.
  func find(
    _ arity: Int32, _ name: UnsafePointer<CChar>?, _ function: UnsafeMutablePointer<Function?>?,
    _ pointer: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
  ) -> Int32 {
    guard let name = unsafe name else { return 0 }
    guard let box = unsafe found(FunctionName(name: String(cString: name), arity: Int(arity)))
    else { return 0 }
    unsafe function?.pointee = { context, count, values in
      unsafe Box<VirtualTableFunction>.with(sqlite3_user_data(context)) { box in
        unsafe FunctionContext(context).setResultOfCall(box.state) {
          try unsafe box.value.body(SQLFunctionArguments(count, values, context))
        }
      }
    }
    // The table retains the box, and SQLite keeps the table as long as a statement can call the function.
    unsafe pointer?.pointee = Unmanaged.passUnretained(box).toOpaque()
    return box.value.constraint ?? 1
  }

  /// Returns the overload of a function, which is requested from the table only once.
  private func found(_ name: FunctionName) -> Box<VirtualTableFunction>? {
    if let known = functions[name] { return known }
    let function = state.within(.plan) { table.function(name.name, arity: name.arity) }
    let box = function.map { Box($0, state, function: name.name) }
    functions[name] = .some(box)
    return box
  }
}
