import Sluice

/// A database without rows, in which the planner chooses among indexes that do not exist.
struct IndexTrial {
  let connection: Connection
  let layout: DatabaseLayout
  /// The indexes of the migrations, without partial indexes.
  let existing: [String: CandidateIndex]
  /// The names of existing indexes that only speed up queries.
  private let removable: Set<String>
  /// The names of all objects, in lowercase.
  let names: Set<String>
  /// The collations that a comparison can have.
  let collations: [String]
  /// The views of all databases, whose text can contain expressions.
  let views: [SchemaObject]
  /// The names of the functions of the program, as tokens.
  let functions: Set<[UInt8]>

  init(_ schema: CheckedSchema) throws {
    connection = schema.connection
    layout = schema.layout
    collations = ["BINARY", "NOCASE"] + schema.declarations.collations
    functions = Set(schema.declarations.functions.map(\.name.nameContent))
    var existing: [String: CandidateIndex] = [:]
    var removable: Set<String> = []
    var names: Set<String> = []
    var terms: [String: [String]] = [:]
    var views: [SchemaObject] = []
    for database in Set(layout.tables.map(\.database)).sorted() {
      views += try connection.schemaObjects(.view, database: database)
      for index in try connection.schemaObjects(.index, database: database) {
        terms["\(database).\(index.name)"] = IndexExpressions.terms(of: index.sql)
      }
    }
    for table in layout.tables {
      names.insert(table.info.name.lowercased())
      guard table.info.kind == .table else { continue }
      for index in try connection.indexes(of: table.info.name, database: table.database) {
        names.insert(index.name.lowercased())
        existing[index.name] = CandidateIndex(
          index, terms["\(table.database).\(index.name)"] ?? [], of: table)
        if index.origin == .statement, !index.isUnique { removable.insert(index.name) }
      }
    }
    self.views = views
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

  /// Returns whether SQLite can create the index.
  func permits(_ index: CandidateIndex) throws -> Bool {
    do { return try trying([index]) { _ in true } } catch let error as SQLiteError
      where error.code.primary == .error
    { return false }
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
  /// Creates a description of an existing index from its properties and the text of its terms; nil if it is partial.
  fileprivate init?(_ index: IndexInfo, _ texts: [String], of table: DescribedTable) {
    guard !index.isPartial else { return nil }
    var terms: [Term] = []
    for (place, term) in index.terms.enumerated() {
      let (key, collation): (Key, String?)
      if let name = term.column {
        guard let column = table.columns.first(where: { $0.name == name }) else { return nil }
        (key, collation) = (.column(name), column.collation)
      } else {
        guard texts.indices.contains(place),
          let expression = CandidateExpression(term: texts[place])
        else { return nil }
        (key, collation) = (.expression(expression), "BINARY")
      }
      terms.append(
        Term(
          key: key, collation: term.collation.isCollation(collation) ? nil : term.collation,
          isDescending: term.isDescending))
    }
    self.init(database: table.database, table: table.info.name, terms: terms)
  }
}

extension String {
  /// Returns whether this is the name of a collation.
  func isCollation(_ name: String?) -> Bool { lowercased() == name?.lowercased() }
}
