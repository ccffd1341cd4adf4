import Sluice

/// A table that a query reads, with the terms of an index that could help.
struct ReadTable: Sendable {
  /// An index without terms.
  let index: CandidateIndex
  /// The columns, each with all ways to sort an index by it.
  ///
  /// The first way is the collation of the column. The rowid is omitted, because each index already contains it.
  let columns: [[CandidateIndex.Term]]
  /// The expressions, each with all ways to sort an index by it.
  let expressions: [[CandidateIndex.Term]]
}

extension IndexTrial {
  /// Returns the tables that a statement reads, and the expressions with which it compares its parameters.
  func tables(
    readBy sql: String
  ) throws -> (tables: [ReadTable], comparisons: [Int: CandidateExpression]) {
    let (read, views) = try columns(readBy: sql)
    let tables = layout.tables.compactMap { table -> (DescribedTable, Set<String>)? in
      guard table.info.kind == .table, table.database != "temp" else { return nil }
      return read["\(table.database).\(table.info.name)".lowercased()].map { (table, $0) }
    }
    let names = tables.flatMap { $0.1 }.map(\.nameContent)
    let texts = views + [sql]
    let found = texts.map { QueryExpressions($0, columns: Set(names), excluding: functions) }
    var expressions: [CandidateExpression] = []
    for expression in found.flatMap(\.all) where !expressions.contains(expression) {
      expressions.append(expression)
    }
    let candidates = expressions.suffix(QueryExpressions.maximumCount)
    return (
      try tables.map { table, names in
        let index = CandidateIndex(database: table.database, table: table.info.name, terms: [])
        let columns = table.columns.enumerated().filter { place, column in
          names.contains(column.name) && place != table.key && column.kind != .hidden
        }
        return ReadTable(
          index: index, columns: columns.map { ways(to: $0.element) },
          // SQLite permits all ways to sort by an expression, or none.
          expressions: try candidates.map { ways(to: $0) }.filter { try permits(index, $0[0]) })
      }, found.last?.comparisons ?? [:]
    )
  }

  private func permits(_ table: CandidateIndex, _ term: CandidateIndex.Term) throws -> Bool {
    try permits(CandidateIndex(database: table.database, table: table.table, terms: [term]))
  }

  /// Returns the names of the columns that a statement reads, by the lowercase name of their table, and the SQL of the
  /// views through which it reads them.
  private func columns(
    readBy sql: String
  ) throws -> (columns: [String: Set<String>], views: [String]) {
    var read: [String: Set<String>] = [:]
    var sources: Set<String> = []
    let token = try connection.authorize { request in
      if case .read(let table, let column) = request.action {
        read["\(request.schema ?? "main").\(table)".lowercased(), default: []].insert(column)
        if let source = request.source { sources.insert(source) }
      }
      return .allow
    }
    defer { token.cancel() }
    _ = try connection.queryPlan(sql: sql)
    return (read, views.filter { sources.contains($0.name) }.map(\.sql))
  }

  private func ways(to column: ColumnInfo) -> [CandidateIndex.Term] {
    let isText = !DeclaredType(column.declaredType).kinds.isDisjoint(with: .text)
    let others = isText ? collations.filter { !$0.isCollation(column.collation) } : []
    return ways(to: .column(column.name), others)
  }

  private func ways(to expression: CandidateExpression) -> [CandidateIndex.Term] {
    ways(to: .expression(expression), collations.filter { $0 != "BINARY" })
  }

  private func ways(
    to key: CandidateIndex.Key, _ collations: [String]
  ) -> [CandidateIndex.Term] {
    ([nil] + collations).map { CandidateIndex.Term(key: key, collation: $0) }
  }
}
