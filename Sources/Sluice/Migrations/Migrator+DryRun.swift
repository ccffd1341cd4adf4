import Foundation
public import SluiceCore

/// The result of ``Migrator/dryRun(on:upTo:)-(_,Int?)``.
public struct MigrationDryRun: Hashable, Sendable {
  /// The migrations that would be taken over from the record of another library, in order; see
  /// ``Migrator/AdoptedRecord``.
  public let adopted: [MigrationStep]
  /// The migrations that would be applied, in order.
  public let steps: [MigrationStep]
  /// The schema that the database would have then, without the records of migrations.
  public let schema: [SchemaObject]
}

extension Migrator {
  /// Migrates a copy of the database, and throws what would be thrown; the database is not changed.
  ///
  /// ```swift
  /// let dryRun = try migrator.dryRun(on: connection)
  /// for step in dryRun.steps { print("Would apply", step) }
  /// ```
  ///
  /// The copy is a file in the folder for temporary files, which only this user can read and which is
  /// deleted at the end: it takes as much room as the database, and as much time as to write it. The
  /// connection can be one that only reads. The copy is opened with the same configuration, and has the
  /// functions and collations that the migrator's `preparing` adds.
  ///
  /// It throws ``ResultCode/misuse`` inside of a transaction and inside of a function that a statement
  /// of the connection calls, and for a migration that attaches a file, which would be no copy.
  ///
  /// The corresponding C functions are `sqlite3_backup_init`, `sqlite3_backup_step` and
  /// `sqlite3_backup_finish`.
  public func dryRun(on connection: Connection, upTo last: Int? = nil) throws -> MigrationDryRun {
    guard !connection.isInCallback, connection.isInAutocommit else {
      throw SQLiteError(
        .misuse,
        "A dry run cannot copy the database inside a transaction or an SQL function; use perform")
    }
    let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID())")
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    let report: MigrationDryRun
    do { report = try dryRun(on: connection, upTo: last, in: folder) } catch {
      // The first error is the one to report.
      try? FileManager.default.removeItem(at: folder)
      throw error
    }
    // A copy of the data that stays behind is nothing to be silent about.
    try FileManager.default.removeItem(at: folder)
    return report
  }

  private func dryRun(
    on connection: Connection, upTo last: Int?, in folder: URL
  ) throws -> MigrationDryRun {
    let file = folder.appending(path: "copy.db")
    try connection.backup(to: file.path(percentEncoded: false))

    let configuration = connection.configuration.forTrial
    let copy = try Connection(
      path: file.path(percentEncoded: false), create: false, configuration: configuration)
    try copy.takeSwitches(of: connection)
    try preparing?(copy)
    try copy.refuseFiles()
    let report = try migrate(copy, upTo: last)
    let schema = try Schema(of: copy, ignoring: records).objects
    try copy.close()
    return MigrationDryRun(adopted: report.adopted, steps: report.applied, schema: schema)
  }

  /// In what the schema of the database is not the one that its migrations make; nothing, if it is.
  ///
  /// ```swift
  /// for difference in try migrator.drift(on: connection) { print(difference) }
  /// ```
  ///
  /// The migrations that the database has behind it are run on an empty database in memory, those in
  /// Swift too, after the migrator's `preparing`. What differs only in white space, quotes and the case
  /// of names, or in the way in which `ALTER TABLE` and `CREATE TABLE` write the same, is the same.
  /// Tables of SQLite's own and those in which virtual tables keep their content do not count.
  ///
  /// It throws a ``MigrationError`` for a database with another past, and ``ResultCode/misuse`` inside of
  /// a function that a statement of the connection calls, and for a migration that attaches a file.
  public func drift(on connection: Connection) throws -> [SchemaDifference] {
    guard !connection.isInCallback else {
      throw SQLiteError(
        .misuse, "An SQL function cannot compare the schema of the connection that calls it")
    }
    return try connection.savepoint { connection in
      let version = try history(of: connection).count
      var configuration = connection.configuration.forTrial
      configuration.encryptionKey = nil
      let expected = try Connection(configuration: configuration)
      try expected.takeSwitches(of: connection)
      try preparing?(expected)
      try expected.refuseFiles()
      try migrate(expected, upTo: version, atomically: false)
      return try Schema(of: expected, ignoring: records)
        .differences(from: Schema(of: connection, ignoring: records))
    }
  }

  /// The tables that are no part of the schema.
  private var records: [String] { [recordTable] + [adopting?.table].compactMap { $0 } }
}

extension Configuration {
  /// This configuration for a database in which migrations are tried.
  fileprivate var forTrial: Configuration {
    var configuration = self
    configuration.readOnly = false
    configuration.journalMode = nil
    configuration.deletesFileOnClose = false
    configuration.optimizesOnClose = false
    return configuration
  }
}

extension Connection {
  /// Keeps migrations, which run to see what they do, from writing to other databases.
  fileprivate func refuseFiles() throws {
    try authorize { request in
      guard case .attach(let file) = request.action, file != "", file != ":memory:" else {
        return .allow
      }
      throw SQLiteError(
        .misuse,
        "A dry run cannot run a migration that attaches a file, because it would write to that file"
      )
    }
  }

  /// Turns on and off what decides whether a migration works as it would on `other`.
  fileprivate func takeSwitches(of other: Connection) throws {
    let switches: [ConnectionOption] = [
      .foreignKeys, .triggers, .views, .trustedSchema, .legacyAlterTable,
      .doubleQuotedStringsInSchema, .doubleQuotedStringsInStatements,
    ]
    for aSwitch in switches where try option(aSwitch) != other.option(aSwitch) {
      try setOption(aSwitch, other.option(aSwitch))
    }
  }
}
