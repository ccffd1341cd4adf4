/// What statements have written, or may have.
struct ChangeSet: Equatable, Sendable {
  /// The columns that were updated; nil where rows may have come or gone.
  private(set) var columns: [TableKey: Set<String>?] = [:]
  /// The databases of which the schema has changed.
  private(set) var schemas: Set<String> = []
  /// Whether it is not known what has changed.
  var isEverything = false

  static var everything: ChangeSet {
    var changes = ChangeSet()
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

  mutating func formUnion(_ other: ChangeSet) {
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
