import Sluice

/// The smallest set of indexes that keeps the improvements of all queries.
struct IndexSelection {
  private let trial: IndexTrial
  private let queries: [SlowQuery]
  private(set) var indexes: [CandidateIndex] = []

  init(_ trial: IndexTrial, _ queries: [SlowQuery]) throws {
    self.trial = trial
    self.queries = queries
    for query in queries {
      let found = try IndexSearch(trial, query).indexes()
      indexes += found.filter { !indexes.contains($0) }
    }
    try shareColumns()
    try removeNeedless()
  }

  /// Moves the columns of narrower indexes to the beginning of wider ones where no plan gets worse.
  ///
  /// The order of columns is free where all of them are compared for equality, and in a `GROUP BY`.
  private mutating func shareColumns() throws {
    var before = try ranks(with: indexes)
    for place in indexes.indices {
      for otherPlace in indexes.indices {
        let (index, other) = (indexes[place], indexes[otherPlace])
        let rest = index.terms.filter { !other.terms.contains($0) }
        // Of two indexes with the same columns, the second gets the order of the first.
        guard other.isSameTable(as: index), !other.isPrefix(of: index),
          rest.count == index.terms.count - other.terms.count,
          !rest.isEmpty || otherPlace < place
        else { continue }
        var changed = indexes
        changed[place].terms = other.terms + rest
        let after = try ranks(with: changed)
        if zip(before, after).allSatisfy({ $0 >= $1 }) { (indexes, before) = (changed, after) }
      }
    }
    var known: Set<CandidateIndex> = []
    indexes = indexes.filter { known.insert($0).inserted }
  }

  /// Removes each index without which no plan gets worse, except by comparing fewer columns.
  private mutating func removeNeedless() throws {
    let all = indexes
    indexes = try trial.trying(all) { trial in
      var states = try queries.map { try state(of: $0, trial) }
      // First the indexes that begin another one, then those that serve few queries, and the widest of these.
      let order = all.map { index in
        let isPrefix = all.contains { $0 != index && index.isPrefix(of: $0) }
        return (
          index, [isPrefix ? 0 : 1, states.count { $0.used.contains(index) }, -index.terms.count]
        )
      }.sorted { $0.1.lexicographicallyPrecedes($1.1) }
      for (index, _) in order {
        // Only plans that use an index change without it.
        let affected = states.indices.filter { states[$0].used.contains(index) }
        try trial.drop([index])
        let isNeeded = try affected.contains { place in
          try state(of: queries[place], trial).rank.isSurpassed(by: states[place].rank)
        }
        if isNeeded { try trial.create(index) }
        for place in affected { states[place] = try state(of: queries[place], trial) }
      }
      return all.filter(trial.indexes.contains)
    }
  }

  private func state(
    of query: SlowQuery, _ trial: TrialIndexes
  ) throws -> (rank: PlanRank, used: [CandidateIndex]) {
    let plan = try self.trial.connection.queryPlan(sql: query.sql)
    return (PlanRank(plan), trial.used(in: plan))
  }

  private func ranks(with indexes: [CandidateIndex]) throws -> [PlanRank] {
    try trial.trying(indexes) { _ in
      try queries.map { try PlanRank(trial.connection.queryPlan(sql: $0.sql)) }
    }
  }
}
