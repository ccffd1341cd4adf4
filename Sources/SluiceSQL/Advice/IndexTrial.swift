import Sluice

/// A database without rows, in which the planner chooses among indexes that do not exist.
struct IndexTrial {
  let connection: Connection
  private let layout: DatabaseLayout
  /// The indexes of the migrations, without partial indexes and indexes on expressions.
  let existing: [String: CandidateIndex]
  /// The names of existing indexes that only speed up queries.
  private let removable: Set<String>
  /// The names of all objects, in lowercase.
  let names: Set<String>
  /// The collations that a comparison can have.
  private let collations: [String]

  init(_ schema: CheckedSchema) throws {
    connection = schema.connection
    layout = schema.layout
    collations = ["BINARY", "NOCASE"] + schema.declarations.collations
    var existing: [String: CandidateIndex] = [:]
    var removable: Set<String> = []
    var names: Set<String> = []
    for table in layout.tables {
      names.insert(table.info.name.lowercased())
      guard table.info.kind == .table else { continue }
      for index in try connection.indexes(of: table.info.name, database: table.database) {
        names.insert(index.name.lowercased())
        existing[index.name] = CandidateIndex(index, of: table)
        if index.origin == .statement, !index.isUnique { removable.insert(index.name) }
      }
    }
    self.existing = existing
    self.removable = removable
    self.names = names
  }

  /// Returns the names of existing indexes that a new index makes superfluous.
  func superfluous(with index: CandidateIndex) -> [String] {
    existing.filter { removable.contains($0.key) && $0.value.isPrefix(of: index) }.keys.sorted()
  }
}

extension IndexTrial {
  /// Returns the columns that a statement reads, each with all ways to sort an index by it.
  ///
  /// The first way is the collation of the column. The rowid is omitted, because each index already contains it.
  func columns(readBy sql: String) throws -> [(
    table: CandidateIndex, columns: [[CandidateIndex.Term]]
  )] {
    var read: [String: Set<String>] = [:]
    let token = try connection.authorize { request in
      if case .read(let table, let column) = request.action {
        read["\(request.schema ?? "main").\(table)".lowercased(), default: []].insert(column)
      }
      return .allow
    }
    defer { token.cancel() }
    _ = try connection.queryPlan(sql: sql)
    return layout.tables.filter { $0.info.kind == .table && $0.database != "temp" }.compactMap {
      table in
      guard let names = read["\(table.database).\(table.info.name)".lowercased()] else {
        return nil
      }
      let columns = table.columns.enumerated().filter { place, column in
        names.contains(column.name) && place != table.key && column.kind != .hidden
      }
      return (
        CandidateIndex(database: table.database, table: table.info.name, terms: []),
        columns.map { terms(of: $0.element) }
      )
    }
  }

  private func terms(of column: ColumnInfo) -> [CandidateIndex.Term] {
    let isText = !DeclaredType(column.declaredType).kinds.isDisjoint(with: .text)
    let others = isText ? collations.filter { !$0.isCollation(column.collation) } : []
    return [CandidateIndex.Term(column: column.name)]
      + others.map { CandidateIndex.Term(column: column.name, collation: $0) }
  }

  /// Calls `body` while the indexes exist, and removes them afterwards.
  func trying<T>(
    _ indexes: [CandidateIndex], _ body: (inout TrialIndexes) throws -> T
  ) throws -> T {
    try connection.savepoint { connection, command in
      command = .rollback
      var created = TrialIndexes(connection, existing)
      for index in indexes { try created.create(index) }
      return try body(&created)
    }.value
  }

  /// Copies the statistics of another database with the same schema.
  func takeStatistics(of other: Connection) throws {
    // The statement creates the tables that the linked SQLite uses.
    try connection.execute(sql: "ANALYZE")
    for name in ["sqlite_stat1", "sqlite_stat4"] {
      guard try connection.table(named: name) != nil, try other.table(named: name) != nil else {
        continue
      }
      for row in try other.query(.values, sql: "SELECT * FROM \(name)") {
        let places = repeatElement("?", count: row.values.count).joined(separator: ", ")
        try connection.execute(
          sql: "INSERT INTO \(name) VALUES (\(places))", parameters: SQLParameters(row.values))
      }
    }
    // SQLite reads the tables again.
    try connection.execute(sql: "ANALYZE sqlite_schema")
  }
}

/// The indexes that exist during a trial.
struct TrialIndexes {
  private let connection: Connection
  private let existing: [String: CandidateIndex]
  private var created: [String: CandidateIndex] = [:]
  /// The number of indexes so far, so that each one gets a new name.
  private var count = 0

  fileprivate init(_ connection: Connection, _ existing: [String: CandidateIndex]) {
    (self.connection, self.existing) = (connection, existing)
  }

  /// The indexes that exist now.
  var indexes: Set<CandidateIndex> { Set(created.values) }

  mutating func create(_ index: CandidateIndex) throws {
    let name = "sluice_advice_\(count)"
    try connection.execute(sql: index.sql(named: name))
    created[name] = index
    count += 1
  }

  mutating func drop(_ indexes: [CandidateIndex]) throws {
    for (name, index) in created where indexes.contains(index) {
      try connection.execute(
        sql: "DROP INDEX \(index.database.quotedName).\(name.quotedName)")
      created[name] = nil
    }
  }

  /// Returns the created indexes that a plan uses.
  func used(in plan: QueryPlan) -> [CandidateIndex] {
    plan.indexNames.sorted().compactMap { created[$0] }
  }

  /// Returns the created and the existing indexes that a plan uses.
  func all(in plan: QueryPlan) -> [CandidateIndex] {
    plan.indexNames.sorted().compactMap { created[$0] ?? existing[$0] }
  }
}

extension CandidateIndex {
  /// Creates a description of an existing index; nil if it is partial, or contains an expression.
  fileprivate init?(_ index: IndexInfo, of table: DescribedTable) {
    guard !index.isPartial else { return nil }
    var terms: [Term] = []
    for term in index.terms {
      guard let column = table.columns.first(where: { $0.name == term.column }) else { return nil }
      terms.append(
        Term(
          column: column.name,
          collation: term.collation.isCollation(column.collation) ? nil : term.collation,
          isDescending: term.isDescending))
    }
    self.init(database: table.database, table: table.info.name, terms: terms)
  }
}

extension String {
  /// Returns whether this is the name of a collation.
  fileprivate func isCollation(_ name: String?) -> Bool { lowercased() == name?.lowercased() }
}
