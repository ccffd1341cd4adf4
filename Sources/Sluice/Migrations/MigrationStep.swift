public import Foundation

/// The identity of a migration: its position in the list, its name and its checksum.
public struct MigrationStep: Hashable, Sendable {
  /// The position in the list, counted from 1, which equals the number of a numbered migration.
  ///
  /// A merged migration counts as the migrations that it replaces, and has the position of the last of them.
  public let number: Int
  /// The name of the migration, which can be empty for a numbered migration.
  public let name: String
  /// A hash that changes when the migration is edited; see ``Migration/checksum``.
  public let checksum: String?
}

extension MigrationStep: CustomStringConvertible {
  /// The number, followed by the name in quotes if there is one.
  public var description: String { name.isEmpty ? "\(number)" : "\(number) \"\(name)\"" }
}

/// A migration that was applied to a database, according to the database's record.
public struct AppliedMigration: Hashable, Sendable {
  /// The identity of the migration, with its checksum at that time.
  public let step: MigrationStep
  /// The time when the migration was applied, to the second, by the clock of the machine that applied it.
  public let date: Date
  /// The version of SQLite that applied the migration.
  public let sqliteVersion: String
}

/// The result of a ``Migrator``'s `migrate` method.
public struct MigrationReport: Hashable, Sendable {
  /// The migrations that were adopted from the record of another library, in order.
  ///
  /// See ``Migrator/AdoptedRecord``.
  public let adopted: [MigrationStep]
  /// The migrations that were applied, in order; empty if the schema was up to date.
  public let applied: [MigrationStep]
  /// The applied migrations whose earlier run outside a transaction did not finish.
  ///
  /// The earlier run threw an error, its process ended, or another connection was running the migration at the same
  /// time.
  public let repeated: [MigrationStep]
  /// The number of migrations that the database has after the call.
  public let version: Int
  /// Whether the database was erased first; see ``Migrator/erasesOnSchemaChange``.
  public let isErased: Bool
}

/// The progress of a `migrate` call, before its next migration.
public struct MigrationProgress: Hashable, Sendable {
  /// The migration that is about to run.
  public let step: MigrationStep
  /// The number of migrations that this call has run.
  public let completed: Int
  /// The number of migrations that this call will run, unless another connection applies some of them.
  public let total: Int
}
