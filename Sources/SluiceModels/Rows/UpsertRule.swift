public import Sluice

/// A rule for an upsert: the conflict that it resolves, or a column of the existing row that it does not overwrite.
///
/// ```swift
/// try connection.upsert(
///   visit, .on(\.page), .keep(\.first), .set(\.count, sql: "visit.count + excluded.count"))
/// ```
///
/// Without rules, an upsert resolves a conflict with the same key, and overwrites all other columns.
public struct UpsertRule<M: Model>: Sendable {
  private let content: Content

  private enum Content: Sendable {
    /// A conflict to resolve; any conflict if there are no terms.
    case target(SQL?, columns: [String])
    case keep([String])
    case set(String, SQL)
    case failure(any Error)
  }

  /// Resolves a conflict in the unique constraint or index on exactly these properties, instead of the key.
  ///
  /// The existing row keeps its values of these properties, and its key. With several rules of this kind, the upsert
  /// resolves the first of their conflicts that occurs, in the order of the rules.
  public static func on(_ property: PartialKeyPath<M>, _ others: PartialKeyPath<M>...) -> UpsertRule
  {
    make { schema in
      let columns = try ([property] + others).map { try schema.column($0) }
      return .target("(\(columns.map { "\(identifier: $0)" }.list))", columns: columns)
    }
  }

  /// Resolves a conflict in the unique index on these terms, instead of the key: `.on(sql: "lower(name)")`.
  ///
  /// `condition` is the condition of a partial index.
  public static func on(sql terms: SQL, where condition: SQL? = nil) -> UpsertRule {
    let filter = condition.map { " WHERE \($0)" as SQL } ?? ""
    return UpsertRule(content: .target("(\(terms))\(filter)", columns: []))
  }

  /// Resolves a conflict in any unique constraint or index, in addition to those that other rules name.
  ///
  /// The existing row keeps its key.
  public static var onAnyConflict: UpsertRule {
    UpsertRule(content: .target(nil, columns: []))
  }

  /// Keeps the values that the existing row has for these properties.
  public static func keep(
    _ property: PartialKeyPath<M>, _ others: PartialKeyPath<M>...
  ) -> UpsertRule {
    make { schema in .keep(try ([property] + others).map { try schema.column($0) }) }
  }

  /// Sets the column of a property in the existing row to the value of an SQL expression.
  ///
  /// In the expression, `visit.count` is the value of the existing row of the table `visit`, and `excluded.count`
  /// is the new value.
  public static func set(_ property: PartialKeyPath<M>, sql: SQL) -> UpsertRule {
    make { schema in .set(try schema.writable(schema.column(property)), sql) }
  }

  private static func make(_ content: (TableSchema<M>) throws -> Content) -> UpsertRule {
    do { return UpsertRule(content: try content(M.table.schema.get())) } catch {
      return UpsertRule(content: .failure(error))
    }
  }

  /// Whether the rule names the conflict to resolve.
  var isTarget: Bool { if case .target = content { true } else { false } }

  /// Returns the ON CONFLICT clauses for these rules.
  ///
  /// If `updatesAlways` is true, a conflict updates the existing row even if the rules keep all of its values,
  /// because RETURNING does not return a row that is not updated. A row for which the condition is false is not updated.
  static func clause(
    _ rules: [UpsertRule], updatesAlways: Bool, where condition: SQL? = nil
  ) throws -> SQL {
    let schema = try M.table.schema.get()
    var targets: [(terms: SQL?, columns: [String])] = []
    var kept = Set(schema.keyNames)
    var values: [(column: String, value: SQL)] = []
    for rule in rules {
      switch rule.content {
      case .failure(let error): throw error
      case .keep(let columns): kept.formUnion(columns)
      case .set(let column, let value): values.append((column, value))
      case .target(let terms, let columns): targets.append((terms, columns))
      }
    }
    if targets.isEmpty {
      targets = [("(\(schema.keyNames.map { "\(identifier: $0)" }.list))", [])]
    }
    // SQLite accepts a clause without terms only as the last one.
    let (named, any) = (targets.filter { $0.terms != nil }, targets.filter { $0.terms == nil })
    return try (named + any.prefix(1)).map { terms, columns in
      let action = try action(
        values, keeping: kept.union(columns), updatesAlways: updatesAlways, where: condition)
      return " ON CONFLICT\(terms ?? "") DO \(action)"
    }.joined(separator: "")
  }

  private static func action(
    _ values: [(column: String, value: SQL)], keeping kept: Set<String>, updatesAlways: Bool,
    where condition: SQL?
  ) throws -> SQL {
    let schema = try M.table.schema.get()
    var values = values
    if let key = values.map(\.column).first(where: schema.keyNames.contains) {
      throw SQLiteError(
        .misuse, "An upsert cannot set \"\(key)\", because the existing row keeps its key")
    }
    for (index, (column, _)) in values.enumerated()
    where kept.contains(column) || values[..<index].contains(where: { $0.column == column }) {
      throw SQLiteError(
        .misuse, "The rules of an upsert both keep and set \"\(column)\", or set it twice")
    }
    let known = kept.union(values.map(\.column))
    for column in schema.written where !known.contains(column) {
      values.append((column, "excluded.\(identifier: column)"))
    }
    if values.isEmpty, updatesAlways {
      let key = schema.keyNames[0]
      values = [(key, "\(identifier: M.table.name).\(identifier: key)")]
    }
    guard !values.isEmpty else { return "NOTHING" }
    let assignments = values.map { "\(identifier: $0.column) = \($0.value)" as SQL }.list
    let filter: SQL = condition.map { " WHERE \($0)" } ?? ""
    return "UPDATE SET \(assignments)\(filter)"
  }
}
