public import Sluice

/// A migration of the rows of a table whose columns differ from those of its model.
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
/// A helper of your own is an extension: it knows the names of both tables and of the key, and can
/// ``run(_:)`` any SQL while both are there.
public struct TableMigration<M: Model>: Sendable {
  /// The version that the table has, or nil if it was never migrated.
  public let lastVersion: Int?
  /// The name of the table, which has the old columns.
  public let oldTable: String
  /// The name that the table with the new columns has, until it takes the place of the old one.
  public let newTable: String
  /// The names of the columns that make up the key.
  public let keyNames: [String]

  private(set) var renames: [(old: String, new: Result<String, any Error>)] = []
  private(set) var drops: [String] = []
  /// Those that go only if the model does not have them.
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
  /// A column gets the name of a property, with all that refers to it: indexes, triggers and views.
  public mutating func rename(_ column: String, to property: PartialKeyPath<M>) {
    renames.append((column, name(property)))
  }

  /// The column of a property gets what SQL makes of the row's old columns.
  ///
  /// What has been renamed goes by its new name.
  public mutating func fill(_ property: PartialKeyPath<M>, sql: SQL) {
    fills.append((name(property), sql))
  }

  /// The column of a property gets the texts of two others, with `separator` between them.
  ///
  /// If one is NULL, it gets the other. Both of them go, unless the model has them.
  public mutating func combine(
    _ first: String, _ second: String, into property: PartialKeyPath<M>, separator: String
  ) {
    let (one, other): (SQL, SQL) = ("\(identifier: first)", "\(identifier: second)")
    fill(
      property,
      sql: "coalesce(\(one) || \(separator) || \(other), \(one), \(other))")
    combined += [first, second]
  }

  /// A column goes, with what it holds; one that is not there throws, and so does one of the model's.
  ///
  /// It has to be said: a column that only has another name in the model would be lost otherwise.
  public mutating func drop(_ column: String) { drops.append(column) }

  /// Runs SQL when the rows have been copied, and both tables are there.
  public mutating func run(_ sql: SQL) { statements.append(sql) }

  private func name(_ property: PartialKeyPath<M>) -> Result<String, any Error> {
    Result { try M.table.schema.get().column(property) }
  }
}

/// The plan or result of a migration: its SQL in order, without the values.
public struct MigrationPlan: Hashable, Sendable, CustomStringConvertible {
  /// The statements; none if there is nothing to be done.
  public internal(set) var statements: [String] = []

  /// The statements as a script.
  public var description: String { statements.map { $0 + ";" }.joined(separator: "\n") }
}
