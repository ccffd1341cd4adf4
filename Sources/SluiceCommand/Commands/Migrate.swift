import Foundation
import Sluice
import SluiceSQL

/// The command `sluice migrate`, which applies migrations to a database.
struct Migrate: Command {
  let name = "migrate"
  let summary = "Applies the migrations in a folder to a database."
  let details = """
    The folder contains files such as 0001_create_person.sql; the numbers start at 1 and have no
    gaps. A file such as 0001-0003_schema.sql replaces the migrations 1 to 3: a database that has
    them does not run it. Each migration is applied once, in its own transaction. The database keeps
    a record of the applied migrations, with a checksum of each.

    Before anything is applied, the schema is compared with the schema that the recorded migrations
    produce. If the two differ (drift), or if the record does not match the files, nothing is
    applied and the exit status is 1.
    """
  static let arguments = [
    Operand(name: "DATABASE", kind: .file, help: "The database file."),
    Operand(
      name: "FOLDER", kind: .folder,
      help: "The folder of the migrations, or the one that contains Migrations."),
  ]
  let operands = arguments
  static let dryRun = Option(
    name: "--dry-run",
    help: "Run the migrations on a copy of the database, and report the result.")
  static let create = Option(
    name: "--create", help: "Create the database if it does not exist.")
  static let upTo = Option(
    name: "--up-to", value: "N", help: "Stop after migration N.")
  static let atomically = Option(
    name: "--atomically", help: "Apply all migrations in one transaction.")
  static let allowDrift = Option(
    name: "--allow-drift", help: "Report schema drift, but apply the migrations anyway.")
  let options = [
    dryRun, create, upTo, atomically, allowDrift, RecordOptions.userVersion,
    RecordOptions.adopting, RecordOptions.table, .json,
  ]

  func run(_ arguments: Arguments, _ console: Console) throws -> ExitCode {
    let run = try MigrationRun(arguments)
    let report: MigrationOutcome
    do { report = try console.showingProgress(of: "migrate", run.outcome) } catch let error
      as MigrationError
    {
      report = run.refusal(error)
    }
    try console.write(report, asJSON: arguments.has(.json))
    if let problem = report.problem { console.tell(.error, problem) }
    return report.isRefused ? .found : .success
  }
}

/// A run of ``Migrate`` with its parsed arguments.
private struct MigrationRun {
  private let arguments: Arguments
  private let folder: MigrationFolder
  private let migrator: Migrator
  private let path: String
  private let last: Int?
  private let isDryRun: Bool

  init(_ arguments: Arguments) throws {
    self.arguments = arguments
    path = arguments.operands[0]
    last = try arguments.number(of: Migrate.upTo)
    isDryRun = arguments.has(Migrate.dryRun)
    let record = try RecordOptions(arguments)
    folder = try MigrationFolder(arguments.operands[1])
    migrator = try record.migrator(of: folder)
    let count = migrator.steps.last?.number ?? 0
    if let last, last > count {
      throw arguments.usageError(
        "There is no migration \(last): \(folder.path) has \(count) migrations")
    }
  }

  func outcome(_ bar: ProgressBar) throws -> MigrationOutcome {
    let isMissing = !path.isEmpty && !FileManager.default.fileExists(atPath: path)
    if isMissing, !arguments.has(Migrate.create) {
      throw Failure("\(path) does not exist; pass --create to create it")
    }
    if isDryRun {
      guard !isMissing else { return try dryRun(on: Connection()) }
      return try DatabaseFile(path).read(dryRun)
    }
    guard !isMissing else { return try migrateFile(create: true, bar) }
    return try DatabaseFile(path).naming { try migrateFile(create: false, bar) }
  }

  private func migrateFile(create: Bool, _ bar: ProgressBar) throws -> MigrationOutcome {
    let connection = try Connection(
      path: path, create: create, configuration: .ofCommand(writing: path))
    try bar.watch(connection)
    let outcome = try migrate(connection, bar)
    try connection.close()
    return outcome
  }

  private func dryRun(on connection: Connection) throws -> MigrationOutcome {
    let drift = try migrator.drift(on: connection)
    let done = try migrator.version(on: connection)
    guard drift.isEmpty || arguments.has(Migrate.allowDrift) else {
      return outcome(done, drift, isRefused: true)
    }
    let report = try folder.placing(on: connection) {
      try migrator.dryRun(on: connection, upTo: last)
    }
    return outcome(done, drift, adopted: report.adopted, steps: report.steps)
  }

  private func migrate(
    _ connection: Connection, _ bar: ProgressBar
  ) throws -> MigrationOutcome {
    let drift = try migrator.drift(on: connection)
    guard drift.isEmpty || arguments.has(Migrate.allowDrift) else {
      return try outcome(migrator.version(on: connection), drift, isRefused: true)
    }
    let report = try folder.placing(on: connection) {
      try migrator.migrate(
        connection, upTo: last, atomically: arguments.has(Migrate.atomically),
        progress: bar.update)
    }
    return outcome(report.version, drift, adopted: report.adopted, steps: report.applied)
  }

  private func outcome(
    _ version: Int, _ drift: [SchemaDifference], adopted: [MigrationStep] = [],
    steps: [MigrationStep] = [], isRefused: Bool = false
  ) -> MigrationOutcome {
    MigrationOutcome(
      database: path, isDryRun: isDryRun,
      adopted: adopted.map(MigrationOutcome.Step.init),
      steps: steps.map(MigrationOutcome.Step.init),
      version: version, count: migrator.steps.last?.number ?? 0,
      drift: drift.map(MigrationOutcome.Difference.init), isRefused: isRefused)
  }

  /// Returns the outcome for a database whose migration history does not match the files.
  func refusal(_ error: MigrationError) -> MigrationOutcome {
    var outcome = outcome(0, [], isRefused: true)
    outcome.version = nil
    outcome.problem = error.description.withOptions
    return outcome
  }
}
