/// The tables that statements have written, or may have.
struct TableChangeSummary: Equatable, Sendable {
  /// The columns that were updated; nil where rows may have come or gone.
  private(set) var columns: [TableKey: Set<String>?] = [:]
  /// The databases of which the schema has changed.
  private(set) var schemas: Set<String> = []
  /// Whether it is not known what has changed.
  var isEverything = false

  static var everything: TableChangeSummary {
    var changes = TableChangeSummary()
    changes.isEverything = true
    return changes
  }

  var isEmpty: Bool { !isEverything && columns.isEmpty && schemas.isEmpty }

  /// Rows of a table come, go or change.
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

  /// Whether a query that has read these columns may find something else now.
  func touches(_ region: ReadRegion) -> Bool {
    guard !isEverything, schemas.isDisjoint(with: region.databases) else { return true }
    if !schemas.isEmpty, !region.counted.isEmpty { return true }
    return columns.contains { table, written in
      guard let written else {
        return region.columns[table] != nil || region.counted.contains(table.table)
          || region.readsRowidCounts(of: table.database)
      }
      return region.columns[table].map { !written.isDisjoint(with: $0) } ?? false
    }
  }
}

/// A table, whatever a connection calls the database that it is in.
struct TableKey: Hashable, Sendable {
  /// The path of the file, or what tells a database without one from all others.
  let database: String
  /// The name, as SQLite compares it.
  let table: String

  init(_ database: String, _ table: String) {
    self.database = database
    self.table = table.withoutCase
  }

  /// A setting of a pragma, as if it were a table.
  init(pragma name: String, of database: String) { self.init(database, "pragma_" + name) }

  /// Whether it is a number in the head of the file, which a pragma sets.
  var isHeaderNumber: Bool { ["pragma_user_version", "pragma_application_id"].contains(table) }

  /// Whether it is where SQLite keeps the schema of the database.
  var isSchema: Bool {
    ["sqlite_master", "sqlite_schema", "sqlite_temp_master", "sqlite_temp_schema"].contains(table)
  }
}

extension String {
  /// The name as SQLite compares it, which knows the case of ASCII only.
  var withoutCase: String {
    guard utf8.contains(where: { (0x41...0x5A).contains($0) }) else { return self }
    return String(
      decoding: utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}
