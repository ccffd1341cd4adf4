import Foundation
public import SluiceCore

/// The result of ``Migrator/dryRun(on:upTo:)-(_,Int?)``.
public struct MigrationDryRun: Hashable, Sendable {
  /// The migrations that would be adopted from the record of another library, in order.
  ///
  /// See ``Migrator/AdoptedRecord``.
  public let adopted: [MigrationStep]
  /// The migrations that would be applied, in order.
  public let steps: [MigrationStep]
  /// The schema that the database would have after these migrations, without the record tables.
  public let schema: [SchemaObject]
}

extension Migrator {
  /// Migrates a copy of the database, and throws every error that `migrate` would throw.
  ///
  /// ```swift
  /// let dryRun = try migrator.dryRun(on: connection)
  /// for step in dryRun.steps { print("Would apply", step) }
  /// ```
  ///
  /// The database itself does not change. The copy is a file in the folder for temporary files. Only the current
  /// user can read it, and it is deleted at the end. The copy needs as much space as the database, and as
  /// much time as writing a file of that size. The connection can be read-only. The copy has the configuration of the
  /// connection, and the functions and collations that the migrator's `preparing` adds.
  ///
  /// Throws ``ResultCode/misuse`` inside a transaction and inside a function that a statement of the connection
  /// calls. Also throws it for a migration that attaches a file, because that file would not be a copy.
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
      // If the deletion fails, report the error of the dry run.
      try? FileManager.default.removeItem(at: folder)
      throw error
    }
    // Here, a failed deletion throws, because a copy of the data would remain.
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
    let schema = try Schema(of: copy, ignoring: ignoredTables).objects
    try copy.close()
    return MigrationDryRun(
      adopted: report.adopted, steps: report.applied, schema: schema)
  }

  /// Returns the differences between the database's schema and the schema that its migrations create.
  ///
  /// ```swift
  /// for difference in try migrator.drift(on: connection) { print(difference) }
  /// ```
  ///
  /// This method runs the migrations that were applied to the database, including migrations in Swift, on an
  /// empty in-memory database, after the migrator's `preparing`. It ignores differences in white space, quotes
  /// and the case of names, and between the SQL that `ALTER TABLE` and `CREATE TABLE` write for the same schema.
  /// It also ignores SQLite's internal tables, the tables that store the content of virtual tables, and the tables
  /// `_litestream_seq` and `_litestream_lock` of a replicated database, and `sluice_commit` of a cluster.
  ///
  /// Throws a ``MigrationError`` for a database with a different history. Throws ``ResultCode/misuse`` inside a
  /// function that a statement of the connection calls, and for a migration that attaches a file.
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
      var migrator = self
      migrator.erasesOnSchemaChange = false
      try migrator.migrate(expected, upTo: version, atomically: false)
      return try Schema(of: expected, ignoring: ignoredTables)
        .differences(from: Schema(of: connection, ignoring: ignoredTables))
    }
  }

  /// The names of the tables that are not part of the schema: migration records, and the tables that Litestream adds.
  private var ignoredTables: [String] {
    [recordTable, "_litestream_seq", "_litestream_lock", "sluice_commit"]
      + [adopting?.table].compactMap { $0 }
  }
}

extension Configuration {
  /// A copy of this configuration for a database on which migrations are tried.
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
  /// Rejects attaching a file, so that a trial of the migrations cannot write to other databases.
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

  /// Copies the options of `other` that determine whether a migration works.
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
