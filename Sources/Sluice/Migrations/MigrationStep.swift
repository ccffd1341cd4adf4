public import Foundation

/// Which migration it is: its place in the list, and its name.
public struct MigrationStep: Hashable, Sendable {
  /// The place in the list, counted from 1; for a numbered migration its number.
  public let number: Int
  /// The name of the step, which can be empty for a numbered migration.
  public let name: String
  /// A hash that changes when the step is edited; see ``Migration/checksum``.
  public let checksum: String?
}

extension MigrationStep: CustomStringConvertible {
  /// The number, and the name in quotes if there is one.
  public var description: String { name.isEmpty ? "\(number)" : "\(number) \"\(name)\"" }
}

/// A migration that a database has behind it, as the database tells.
public struct AppliedMigration: Hashable, Sendable {
  /// Which migration it is, and what its checksum was.
  public let step: MigrationStep
  /// When it was applied, to the second, by the clock of that machine.
  public let date: Date
  /// The version of the SQLite that applied it.
  public let sqliteVersion: String
}

/// The result of `migrate` of a ``Migrator``.
public struct MigrationReport: Hashable, Sendable {
  /// The migrations that were taken over from the record of another library, in order; see
  /// ``Migrator/AdoptedRecord``.
  public let adopted: [MigrationStep]
  /// The steps that were applied, in order; empty if the schema was up to date.
  public let applied: [MigrationStep]
  /// How many migrations the database has behind it now.
  public let version: Int
}

/// Which migration is about to run, of how many.
public struct MigrationProgress: Hashable, Sendable {
  /// The migration that is about to run.
  public let step: MigrationStep
  /// How many have run in this call.
  public let completed: Int
  /// How many are to run in this call, as far as no other connection takes a part in it.
  public let total: Int
}
