package import Sluice

/// A copy of a database, on which the costs of queries and indexes are measured.
///
/// The copy is a temporary database, which SQLite keeps in memory as far as its cache suffices. Functions and
/// collations of the program are placeholders there.
package struct MeasuredDatabase {
  let connection: Connection
  /// The maximum number of steps for which a statement runs.
  package var maximumSteps = 50_000_000
  private let path: String

  /// The minimum ratio of the costs of a query without and with an index.
  private static let worthwhileRatio = 2
  /// The maximum size of the cache in kibibytes.
  private static let cacheSize = 65_536
  /// The number of rows whose insertion is measured.
  private static let sampleSize = 1_000

  /// Copies a database, whose schema must be the one that the migrations create.
  ///
  /// `path` names the database in errors. Attached databases are empty.
  package init(
    copying source: Connection, path: String, _ project: Project, _ schema: CheckedSchema
  ) throws {
    self.path = path
    try Self.compare(source, path, project)
    connection = try Connection.temporary()
    try CheckedSchema.add(project.declarations, to: connection)
    try connection.execute(sql: "PRAGMA cache_size = -\(Self.cacheSize)")
    try source.backup(to: connection)
    for database in project.attached {
      try connection.attach(path: ":memory:", as: database.name)
      try connection.deserialize(
        schema.connection.serialize(database: database.name), database: database.name)
    }
    if try connection.table(named: "sqlite_stat1") == nil { try connection.execute(sql: "ANALYZE") }
  }

  private static func compare(_ source: Connection, _ path: String, _ project: Project) throws {
    let declarations = project.declarations
    let migrator = try Migrator(
      project.migrations.map(\.migration),
      preparing: { try CheckedSchema.add(declarations, to: $0) })
    let pending: MigrationStep?
    let drift: SchemaDifference?
    do {
      pending = try migrator.pending(on: source).first
      drift = try migrator.drift(on: source).first
    } catch let error as MigrationError {
      throw SQLiteError(
        .schema, "\(path) does not match the migrations: \(error); see \"sluice migrate --dry-run\""
      )
    }
    if let pending {
      throw SQLiteError(
        .schema,
        "\(path) lacks the migration \(pending): apply it with \"sluice migrate\", or use a copy to which it is applied"
      )
    }
    if let drift {
      throw SQLiteError(
        .schema,
        "The schema of \(path) differs from the migrations (\(drift.object)): \"sluice migrate --dry-run\" lists the differences"
      )
    }
  }
}

extension MeasuredDatabase {
  /// Creates an index, and measures its size.
  func create(_ index: inout IndexAdvice.Index) throws {
    let before = try usedBytes()
    try connection.execute(sql: index.sql)
    guard index.isMeasured else { return }
    index.cost = IndexAdvice.Cost(bytes: try usedBytes() - before)
    try connection.execute(sql: "ANALYZE main.\(index.name.quotedName)")
  }

  func drop(_ index: IndexAdvice.Index) throws {
    try connection.execute(
      sql: "DROP INDEX \(index.database.quotedName).\(index.name.quotedName)")
  }

  /// Adds the measured costs of the queries that an index serves, and returns the reason to drop it; nil if one of the
  /// queries is cheap enough with it, or cannot be measured.
  func measure(_ index: inout IndexAdvice.Index, _ queries: [SlowQuery]) throws -> String? {
    guard index.isMeasured else { return nil }
    var reasons: [String] = []
    for (place, service) in index.serves.enumerated() {
      guard
        let query = queries.first(where: { $0.path == service.file && $0.line == service.line })
      else { continue }
      do {
        let gain = try gain(from: index, query)
        index.serves[place].gain = gain
        guard gain.stepsWithout < Self.worthwhileRatio * gain.steps else { continue }
        reasons.append(
          "\(query.name) takes \(gain.steps) steps with it, and \(gain.stepsWithout) without it")
      } catch let error as SQLiteError where error.code.primary != .interrupt {
        index.serves[place].unmeasured = error.message
      }
    }
    if index.serves.isEmpty { return "SQLite does not use it with the statistics of \(path)" }
    return reasons.count == index.serves.count ? reasons.joined(separator: "; ") : nil
  }

  private func gain(
    from index: IndexAdvice.Index, _ query: SlowQuery
  ) throws -> IndexAdvice.Gain {
    let samples = try ParameterSamples(connection).samples(for: query, or: firstTerm(of: index))
    let with = try cost(of: query.sql, samples)
    let without = try removing(index) { try cost(of: query.sql, samples) }
    return IndexAdvice.Gain(
      steps: with.steps, stepsWithout: without.steps, microseconds: with.microseconds,
      microsecondsWithout: without.microseconds)
  }

