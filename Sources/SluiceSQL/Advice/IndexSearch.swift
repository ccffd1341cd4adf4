import Sluice

/// The search for indexes that improve the plan of one query.
///
/// SQLite itself makes the choice. In a trial, an index exists for each column that the query reads, and then for each
/// expression in its text; the planner uses the best of them. Each index that it uses is then extended by one more
/// term, as long as the plan improves. This works for all statements, including those that virtual tables cannot
/// record, such as upserts, and for foreign keys. Nothing here needs to know what the SQL means.
struct IndexSearch {
  /// The ways to extend an index; the simplest way that improves a plan is taken.
  private enum Extension: CaseIterable {
    /// One column in its own collation.
    case plain
    /// One column in another collation or in descending order.
    case special
    /// Two columns, for a plan that only both of them improve, such as that of `GROUP BY a, b`.
    case pair
    /// All other columns that the query reads from the table, so that the index covers the query.
    case covering
    /// One expression.
    case expression
    /// One expression in another collation or in descending order.
    case specialExpression
    /// Two expressions, or an expression and a column in either order.
    case expressionPair
  }

  private struct Step {
    let rank: PlanRank
    /// The tried indexes that the plan uses.
    let chosen: [CandidateIndex]
    /// All indexes that the plan uses.
    let used: [CandidateIndex]
  }

  /// The maximum number of columns and expressions of a table for which pairs are tried.
  private static let widthOfPairs = 8

  private let trial: IndexTrial
  private let query: SlowQuery

  init(_ trial: IndexTrial, _ query: SlowQuery) {
    self.trial = trial
    self.query = query
  }

  /// Returns the indexes that the best plan uses in addition to those of the migrations; none if it needs the same scans
  /// and sorts.
  func indexes() throws -> [CandidateIndex] {
    var step = try trial.trying([]) { try planned($0) }
    while let next = try better(than: step) { step = next }
    return query.rank.needs == step.rank.needs ? [] : step.chosen
  }

  private func better(than step: Step) throws -> Step? {
    for way in Extension.allCases {
      let options = options(way, step.used).filter { option in
        !step.chosen.contains(option)
          && !trial.existing.values.contains { option.isPrefix(of: $0) }
      }
      if !options.isEmpty, let next = try better(than: step, options) { return next }
    }
    return nil
  }

  private func better(than step: Step, _ options: [CandidateIndex]) throws -> Step? {
    // Of equally good indexes, the planner uses the last one. It should be the one with the first columns.
    try trial.trying(step.chosen + options.reversed()) { indexes in
      while true {
        let next = try planned(indexes)
        if next.rank < step.rank { return next }
        // The planner prefers an index that does not help, for example because it is smaller than the table. Without
        // it, the planner may use one that helps.
        let useless = next.chosen.filter { options.contains($0) }
        if useless.isEmpty { return nil }
        try indexes.drop(useless)
      }
    }
  }

  private func planned(_ indexes: TrialIndexes) throws -> Step {
    let plan = try trial.connection.queryPlan(sql: query.sql)
    return Step(
      rank: PlanRank(plan), chosen: indexes.used(in: plan), used: indexes.all(in: plan))
  }

  /// Returns extensions of each used index, and of an index without columns for each table.
  private func options(_ way: Extension, _ used: [CandidateIndex]) -> [CandidateIndex] {
    var options: [CandidateIndex] = []
    for table in query.tables {
      let bases = [table.index] + used.filter { table.index.isPrefix(of: $0) }
      for base in bases {
        for more in additions(way, to: base, table) {
          guard let option = base.extended(by: more), !options.contains(option) else { continue }
          options.append(option)
        }
      }
    }
    return options
  }

  private func additions(
    _ way: Extension, to base: CandidateIndex, _ table: ReadTable
  ) -> [[CandidateIndex.Term]] {
    let plain = table.columns.compactMap(\.first).filter { !base.has($0.key) }
    let expressions = table.expressions.compactMap(\.first).filter { !base.has($0.key) }
    switch way {
    case .plain: return plain.map { [$0] }
    case .special: return special(table.columns, after: base).map { [$0] }
    case .pair:
      guard plain.count <= Self.widthOfPairs else { return [] }
      return plain.flatMap { first in
        plain.filter { $0 != first }.map { [first, $0] }
      }
    case .covering:
      guard base.terms.count + plain.count <= CandidateIndex.maximumWidth else { return [] }
      // Each column can be the first one that follows the columns of the base.
      return plain.indices.map { Array(plain[$0...] + plain[..<$0]) }
    case .expression: return expressions.map { [$0] }
    case .specialExpression: return special(table.expressions, after: base).map { [$0] }
    case .expressionPair:
      let all = plain + expressions
      guard all.count <= Self.widthOfPairs else { return [] }
      return expressions.flatMap { first in
        all.filter { $0 != first }.map { [first, $0] } + plain.map { [$0, first] }
      }
    }
  }

  /// Returns the terms in collations other than the first one, and in descending order.
  private func special(
    _ terms: [[CandidateIndex.Term]], after base: CandidateIndex
  ) -> [CandidateIndex.Term] {
    let ascending = terms.flatMap { $0.dropFirst() }
    // The direction of the first column does not matter, because SQLite also reads indexes backwards.
    guard !base.terms.isEmpty else { return ascending }
    return terms.flatMap { $0 }.map { term in
      var term = term
      term.isDescending = true
      return term
    } + ascending
  }
}

extension CandidateIndex {
  fileprivate func has(_ key: Key) -> Bool { terms.contains { $0.key == key } }
}
