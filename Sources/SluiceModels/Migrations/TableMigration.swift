public import Sluice

/// The changes that a migration makes to a table, in addition to those that follow from the model.
///
/// ```swift
/// try connection.migrate(Member.self, to: 2) { migration in
///   migration.rename("sex", to: \.gender)
///   migration.combine("lastName", "firstName", into: \.fullName, separator: ", ")
///   migration.fill(\.messages, sql: "(SELECT count(*) FROM message WHERE message.member = id)")
///   migration.drop("shoeSize")
/// }
/// ```
///
/// For repeated changes, write helpers in an extension. A helper can use the names of both tables and of the key
/// columns, and can ``run(_:)`` any SQL while both tables exist.
public struct TableMigration<M: Model>: Sendable {
  /// The version of the table before the migration; nil if it was never migrated.
  public let lastVersion: Int?
  /// The name of the table with the old columns.
  public let oldTable: String
  /// The name of the table with the new columns, before it replaces the old table.
  public let newTable: String
  /// The names of the columns that form the key.
  public let keyNames: [String]

  private(set) var renames: [(old: String, new: Result<String, any Error>)] = []
  private(set) var drops: [String] = []
  /// The combined columns, which are dropped unless the model has columns with these names.
  private(set) var combined: [String] = []
  private(set) var fills: [(column: Result<String, any Error>, sql: SQL)] = []
  private(set) var statements: [SQL] = []

  init(lastVersion: Int?, schema: TableSchema<M>) {
    self.lastVersion = lastVersion
    oldTable = M.table.name
    newTable = "sluice_new_" + M.table.name
    keyNames = schema.keyNames
  }
}

extension TableMigration {
  /// Renames a column to the column of a property, and updates all references in indexes, triggers and views.
  ///
  /// The order of several renames does not matter, and two columns can exchange their names.
  public mutating func rename(_ column: String, to property: PartialKeyPath<M>) {
    renames.append((column, name(property)))
  }

  /// Fills the column of a property with the value of an SQL expression, evaluated for each row of the old table.
  ///
  /// Renames are applied first, so refer to a renamed column by its new name.
  public mutating func fill(_ property: PartialKeyPath<M>, sql: SQL) {
    fills.append((name(property), sql))
  }

  /// Fills the column of a property with the text of two other columns, joined by `separator`.
  ///
  /// If one column is NULL, the result is the value of the other column, without the separator. Each of the two
  /// columns is dropped, unless the model has a column with its name.
  public mutating func combine(
    _ first: String, _ second: String, into property: PartialKeyPath<M>, separator: String
  ) {
    let (one, other): (SQL, SQL) = ("\(identifier: first)", "\(identifier: second)")
    fill(
      property,
      sql: "coalesce(\(one) || \(separator) || \(other), \(one), \(other))")
    combined += [first, second]
  }

  /// Drops a column and its contents.
  ///
  /// The migration throws if the column does not exist, or belongs to the model. Columns are never dropped
  /// implicitly, because a column that was merely renamed in the model would be lost.
  public mutating func drop(_ column: String) { drops.append(column) }

  /// Runs SQL after the rows have been copied, while both tables exist.
  public mutating func run(_ sql: SQL) { statements.append(sql) }

  private func name(_ property: PartialKeyPath<M>) -> Result<String, any Error> {
    Result { try M.table.schema.get().column(property) }
  }
}

/// The SQL of a migration in order, without the bound values.
public struct MigrationPlan: Hashable, Sendable, CustomStringConvertible {
  /// The SQL statements of the migration; empty if the table needs no change.
  public internal(set) var statements: [String] = []

  /// The statements as a script.
  public var description: String { statements.map { $0 + ";" }.joined(separator: "\n") }
}
