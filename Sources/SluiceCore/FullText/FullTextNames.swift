/// The names of the database objects that belong to a full-text index that follows a table.
struct FullTextNames {
  /// The name of the full-text table.
  let table: String
  let schema: String

  /// The name of the view that selects the index's rows from the followed table.
  var source: String { table + "_source" }
  /// The name of the table that stores the values of each row in the followed table's unique indexes.
  var keys: String { table + "_keys" }
  var insert: String { table + "_insert" }
  var update: String { table + "_update" }
  var delete: String { table + "_delete" }

  func qualified(_ name: String) -> String { "\(schema.quoted("\"")).\(name.quoted("\""))" }
}

extension FullTextNames {
  /// Returns whether the full-text table follows a table.
  ///
  /// The view may refer to a table that no longer exists, so this method reads only the view's SQL.
  func isFollowing(_ connection: Connection) throws -> Bool {
    let sql = try connection.first(
      .column(.string),
      """
      SELECT sql FROM \(identifier: schema).sqlite_schema
      WHERE type = 'view' AND name = \(source) COLLATE NOCASE
      """)
    return sql?.contains("(rowid, c0") ?? false
  }

  /// Returns the name of the followed table, or nil if a trigger is missing.
  func followedTable(_ connection: Connection) throws -> String? {
    let tables = try connection.query(
      .column(.string),
      """
      SELECT tbl_name FROM \(identifier: schema).sqlite_schema WHERE type = 'trigger'
        AND name COLLATE NOCASE IN (\(insert), \(update), \(delete))
      """)
    return tables.count == 3 ? tables[0] : nil
  }
}
