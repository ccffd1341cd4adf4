/// The columns of tables that queries have read.
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

/// The reads and writes of a statement and its triggers, as the authorizer reports them during compilation.
final class StatementAccess {
  private(set) var reads = ReadRegion()
  private(set) var writes = TableChangeSummary()
  private(set) var steps: [SavepointStep] = []
  /// The schemas of the connection, by what is written in them.
  private(set) var schemas: [String: String] = [:]
  /// Whether it was found out which updates can make rows come and go.
  var isRefined = true
  private var setsSilently = false
  /// Whether it writes what the connection does not count as a change.
  var isSilent: Bool { setsSilently || !writes.schemas.isEmpty }

  func add(_ access: Access) {
    switch access {
    case .read(let table, let column): reads.insert(column, of: table)
    case .count(let table): reads.insert(rowsOf: table)
    case .write(let table): writes.insert(rowsOf: table)
    case .update(let schema, let table, let column):
      writes.insert(column, of: table)
      schemas[table.database] = schema
      isRefined = false
    case .alter(let database): writes.insert(schemaOf: database)
    case .set(let table):
      writes.insert(rowsOf: table)
      setsSilently = true
    case .step(let step): if !steps.contains(step) { steps.append(step) }
    }
  }

  /// Takes down that rows of a table come and go.
  func widenToAllRows(of table: TableKey) { writes.insert(rowsOf: table) }

  /// One thing that a statement does.
  enum Access {
    case read(TableKey, column: String)
    /// Only how many rows a table has, in whichever database it is.
    case count(String)
    case write(TableKey)
    case update(schema: String, TableKey, column: String)
    /// The schema changes in a way of which nothing else tells.
    case alter(database: String)
    /// A number in the head of the file, or statistics, which the connection does not count as a change.
    case set(TableKey)
    case step(SavepointStep)
  }
}
