import CSluice

/// The state of a module, which C retains: the closure that creates its tables, and its callbacks.
@safe final class ModuleBox: AnyBox {
  typealias Make = (VirtualTableArguments) throws -> any VirtualTable

  let make: Make
  let use: VirtualTableUse
  let isWritable: Bool
  /// The C structure, to which SQLite refers until SQLite releases this box after the module's last table.
  let functions: UnsafeMutablePointer<sluice_module>
  /// The connection, which is not retained; `state.isOpen` becomes false before the connection is deallocated.
  private let owner: Unmanaged<Connection>

  init(
    _ connection: Connection, _ use: VirtualTableUse, isWritable: Bool, shadow: ShadowNames?,
    _ make: @escaping Make
  ) {
    self.make = make
    self.use = use
    self.isWritable = isWritable
    unsafe owner = Unmanaged.passUnretained(connection)
    unsafe functions = UnsafeMutablePointer<sluice_module>.allocate(capacity: 1)
    unsafe functions.initialize(to: sluice_module())
    super.init(connection.state)
    unsafe functions.pointee.base.iVersion = 4
    unsafe addConnecting(use, &functions.pointee.base)
    unsafe addReading(&functions.pointee.base)
    if isWritable {
      unsafe addWriting(&functions.pointee.base)
      unsafe addSavepoints(&functions.pointee.base)
    }
    unsafe functions.pointee.base.xShadowName = shadow?.function
    unsafe sluice_set_integrity(functions) { table, _, _, flags, message in
      unsafe TableBox.call(table) { box, _ in
        guard let damage = try box.table.damage(isQuick: flags & 1 != 0) else { return }
        unsafe message?.pointee = sluice_message(damage)
      }
    }
  }

  deinit { unsafe functions.deallocate() }

  var connection: Connection {
    get throws {
      guard state.isOpen else {
        throw SQLiteError(.misuse, "The connection is closed")
      }
      return unsafe owner.takeUnretainedValue()
    }
  }

  /// Returns the module behind a pointer that `retained()` returned.
  static func at(_ pointer: UnsafeMutableRawPointer?) -> ModuleBox {
    unsafe Unmanaged<ModuleBox>.fromOpaque(pointer!).takeUnretainedValue()
  }
}

/// Creating, connecting and dropping tables.
extension ModuleBox {
  private func addConnecting(_ use: VirtualTableUse, _ module: inout sqlite3_module) {
    unsafe module.xConnect = { connection, box, count, texts, table, message in
      unsafe ModuleBox.connect(
        connection, box, count, texts, table, message, isCreating: false)
    }
    switch use {
    case .created:
      unsafe module.xCreate = { connection, box, count, texts, table, message in
        unsafe ModuleBox.connect(
          connection, box, count, texts, table, message, isCreating: true)
      }
    // SQLite treats a module as eponymous if xCreate equals xConnect, and as eponymous-only without xCreate.
    case .eponymous: unsafe module.xCreate = module.xConnect
    case .eponymousOnly: break
    }
    unsafe module.xDisconnect = { table in
      unsafe TableBox.free(table)
      return SQLITE_OK
    }
    unsafe module.xDestroy = { table in unsafe TableBox.destroy(table) }
    unsafe module.xRename = { table, name in
      unsafe TableBox.call(table) { box, _ in
        try box.table.rename(to: unsafe name.map { unsafe String(cString: $0) } ?? "")
      }
    }
  }

  private static func connect(
    _ connection: OpaquePointer?, _ pointer: UnsafeMutableRawPointer?, _ count: Int32,
    _ texts: UnsafePointer<UnsafePointer<CChar>?>?,
    _ place: UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab>?>?,
    _ message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, isCreating: Bool
  ) -> Int32 {
    let box = unsafe ModuleBox.at(pointer)
    do {
      let texts = (0..<Int(count)).map { index in
        unsafe (texts?[index]).map { unsafe String(cString: $0) } ?? ""
      }
      unsafe place?.pointee = try box.table(texts, of: connection, isCreating)
      return SQLITE_OK
    } catch {
      // SQLite does not always pass on the code, so the error is stored for the statement to throw.
      box.state.keepFailure(error)
      let failure = SQLiteError(wrapping: error)
      unsafe message?.pointee = sluice_message(failure.message)
      return codeOfFailure(failure.code)
    }
  }

