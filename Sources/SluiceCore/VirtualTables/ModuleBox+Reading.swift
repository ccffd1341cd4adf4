import CSluice

/// How rows are found and read.
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
        unsafe answer(context, box.state) { try box.cursor.column(Int(index)) }
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
      // SQLite would pass on no code, and to it one of them means that there is no plan.
      box.state.keepFailure(error)
      _ = unsafe TableBox.report(error, to: table)
      return SQLITE_ERROR
    }
  }
}
