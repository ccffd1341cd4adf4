/// What queries have read: the columns of tables.
struct ReadRegion: Equatable, Sendable {
  private(set) var columns: [TableKey: Set<String>] = [:]
  /// The databases in which they are, of which the schema counts as well.
  private(set) var databases: Set<String> = []
  /// Tables of which only the rows count, in whichever database they are.
  private(set) var counted: Set<String> = []

  mutating func insert(_ column: String, of table: TableKey) {
    columns[table, default: []].insert(column)
    databases.insert(table.database)
  }

  mutating func insert(rowsOf table: String) { counted.insert(table) }

  /// Whether the highest rowids of tables were read, which `INSERT` counts up and nobody tells of.
  func readsRowidCounts(of database: String) -> Bool {
    let counts = "sqlite_sequence"
    return columns[TableKey(database, counts)] != nil || counted.contains(counts)
  }

  mutating func formUnion(_ other: ReadRegion) {
    columns.merge(other.columns) { $0.union($1) }
    databases.formUnion(other.databases)
    counted.formUnion(other.counted)
  }
}
