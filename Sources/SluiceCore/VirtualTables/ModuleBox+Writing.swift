import CSluice

/// How rows change.
extension ModuleBox {
  func addWriting(_ module: inout sqlite3_module) {
    unsafe module.xUpdate = { table, count, values, rowid in
      unsafe TableBox.call(table) { box, _ in
        guard let writer = box.writer else { throw ModuleBox.notWritable }
        let change = unsafe Change(
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

  /// SQLite takes the transaction for ended already, and would let another begin in the midst of its commit.
  private static func commit(
    _ table: TableBox.Pointer?, _ body: (any WritableVirtualTable) throws -> Void
  ) -> Int32 {
    unsafe TableBox.call(table) { box, _ in
      guard let writer = box.writer else { return }
      box.state.beginWrite()
      defer { box.state.endWrite() }
      try body(writer)
    }
  }

  func addSavepoints(_ module: inout sqlite3_module) {
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
      // SQLite has no message here.
      box.state.keepFailure(error)
      return codeOfFailure(SQLiteError(wrapping: error).code)
    }
  }

  private static var notWritable: SQLiteError {
    SQLiteError(.readOnly, "The virtual table takes no changes")
  }
}
