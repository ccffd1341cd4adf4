import CSluice

/// What SQLite wants to be changed in a virtual table, as C has it.
@safe struct Change {
  let count: Int32
  let values: UnsafeMutablePointer<OpaquePointer?>?
  let connection: OpaquePointer?

  /// Carries the change out, and returns the rowid of a new row, if it has one.
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
    // The primary key of a table without a rowid may be one of the columns that are not read.
    let isKept = unsafe sqlite3_value_nochange(try keys.argument(1).value) != 0
    try table.update(key, to: row, newKey: isKept ? key : keys.get(at: 1))
    return nil
  }
}
