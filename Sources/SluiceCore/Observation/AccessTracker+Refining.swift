extension AccessTracker {
  /// Finds out which of the updates of a statement can do more than to change their columns.
  ///
  /// One of a column that is unique can displace rows, with `OR REPLACE`. What is generated from a
  /// column, or what a virtual table makes of it, is not known.
  func refine(_ access: StatementAccess, _ connection: Connection) {
    guard !access.isRefined else { return }
    access.isRefined = true
    for case (let table, let columns?) in access.writes.columns {
      let schema = access.schemas[table.database] ?? "main"
      guard let special = try? asking({ try specialColumns(of: table.table, schema, connection) })
      else {
        access.refine(table)
        continue
      }
      // A rowid has three names.
      let isSpecial = columns.contains { special.contains($0.withoutCase) || isRowid($0) }
      if isSpecial || special.contains("") { access.refine(table) }
    }
  }

  private func isRowid(_ column: String) -> Bool {
    ["rowid", "oid", "_rowid_"].contains(column.withoutCase)
  }

  /// The columns by which a row can displace others; an empty name if all updates are special.
  private func specialColumns(
    of table: String, _ schema: String, _ connection: Connection
  ) throws -> Set<String> {
    let names = try connection.query(
      .column(.optional(.string)),
      sql: """
        SELECT NULL FROM pragma_table_list
        WHERE schema = ?1 COLLATE NOCASE AND name = ?2 COLLATE NOCASE AND type = 'virtual'
        UNION ALL
        SELECT iif(hidden IN (2, 3), NULL, name) FROM pragma_table_xinfo(?2, ?1)
        WHERE pk > 0 OR hidden IN (2, 3)
        UNION ALL
        SELECT iif(list.partial, NULL, info.name)
        FROM pragma_index_list(?2, ?1) AS list, pragma_index_info(list.name, ?1) AS info
        WHERE list."unique"
        """, parameters: schema, table)
    return Set(names.map { $0?.withoutCase ?? "" })
  }
}