  /// Returns the first column or expression of an index.
  private func firstTerm(of index: IndexAdvice.Index) -> SlowQuery.Origin? {
    IndexExpressions.terms(of: index.sql).first.map {
      SlowQuery.Origin(database: index.database, table: index.table, sql: "(\($0))")
    }
  }

  private func cost(of sql: String, _ samples: [SQLParameters]) throws -> RunCost {
    try RunCost(of: sql, samples, maximumSteps: maximumSteps, on: connection)
  }

  private func removing<T>(_ index: IndexAdvice.Index, _ body: () throws -> T) throws -> T {
    try connection.savepoint { connection, command in
      command = .rollback
      try drop(index)
      return try body()
    }.value
  }

  private func usedBytes() throws -> Int {
    try connection.first(
      .column(.int),
      sql: """
        SELECT (page_count - freelist_count) * page_size
        FROM pragma_page_count, pragma_freelist_count, pragma_page_size
        """) ?? 0
  }
}

extension MeasuredDatabase {
  /// Measures the size of an index in relation to its table, and its cost for each inserted row.
  func measureCost(of index: inout IndexAdvice.Index) throws {
    guard index.isMeasured else { return }
    if SQLiteLibrary.has(.dbstat) {
      let size = try connection.first(
        .column(.optional(.int)), sql: "SELECT sum(pgsize) FROM dbstat WHERE name = ?",
        parameters: index.table)
      index.cost?.tableBytes = size ?? nil
    }
    // Neither triggers nor foreign keys depend on the index.
    try connection.setOption(.triggers, false)
    try connection.setOption(.foreignKeys, false)
    let cost: (steps: Double, microseconds: Double)?
    // Placeholders for functions of the program can violate constraints, and the insertion can take too many steps.
    do { cost = try costOfInsert(index) } catch let error as SQLiteError
      where [.constraint, .abort].contains(error.code.primary)
    { cost = nil }
    try connection.setOption(.triggers, true)
    try connection.setOption(.foreignKeys, true)
    index.cost?.stepsPerInsert = cost?.steps
    index.cost?.microsecondsPerInsert = cost?.microseconds
  }

  /// Returns the additional cost of inserting a row; nil if the table is empty.
  private func costOfInsert(
    _ index: IndexAdvice.Index
  ) throws -> (steps: Double, microseconds: Double)? {
    let table = "main.\(index.table.quotedName)"
    let columns = try connection.columns(of: index.table).filter { $0.kind == .ordinary }
      .map(\.name.quotedName).joined(separator: ", ")
    let key = try key(of: index.table)
    // The last rows, because most tables grow at their end.
    let order = key.map { "\($0) DESC" }.joined(separator: ", ")
    let last = "FROM \(table) ORDER BY \(order) LIMIT \(Self.sampleSize)"
    let keys = key.joined(separator: ", ")
    return try connection.savepoint { connection, command in
      command = .rollback
      try connection.execute(
        sql: """
          CREATE TEMP TABLE sluice_sample AS SELECT \(columns) \(last);
          DELETE FROM \(table) WHERE (\(keys)) IN (SELECT \(keys) \(last))
          """)
      let count =
        try connection.first(.column(.int), sql: "SELECT count(*) FROM temp.sluice_sample") ?? 0
      guard count > 0 else { return nil }
      let insert = "INSERT INTO \(table)(\(columns)) SELECT \(columns) FROM temp.sluice_sample"
      let with = try self.cost(of: insert, [[]])
      let without = try removing(index) { try self.cost(of: insert, [[]]) }
      return (
        Double(with.steps - without.steps) / Double(count),
        max(0, with.microseconds - without.microseconds) / Double(count)
      )
    }.value
  }

  /// Returns the columns that identify a row.
  private func key(of table: String) throws -> [String] {
    let columns = try connection.columns(of: table)
    guard try connection.table(named: table)?.isWithoutRowid == true else {
      return [rowidName(besides: columns.map(\.name)) ?? "rowid"]
    }
    return columns.filter { $0.primaryKeyPosition != nil }
      .sorted { ($0.primaryKeyPosition ?? 0) < ($1.primaryKeyPosition ?? 0) }
      .map(\.name.quotedName)
  }
}

extension IndexAdvice.Index {
  /// Whether the index is measured; attached databases have no rows.
  fileprivate var isMeasured: Bool { database == "main" }
}
