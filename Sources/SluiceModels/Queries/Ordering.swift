public import Sluice

/// An ORDER BY term with its direction.
public struct Ordering<M: Model>: Sendable {
  let sql: Result<SQL, any Error>

  /// The position of NULL in the order.
  public enum Nulls: String, Hashable, Sendable, CaseIterable {
    case first = "NULLS FIRST"
    case last = "NULLS LAST"
  }

  /// Orders by a property, ascending; by default, NULL comes first.
  public static func ascending(_ property: PartialKeyPath<M>, nulls: Nulls = .first) -> Ordering {
    make("ASC", nulls) { try $0.column(property) }
  }

  /// Orders by a property, descending; by default, NULL comes last.
  public static func descending(_ property: PartialKeyPath<M>, nulls: Nulls = .last) -> Ordering {
    make("DESC", nulls) { try $0.column(property) }
  }

  /// Orders by the column with this name, ascending; by default, NULL comes first.
  public static func ascending(column: String, nulls: Nulls = .first) -> Ordering {
    make("ASC", nulls) { try $0.column(named: column) }
  }

  /// Orders by the column with this name, descending; by default, NULL comes last.
  public static func descending(column: String, nulls: Nulls = .last) -> Ordering {
    make("DESC", nulls) { try $0.column(named: column) }
  }

  /// Orders by an expression, ascending: `.ascending(.count)`; by default, NULL comes first.
  public static func ascending(
    _ expression: ModelExpression<M, some Sendable>, nulls: Nulls = .first
  ) -> Ordering {
    Ordering(sql: expression.ordered.map { "\($0) ASC \(raw: nulls.rawValue)" })
  }

  /// Orders by an expression, descending: `.descending(.count)`; by default, NULL comes last.
  public static func descending(
    _ expression: ModelExpression<M, some Sendable>, nulls: Nulls = .last
  ) -> Ordering {
    Ordering(sql: expression.ordered.map { "\($0) DESC \(raw: nulls.rawValue)" })
  }

  /// Orders by relevance for a full-text pattern, best match first; see ``Condition/matches(_:in:)``.
  ///
  /// Rows that the pattern does not match come last.
  public static func relevance(of pattern: FTS5Pattern, in table: String) -> Ordering {
    Ordering(
      sql: Result {
        let key = try Condition<M>.rowidColumn()
        // Computed for each row, a rank would cost as much as those of all rows, which are computed once.
        let (found, id, rank): (SQL, SQL, SQL) = ("sluice_found", "sluice_id", "sluice_rank")
        return """
          (WITH \(found)(\(id), \(rank)) AS MATERIALIZED (SELECT rowid, rank FROM \(identifier: table) \
          WHERE \(identifier: table) MATCH \(pattern)) \
          SELECT \(rank) FROM \(found) WHERE \(id) = \(key)) ASC NULLS LAST
          """
      })
  }

  /// Orders by an ORDER BY term in SQL: `.sql("length(name) DESC")`.
  public static func sql(_ sql: SQL) -> Ordering { Ordering(sql: .success(sql)) }

  private static func make(
    _ direction: String, _ nulls: Nulls, _ column: (TableSchema<M>) throws -> String
  ) -> Ordering {
    Ordering(
      sql: Result {
        let schema = try M.table.schema.get()
        let name = try schema.ordered(column(schema))
        return
          "\(identifier: M.table.name).\(identifier: name) \(raw: direction) \(raw: nulls.rawValue)"
      })
  }
}
