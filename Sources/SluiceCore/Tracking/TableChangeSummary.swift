/// The tables that statements have written, or may have written.
struct TableChangeSummary: Equatable, Sendable {
  /// The updated columns of each table; nil if rows may have been added or removed.
  private(set) var columns: [TableKey: Set<String>?] = [:]
  /// The databases whose schemas have changed.
  private(set) var schemas: Set<String> = []
  /// Whether the changes are unknown, so that all tables may have changed.
  var isEverything = false

  static var everything: TableChangeSummary {
    var changes = TableChangeSummary()
    changes.isEverything = true
    return changes
  }

  var isEmpty: Bool { !isEverything && columns.isEmpty && schemas.isEmpty }

  /// Records that rows of a table are added, removed or changed.
  mutating func insert(rowsOf table: TableKey) {
    if table.isSchema { schemas.insert(table.database) }
    columns[table] = .some(nil)
  }

  mutating func insert(_ column: String, of table: TableKey) {
    switch columns[table] {
    case nil: columns[table] = [column]
    case .some(nil): break
    case .some(var others?):
      others.insert(column)
      columns[table] = others
    }
  }

  mutating func insert(schemaOf database: String) { schemas.insert(database) }

  mutating func formUnion(_ other: TableChangeSummary) {
    columns.merge(other.columns) { old, new in
      guard let old, let new else { return nil }
      return old.union(new)
    }
    schemas.formUnion(other.schemas)
    isEverything = isEverything || other.isEverything
  }

  /// Returns whether the result of a query that has read this region may have changed.
  func touches(_ region: ReadRegion) -> Bool {
    // A new table in one database can hide a table of the same name in another.
    guard !isEverything, schemas.isEmpty else { return true }
    if region.isEverything { return !columns.isEmpty }
    return columns.contains { table, written in
      guard let written else {
        return region.columns[table] != nil || region.counted.contains(table.table)
          || region.readsRowidCounts(of: table.database)
      }
      return region.columns[table].map { !written.isDisjoint(with: $0) } ?? false
    }
  }
}

/// A table, identified by its database file instead of the name of that database on a connection.
struct TableKey: Hashable, Sendable {
  /// The path of the database file, or a unique identifier of a database without a file.
  let database: String
  /// The name of the table, in lower case.
  let table: String

  init(_ database: String, _ table: String) {
    self.database = database
    self.table = table.withoutCase
  }

  /// Creates the key of a pragma's setting, as if the setting were a table.
  init(pragma name: String, of database: String) { self.init(database, "pragma_" + name) }

  /// Whether the key stands for a number in the file header that a pragma sets.
  var isHeaderNumber: Bool { ["pragma_user_version", "pragma_application_id"].contains(table) }

  /// Whether the key stands for the pragma that removes unused pages.
  var removesPages: Bool { table == "pragma_incremental_vacuum" }

  /// Returns whether reading the pragma or table with this key reads data of all tables, or depends on their sizes.
  static func readsAllTables(_ name: String) -> Bool {
    switch name {
    case "pragma_foreign_key_check", "pragma_integrity_check", "pragma_quick_check",
      "pragma_page_count", "pragma_freelist_count", "dbstat", "sqlite_dbpage":
      true
    default: false
    }
  }

  /// Whether the table is the one in which SQLite stores the schema of the database.
  var isSchema: Bool {
    ["sqlite_master", "sqlite_schema", "sqlite_temp_master", "sqlite_temp_schema"].contains(table)
  }
}
