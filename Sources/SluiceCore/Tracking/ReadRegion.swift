/// The tables and columns that queries have read.
struct ReadRegion: Equatable, Sendable {
  private(set) var columns: [TableKey: Set<String>] = [:]
  /// The tables of which a query has read the rows, but no column; their databases are unknown.
  private(set) var counted: Set<String> = []
  /// Whether a query has read data of unknown tables, so that each change may affect it.
  private(set) var isEverything = false

  private static let rowidCounts = "sqlite_sequence"

  mutating func insert(_ column: String, of table: TableKey) {
    columns[table, default: []].insert(column)
    if TableKey.readsAllTables(table.table) { isEverything = true }
  }

  mutating func insertEverything() { isEverything = true }

  mutating func insert(rowsOf table: String) {
    counted.insert(table)
    if TableKey.readsAllTables(table) { isEverything = true }
  }

  /// Returns whether the query has read `sqlite_sequence`, in which SQLite stores the highest rowids of tables.
  ///
  /// An `INSERT` can increment a highest rowid, but SQLite does not report this as a write to `sqlite_sequence`.
  func readsRowidCounts(of database: String) -> Bool {
    columns[TableKey(database, Self.rowidCounts)] != nil || counted.contains(Self.rowidCounts)
  }

  /// The names of the tables whose changes can concern the query; nil if those of every table can.
  var tables: Set<String>? {
    let names = counted.union(columns.keys.lazy.map(\.table))
    // An `INSERT` into any table can increment a highest rowid.
    return isEverything || names.contains(Self.rowidCounts) ? nil : names
  }

  mutating func formUnion(_ other: ReadRegion) {
    // The regions of one statement then share their storage, so that comparing them costs nothing.
    guard self != ReadRegion() else {
      self = other
      return
    }
    columns.merge(other.columns) { $0.union($1) }
    counted.formUnion(other.counted)
    isEverything = isEverything || other.isEverything
  }
}

/// The reads and writes of a statement and its triggers, as reported by the authorizer at preparation.
final class StatementAccess {
  private(set) var reads = ReadRegion()
  private(set) var writes = TableChangeSummary()
  private(set) var steps: [SavepointStep] = []
  /// The connection's name for each database that the statement updates, by the identifier of the database.
  private(set) var schemas: [String: String] = [:]
  /// Whether the statement uses a view or fires a trigger.
  var readsView = false
  /// Whether the reads that the authorizer does not report have been added.
  var isComplete = false
  /// Whether it has been determined which updates can also add or remove rows.
  var isRefined = true
  private var setsSilently = false
  /// Whether the statement is a `VACUUM` of a database, which can change rowids, and calls no commit hook.
  private(set) var isVacuum = false
  /// Whether the statement writes data that the connection does not count as changes.
  var isSilent: Bool { setsSilently || !writes.schemas.isEmpty }

  func add(_ access: Access) {
    switch access {
    case .read(let table, let column):
      reads.insert(column, of: table)
      isComplete = false
    case .count(let table):
      reads.insert(rowsOf: table)
      isComplete = false
    case .write(let table): writes.insert(rowsOf: table)
    case .update(let schema, let table, let column):
      writes.insert(column, of: table)
      schemas[table.database] = schema
      isRefined = false
    case .alter(let database): writes.insert(schemaOf: database)
    case .set(let table):
      writes.insert(rowsOf: table)
      setsSilently = true
    case .vacuum: isVacuum = true
    case .step(let step): if !steps.contains(step) { steps.append(step) }
    }
  }

  /// Records that rows of a table may be added or removed.
  func widenToAllRows(of table: TableKey) { writes.insert(rowsOf: table) }

  /// A single action of a statement.
  enum Access {
    case read(TableKey, column: String)
    /// A read of only the number of rows of a table; its database is unknown.
    case count(String)
    case write(TableKey)
    case update(schema: String, TableKey, column: String)
    /// A schema change that no other access reports.
    case alter(database: String)
    /// A write to a number in the file header or to statistics, which the connection does not count as a change.
    case set(TableKey)
    /// A write to the temporary database that `VACUUM` fills.
    case vacuum
    case step(SavepointStep)
  }
}
