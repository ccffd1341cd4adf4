import CSluice

extension AccessTracker {
  /// Takes down what the authorizer is asked, as C has it.
  func tell(
    _ code: Int32, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?,
    _ schema: UnsafePointer<CChar>?
  ) {
    func key() -> TableKey { unsafe TableKey(database(text(schema)), text(first)) }
    switch code {
    case SQLITE_READ:
      // Of a table without any of its columns, SQLite tells the name as it stands in the query.
      guard let schema = unsafe schema else { return unsafe tell(.count(text(first).withoutCase)) }
      unsafe tell(
        .read(TableKey(database(text(schema)), text(first)), column: text(second)))
    case SQLITE_INSERT, SQLITE_DELETE: tell(.write(key()))
    case SQLITE_UPDATE:
      unsafe tell(.update(schema: text(schema), key(), column: text(second)))
    case SQLITE_ALTER_TABLE: unsafe tell(.alter(database: database(text(first))))
    case SQLITE_SAVEPOINT:
      if let step = unsafe SavepointStep(text(first), text(second)) { tell(.step(step)) }
    case SQLITE_PRAGMA:
      let schema = unsafe schema.map { unsafe text($0) } ?? "main"
      let pragma = unsafe TableKey(pragma: text(first), of: database(schema))
      // What is set is told as what is asked, but with a value.
      tell(.read(pragma, column: ""))
      if unsafe second != nil, pragma.isHeaderNumber { tell(.set(pragma)) }
    case SQLITE_ANALYZE:
      let database = unsafe database(schema.map { unsafe text($0) } ?? "main")
      for table in ["sqlite_stat1", "sqlite_stat4"] { tell(.set(TableKey(database, table))) }
    default: break
    }
  }

  private func text(_ text: UnsafePointer<CChar>?) -> String {
    unsafe text.map { unsafe String(cString: $0) } ?? ""
  }
}
