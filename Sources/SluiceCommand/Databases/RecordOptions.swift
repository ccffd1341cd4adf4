import Sluice

/// The options that describe where a database records its migrations.
struct RecordOptions {
  private let adopting: Migrator.AdoptedRecord?
  private let userVersion: Migrator.UserVersion
  private let table: String

  static let userVersion = Option(
    name: "--user-version", value: "USE", kind: .words(["kept", "ignored"]),
    help: "kept (default): store the number of applied migrations in user_version;\n"
      + "ignored: leave user_version alone.")
  static let adopting = Option(
    name: "--adopting", value: "RECORD", kind: .words(["grdb", "fluent", "user-version"]),
    help: "Continue the record of another library: grdb, fluent or user-version. "
      + "Has no effect once the database has its own record.")
  static let table = Option(
    name: "--table", value: "NAME",
    help: "The table that contains the migration record (default: sluice_migration).")

  init(_ arguments: Arguments) throws {
    let uses: [String: Migrator.UserVersion] = ["kept": .kept, "ignored": .ignored]
    userVersion = try arguments.meaning(of: Self.userVersion) { uses[$0] } ?? .kept
    let records: [String: Migrator.AdoptedRecord] = [
      "grdb": .grdb, "fluent": .fluent, "user-version": .userVersion,
    ]
    adopting = try arguments.meaning(of: Self.adopting) { records[$0] }
    table = arguments.value(of: Self.table) ?? "sluice_migration"
  }

  /// Returns the migrator of the files in a folder.
  func migrator(of folder: MigrationFolder) throws -> Migrator {
    try folder.placing {
      try Migrator(
        folder.migrations, adopting: adopting, userVersion: userVersion, recordTable: table)
    }
  }
}
