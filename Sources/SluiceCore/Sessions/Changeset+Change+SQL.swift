extension Changeset.Change {
  /// The change as one statement of SQL, which does the same if the row is as it was.
  ///
  /// `columns` are the names of the columns, of which there may be more than the change has; if there are
  /// fewer, it throws ``ResultCode/range``. Each value comes back as it was, reals to the last bit, so some
  /// are written as a division.
  public func sql(columns: [String]) throws -> String {
    guard columns.count >= columnCount else {
      throw SQLiteError(.range, "The change has \(columnCount) columns, not \(columns.count)")
    }
    let names = try columns.map(quoted(identifier:))
    return try sql(table: quoted(identifier: table), \.exactLiteral) { names[$0] }
  }

  private func sql(
    table: String, _ literal: (DatabaseValue) -> String, _ name: (Int) -> String
  ) -> String {
    let row = key.map { "\(name($0.column)) = \(literal($0.value))" }.joined(separator: " AND ")
    let values = new.enumerated().compactMap { column, value in
      value.map { (name: name(column), literal: literal($0)) }
    }
    switch operation {
    case .insert:
      let names = values.map(\.name).joined(separator: ", ")
      let literals = values.map(\.literal).joined(separator: ", ")
      return "INSERT INTO \(table)(\(names)) VALUES (\(literals))"
    case .update:
      let changes = values.map { "\($0.name) = \($0.literal)" }.joined(separator: ", ")
      return "UPDATE \(table) SET \(changes) WHERE \(row)"
    case .delete: return "DELETE FROM \(table) WHERE \(row)"
    }
  }
}

extension Changeset.Change: CustomStringConvertible {
  /// The change as SQL to be read by people.
  ///
  /// Columns have numbers in the place of names, which are not recorded.
  public var description: String {
    sql(table: table.quoted("\""), \.description) { "column\($0)" }
  }
}

extension Connection {
  /// Changes as a script of SQL, with the names of the columns that the tables have here.
  ///
  /// The statements do what the changes do, if the rows are as they were; they know no conflicts. A table that
  /// is missing throws ``ResultCode/error``, and one with too few columns ``ResultCode/range``.
  public func sql<Format: Session.Format>(
    for changes: RecordedChanges<Format>, schema: String = "main"
  ) throws -> String {
    _ = try transactionState(schema: schema)
    var columns: [String: [String]] = [:]
    var script = ""
    try changes.forEachChange { change in
      let table = change.table
      let names = try columns[table] ?? names(of: table, schema)
      columns[table] = names
      script += try change.sql(columns: names) + ";\n"
    }
    return script
  }

  private func names(of table: String, _ schema: String) throws -> [String] {
    let statement = try prepare(sql: "SELECT name FROM pragma_table_info(?, ?)")
    let names = try statement.bind(.string(table), .string(schema)).query(.column(.string))
    guard !names.isEmpty else { throw SQLiteError(.error, "There is no table \(table)") }
    return names
  }
}
