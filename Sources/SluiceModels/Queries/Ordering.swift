public import Sluice

/// By what rows are ordered, and in which direction.
public struct Ordering<M: Model>: Sendable {
  let sql: Result<SQL, any Error>

  /// Where NULL stands.
  public enum Nulls: String, Hashable, Sendable, CaseIterable {
    case first = "NULLS FIRST"
    case last = "NULLS LAST"
  }

  /// From small to large; NULL comes first, unless `nulls` says otherwise.
  public static func ascending(_ property: PartialKeyPath<M>, nulls: Nulls = .first) -> Ordering {
    make("ASC", nulls) { try $0.column(property) }
  }

  /// From large to small; NULL comes last, unless `nulls` says otherwise.
  public static func descending(_ property: PartialKeyPath<M>, nulls: Nulls = .last) -> Ordering {
    make("DESC", nulls) { try $0.column(property) }
  }

  /// From small to large, by a column that is given by its name.
  public static func ascending(column: String, nulls: Nulls = .first) -> Ordering {
    make("ASC", nulls) { try $0.column(named: column) }
  }

  /// From large to small, by a column that is given by its name.
  public static func descending(column: String, nulls: Nulls = .last) -> Ordering {
    make("DESC", nulls) { try $0.column(named: column) }
  }

  /// A term of ORDER BY: `.sql("length(name) DESC")`.
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