  /// Creates or connects a table, and declares it to SQLite.
  private func table(
    _ texts: [String], of connection: OpaquePointer?, _ isCreating: Bool
  ) throws -> UnsafeMutablePointer<sqlite3_vtab>? {
    let arguments = VirtualTableArguments(
      connection: try self.connection, module: texts.first ?? "",
      schema: texts.dropFirst().first ?? "", table: texts.dropFirst(2).first ?? "",
      values: Array(texts.dropFirst(3)), isCreating: isCreating)
    try refuseConfined(arguments)
    // While a table is being created, `make` may write: SQLite calls it when CREATE VIRTUAL TABLE runs, not when
    // a statement is prepared.
    let outer = state.enter(isCreating ? .compile : .connect)
    defer { state.leave(to: outer) }
    // If `make` rolls back the statement, `call` throws, because SQLite would otherwise continue with a table that
    // no longer exists.
    let (box, sql) = try state.call {
      let box = unsafe TableBox(try make(arguments), self, connection)
      // The box is released only after SQLite's call, even if an error follows.
      state.release(box)
      return (box, try box.table.schema.sql)
    }
    // SQLite 3.40 would also accept statements of other kinds as the declaration of a table.
    guard sql.drop(while: \.isWhitespace).prefix(13).uppercased() == "CREATE TABLE " else {
      throw SQLiteError(
        .error, "The schema of a virtual table must be a CREATE TABLE statement", sql: sql)
    }
    let code = unsafe sqlite3_declare_vtab(connection, sql)
    guard code == SQLITE_OK else { throw unsafe SQLiteError(code, of: connection, sql: sql) }
    try unsafe box.table.options.apply(to: connection)
    return try unsafe box.allocated()
  }

  /// Throws if a database file requests the table on a connection that is confined to its file.
  private func refuseConfined(_ arguments: VirtualTableArguments) throws {
    guard arguments.connection.configuration.isConfined, arguments.schema != "temp" else { return }
    let isItself = arguments.table == arguments.module && arguments.values.isEmpty
    guard use == .created || !isItself else { return }
    throw SQLiteError(
      .authorization,
      "\(arguments.table) uses the module \(arguments.module), which an untrusted file cannot use"
    )
  }
}

/// Finding and reading rows.
extension ModuleBox {
  func addReading(_ module: inout sqlite3_module) {
    unsafe module.xBestIndex = { table, info in unsafe ModuleBox.plan(table, info) }
    unsafe module.xFindFunction = { table, arity, name, function, box in
      unsafe TableBox.at(table).find(arity, name, function, box)
    }
    unsafe module.xOpen = { table, place in
      unsafe TableBox.call(table) { box, _ in
        unsafe place?.pointee = try unsafe CursorBox(box.table.cursor(), box).allocated()
      }
    }
    unsafe module.xClose = { cursor in
      unsafe CursorBox.free(cursor)
      return SQLITE_OK
    }
    unsafe module.xFilter = { cursor, number, text, count, values in
      unsafe CursorBox.call(cursor) { cursor in
        let arguments = unsafe SQLFunctionArguments(count, values)
        try cursor.filter(unsafe VirtualTableFilter(number, text, arguments))
      }
    }
    unsafe module.xNext = { cursor in unsafe CursorBox.call(cursor) { try $0.next() } }
    unsafe module.xEof = { cursor in
      unsafe CursorBox.with(cursor) { $0.cursor.isAtEnd ? 1 : 0 }
    }
    unsafe module.xColumn = { cursor, context, index in
      unsafe CursorBox.with(cursor) { box in
        if box.skipsUnchanged, unsafe sqlite3_vtab_nochange(context) != 0 { return }
        unsafe FunctionContext(context).setResult(box.state) { try box.cursor.column(Int(index)) }
      }
      return SQLITE_OK
    }
    unsafe module.xRowid = { cursor, rowid in
      unsafe CursorBox.call(cursor) { unsafe rowid?.pointee = try $0.rowid }
    }
  }

  private static func plan(
    _ table: TableBox.Pointer?, _ info: UnsafeMutablePointer<sqlite3_index_info>?
  ) -> Int32 {
    let box = unsafe TableBox.at(table)
    guard let info = unsafe info else { return SQLITE_ERROR }
    let outer = box.state.enter(.plan)
    defer { box.state.leave(to: outer) }
    do {
      let query = unsafe VirtualTableQuery(info)
      guard let plan = try box.table.plan(query) else { return SQLITE_CONSTRAINT }
      try query.answer(plan)
      return SQLITE_OK
    } catch {
      // SQLite would not pass on the code, and interprets SQLITE_CONSTRAINT as the absence of a plan.
      box.state.keepFailure(error)
      _ = unsafe TableBox.report(error, to: table)
      return SQLITE_ERROR
    }
  }
}

