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
    case target(SQL, columns: [String])
    case keep([String])
    case set(String, SQL)
    case failure(any Error)
  }

  /// Resolves a conflict in the unique constraint or index on exactly these properties, instead of the key.
  ///
  /// The existing row keeps its values of these properties, and its key.
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

  /// Returns the ON CONFLICT clause for these rules.
  ///
  /// If `updatesAlways` is true, a conflict updates the existing row even if the rules keep all of its values,
  /// because RETURNING does not return a row that is not updated.
  static func clause(_ rules: [UpsertRule], updatesAlways: Bool) throws -> SQL {
    let schema = try M.table.schema.get()
    var target: SQL?
    var kept = Set(schema.keyNames)
    var values: [(column: String, value: SQL)] = []
    for rule in rules {
      switch rule.content {
      case .failure(let error): throw error
      case .keep(let columns): kept.formUnion(columns)
      case .set(let column, let value): values.append((column, value))
      case .target(let sql, let columns):
        guard target == nil else {
          throw SQLiteError(.misuse, "An upsert can resolve only one conflict; pass one .on rule")
        }
        target = sql
        kept.formUnion(columns)
      }
    }
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
    let action: SQL =
      values.isEmpty
      ? "NOTHING" : "UPDATE SET \(values.map { "\(identifier: $0.column) = \($0.value)" }.list)"
    let key: SQL = "(\(schema.keyNames.map { "\(identifier: $0)" }.list))"
    return " ON CONFLICT\(target ?? key) DO \(action)"
  }
}
