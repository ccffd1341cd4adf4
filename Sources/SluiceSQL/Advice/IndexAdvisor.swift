import Sluice

/// An advisor that finds the indexes that the queries of a project lack.
package struct IndexAdvisor {
  private let trial: IndexTrial
  private let queries: [SlowQuery]
  private let database: MeasuredDatabase?

  /// Creates an advisor for the queries of a check without errors.
  ///
  /// Without a database, only the plans of the queries count, for tables of unknown size. With a database, the planner
  /// uses its statistics, and an index must make one of the queries that it serves at least twice as cheap there.
  package init(
    _ schema: CheckedSchema, _ queries: [(query: CheckedQuery, source: SourceText)],
    measuredOn database: MeasuredDatabase? = nil
  ) throws {
    self.database = database
    let trial = try IndexTrial(schema)
    if let database { try trial.takeStatistics(of: database.connection) }
    self.trial = trial
    self.queries = try queries.compactMap { try SlowQuery($0.query, $0.source, schema, trial) }
  }

  /// Returns the indexes that make queries faster, with the statements that create them.
  package func advice() throws -> IndexAdvice {
    let selection = try IndexSelection(trial, queries)
    var taken = trial.names
    let indexes = selection.indexes.map { index in
      let name = index.name(&taken)
      return IndexAdvice.Index(
        name: name, database: index.database, table: index.table, sql: index.sql(named: name),
        replaces: trial.superfluous(with: index))
    }.sorted { $0.name < $1.name }
    var advice = IndexAdvice(indexes: indexes)
    if let database {
      try measure(&advice, on: database)
    } else {
      try trial.trying([]) { _ in
        for index in indexes { try trial.connection.execute(sql: index.sql) }
        try describe(&advice, on: trial.connection)
      }
    }
    return advice
  }

  /// Adds the measured costs, and drops indexes that are not worth them.
  private func measure(_ advice: inout IndexAdvice, on database: MeasuredDatabase) throws {
    for place in advice.indexes.indices.reversed() {
      // Rows for which an expression fails, such as invalid JSON, prevent the index.
      do { try database.create(&advice.indexes[place]) } catch let error as SQLiteError
        where [.error, .tooBig].contains(error.code.primary)
      {
        let index = advice.indexes.remove(at: place)
        advice.dropped.insert(.init(sql: index.sql, reason: error.message), at: 0)
      }
    }
    var isComplete = false
    // Without a dropped index, SQLite may use another one, so all of them are measured again.
    while !isComplete {
      isComplete = true
      try describe(&advice, on: database.connection)
      for var index in advice.indexes {
        let reason = try database.measure(&index, queries)
        guard let place = advice.indexes.firstIndex(where: { $0.name == index.name }) else {
          continue
        }
        advice.indexes[place] = index
        guard let reason else { continue }
        try database.drop(index)
        advice.indexes.remove(at: place)
        advice.dropped.append(.init(sql: index.sql, reason: reason))
        isComplete = false
      }
    }
    for place in advice.indexes.indices { try database.measureCost(of: &advice.indexes[place]) }
  }

  /// Lists the queries that each index serves; the indexes exist on the connection.
  private func describe(_ advice: inout IndexAdvice, on connection: Connection) throws {
    for place in advice.indexes.indices { advice.indexes[place].serves = [] }
    advice.unservedCount = 0
    for query in queries {
      let plan = try connection.queryPlan(sql: query.sql)
      let rank = PlanRank(plan)
      guard rank.needs.lexicographicallyPrecedes(query.rank.needs) else {
        advice.unservedCount += 1
        continue
      }
      let before = (query.rank.scans + query.rank.builds).removing(rank.scans + rank.builds)
      for place in advice.indexes.indices {
        let after = plan.details.filter { $0.indexName == advice.indexes[place].name }
        guard !after.isEmpty else { continue }
        advice.indexes[place].serves.append(
          IndexAdvice.Service(
            file: query.path, line: query.line, query: query.name, before: before, after: after))
      }
    }
  }
}

extension Array where Element: Equatable {
  /// Returns the elements without those of another array, each of which removes one equal element.
  fileprivate func removing(_ others: [Element]) -> [Element] {
    var rest = self
    for other in others {
      if let place = rest.firstIndex(of: other) { rest.remove(at: place) }
    }
    return rest
  }
}