/// Changing rows.
extension ModuleBox {
  private func addWriting(_ module: inout sqlite3_module) {
    unsafe module.xUpdate = { table, count, values, rowid in
      unsafe TableBox.call(table) { box, _ in
        guard let writer = box.writer else { throw ModuleBox.notWritable }
        let change = unsafe ModuleChange(
          count: count, values: values, connection: box.connection)
        if let key = try change.apply(to: writer) { unsafe rowid?.pointee = key }
      }
    }
    unsafe module.xBegin = { table in
      unsafe TableBox.call(table) { box, _ in try box.writer?.begin() }
    }
    unsafe module.xSync = { table in
      unsafe ModuleBox.commit(table) { try $0.sync() }
    }
    unsafe module.xCommit = { table in
      unsafe ModuleBox.commit(table) { $0.commit() }
    }
    unsafe module.xRollback = { table in
      unsafe TableBox.call(table) { box, _ in box.writer?.rollback() }
    }
  }

  /// Calls `body` with the table, and prevents another transaction from beginning during the call.
  ///
  /// SQLite considers the transaction ended at this point, and would let another one begin in the middle of the
  /// commit.
  private static func commit(
    _ table: TableBox.Pointer?, _ body: (any WritableVirtualTable) throws -> Void
  ) -> Int32 {
    unsafe TableBox.call(table) { box, _ in
      guard let writer = box.writer else { return }
      box.state.writes.begin()
      defer { box.state.writes.end() }
      try body(writer)
    }
  }

  private func addSavepoints(_ module: inout sqlite3_module) {
    unsafe module.xSavepoint = { table, number in
      unsafe ModuleBox.savepoint(table) { try $0.savepoint(Int(number)) }
    }
    unsafe module.xRelease = { table, number in
      unsafe ModuleBox.savepoint(table) { try $0.release(Int(number)) }
    }
    unsafe module.xRollbackTo = { table, number in
      unsafe ModuleBox.savepoint(table) { try $0.rollback(to: Int(number)) }
    }
  }

  private static func savepoint(
    _ table: TableBox.Pointer?, _ body: (any WritableVirtualTable) throws -> Void
  ) -> Int32 {
    let box = unsafe TableBox.at(table)
    do {
      try box.called { if let writer = box.writer { try body(writer) } }
      return SQLITE_OK
    } catch {
      // The callback can return only a code, so the error is stored for the statement to throw.
      box.state.keepFailure(error)
      return codeOfFailure(SQLiteError(wrapping: error).code)
    }
  }

  private static var notWritable: SQLiteError {
    SQLiteError(.readOnly, "The virtual table is read-only")
  }
}

/// A change to a virtual table, as C passes it.
@safe struct ModuleChange {
  let count: Int32
  let values: UnsafeMutablePointer<OpaquePointer?>?
  let connection: OpaquePointer?

  /// Applies the change, and returns the rowid of an inserted row; nil for an update or a deletion, and for a key
  /// that is not an integer.
  func apply<Table: WritableVirtualTable>(to table: Table) throws -> Int64? {
    let keys = unsafe SQLFunctionArguments(min(count, 2), values)
    guard count > 1 else {
      try table.delete(keys.get(at: 0))
      return nil
    }
    let row = unsafe VirtualTableRow(
      SQLFunctionArguments(count - 2, values.map { unsafe $0 + 2 }),
      VirtualTableRow.ConflictResolution(of: connection))
    guard try keys.storageClass(at: 0) != .null else {
      let key = try table.insert(row, key: keys.get(at: 1))
      guard case .integer(let rowid) = try key.databaseValue else { return nil }
      return rowid
    }
    let key = try keys.get(Table.Key.self, at: 0)
    // If an UPDATE does not change the primary key of a `WITHOUT ROWID` table, SQLite may pass no new key. The row
    // then keeps its key.
    let isKept = unsafe sqlite3_value_nochange(try keys.argument(1).value) != 0
    try table.update(key, to: row, newKey: isKept ? key : keys.get(at: 1))
    return nil
  }
}
