import CSluice

/// How tables come and go.
extension ModuleBox {
  func addConnecting(_ use: VirtualTableUse, _ module: inout sqlite3_module) {
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
    // To SQLite, a module is eponymous if the two are the same, and only so if there is but one.
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
      // Not all ways to connect pass the code on.
      box.state.keepFailure(error)
      let failure = SQLiteError(wrapping: error)
      unsafe message?.pointee = sluice_message(failure.message)
      return codeOfFailure(failure.code)
    }
  }

  /// Makes a table, and tells SQLite what it is.
  private func table(
    _ texts: [String], of connection: OpaquePointer?, _ isCreating: Bool
  ) throws -> UnsafeMutablePointer<sqlite3_vtab>? {
    let arguments = VirtualTableArguments(
      connection: try self.connection, module: texts.first ?? "",
      schema: texts.dropFirst().first ?? "", table: texts.dropFirst(2).first ?? "",
      values: Array(texts.dropFirst(3)), isCreating: isCreating)
    try refuseConfined(arguments)
    // What is created may write: its statement is compiled already.
    let outer = state.enter(isCreating ? .compile : .connect)
    defer { state.leave(to: outer) }
    // After a rollback, SQLite would go on with a table that is not there any more.
    let (box, sql) = try state.call {
      let box = unsafe TableBox(try make(arguments), self, connection)
      // What has been made is let go of when SQLite is done, whatever comes now.
      state.release(box)
      return (box, try box.table.schema.sql)
    }
    // SQLite 3.40 takes any other statement for one that has made a table.
    guard sql.drop(while: \.isWhitespace).prefix(13).uppercased() == "CREATE TABLE " else {
      throw SQLiteError(.error, "A virtual table is declared by CREATE TABLE", sql: sql)
    }
    let code = unsafe sqlite3_declare_vtab(connection, sql)
    guard code == SQLITE_OK else { throw unsafe SQLiteError(code, of: connection, sql: sql) }
    try unsafe box.table.options.apply(to: connection)
    return try unsafe box.allocated()
  }

  /// Throws for a table that a file asks for on a connection that keeps to its file.
  private func refuseConfined(_ arguments: VirtualTableArguments) throws {
    guard arguments.connection.configuration.isConfined, arguments.schema != "temp" else { return }
    let isItself = arguments.table == arguments.module && arguments.values.isEmpty
    guard use == .created || !isItself else { return }
    throw SQLiteError(
      .authorization,
      "\(arguments.table) is a table of the module \(arguments.module), which no file may ask for here"
    )
  }
}
