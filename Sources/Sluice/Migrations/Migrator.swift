public import SluiceCore

/// An ordered list of migrations that changes the schema of a database to the newest version.
///
/// ```swift
/// let migrator = try Migrator([
///   Migration(1, "create person", sql: "CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT)"),
///   Migration(2, "trim names") { connection in
///     try connection.execute("UPDATE person SET name = trim(name)")
///   },
/// ])
/// try migrator.migrate(connection)
/// ```
///
/// Each migration is applied once, in order. Either all migrations have numbers, from 1 without gaps, or all are
/// identified by their names. Append new migrations to the end, and do not change a migration that was applied to
/// any database. A migrator rejects a database with a different history; see ``MigrationError``.
///
/// The database keeps a record in a table, with one row for each applied migration:
///
/// ```sql
/// CREATE TABLE sluice_migration(
///   number INTEGER PRIMARY KEY,    -- the place in the list, from 1
///   name TEXT NOT NULL,
///   checksum TEXT,                 -- that of Migration.checksum; NULL is not compared
///   applied_at INTEGER NOT NULL,   -- seconds since 1970
///   sqlite_version TEXT NOT NULL)
/// ```
public struct Migrator: Sendable {
  /// The migrations in order.
  public let migrations: [Migration]
  /// The other library's record, used if the database has no Sluice record; nil for none.
  public let adopting: AdoptedRecord?
  /// The use of `user_version`.
  public let userVersion: UserVersion
  /// The name of the table in the main database that contains the record.
  public let recordTable: String
  /// A closure that prepares an in-memory database or a copy for the migrations.
  let preparing: (@Sendable (Connection) throws -> Void)?

  /// The use of a database's `user_version`.
  ///
  /// Programs without a migrator often store the version of their schema in the `user_version`.
  public enum UserVersion: Hashable, Sendable {
    /// The `user_version` is set to the number of applied migrations.
    ///
    /// If a database has a `user_version` but no migration record, ``MigrationError/unrecorded(userVersion:)`` is
    /// thrown.
    case kept
    /// The `user_version` is not used, because it has another purpose.
    case ignored
  }

  /// Creates a migrator from a list of migrations in order.
  ///
  /// If `adopting` is given, the migrator continues after the migrations that another library has applied. The
  /// migrations in that library's record are copied to this migrator's record, in the transaction of the first
  /// new migration or, if there is none, in a separate transaction. From then on, only this migrator's record is
  /// used. The other record does not change, and ``drift(on:)`` does not report it. If that record contains a name
  /// that no migration has, ``MigrationError/unknown(_:)`` is thrown; if it lacks a migration that precedes one of
  /// its migrations, ``MigrationError/missing(_:)`` is thrown.
  ///
  /// Several migrators can share a database, such as the migrators of a program and of a library that it uses.
  /// Each migrator needs its own `recordTable`, and all but one must ignore the `userVersion`.
  ///
  /// `preparing` adds functions and collations that migrations use. It is called for the databases on which
  /// ``dryRun(on:upTo:)-(_,Int?)`` and ``drift(on:)`` run the migrations.
  ///
  /// Throws ``ResultCode/misuse`` for numbers with gaps, for duplicate numbers or names, for a list in which only
  /// some migrations have numbers, and for SQL that is empty or begins or ends a transaction. If a record with
  /// names is adopted, it also throws for numbered migrations with the same name.
  public init(
    _ migrations: [Migration], adopting: AdoptedRecord? = nil, userVersion: UserVersion = .kept,
    recordTable: String = "sluice_migration",
    preparing: (@Sendable (_ copy: Connection) throws -> Void)? = nil
  ) throws {
    self.migrations = migrations
    self.adopting = adopting
    self.userVersion = userVersion
    self.recordTable = recordTable
    self.preparing = preparing
    guard !recordTable.isEmpty, !recordTable.utf8.contains(0) else {
      throw SQLiteError(.misuse, "\"\(recordTable)\" cannot be the name of a table")
    }
    try checkOrder()
    if adopting?.table != nil { try checkDistinctNames() }
    for (migration, step) in zip(migrations, steps) {
      try naming(step) { try migration.check() }
    }
  }
}

extension Migrator {
  /// The number, name and checksum of each migration, in order.
  public var steps: [MigrationStep] {
    migrations.enumerated().map { index, migration in
      MigrationStep(number: index + 1, name: migration.name, checksum: migration.checksum)
    }
  }

  /// Whether migrations are identified by numbers instead of names.
  var isNumbered: Bool { migrations.first?.number != nil }

  /// Runs `body`, and adds the number and name of the migration to the message of any error.
  func naming<T>(_ step: MigrationStep, _ body: () throws -> T) throws -> T {
    do { return try body() } catch let error as SQLiteError {
      throw SQLiteError(
        error.code, "Migration \(step): \(error.message)", sql: error.sql, offset: error.offset)
    }
  }

  private func checkOrder() throws {
    guard migrations.count <= Int32.max else { throw SQLiteError(.misuse, "Too many migrations") }
    guard isNumbered else { return try checkNames() }
    for (index, migration) in migrations.enumerated() where migration.number != index + 1 {
      guard let number = migration.number else { throw Self.mixture(migration) }
      let isThere = migrations.prefix(index).contains { $0.number == number }
      throw SQLiteError(
        .misuse,
        isThere
          ? "Two migrations have the number \(number)"
          : "Migration \(number) is at the position of migration \(index + 1); numbers must be consecutive, starting at 1"
      )
    }
  }

  private func checkNames() throws {
    for migration in migrations {
      guard migration.number == nil else { throw Self.mixture(migration) }
      guard !migration.name.isEmpty else {
        throw SQLiteError(.misuse, "A migration must have a name")
      }
    }
    try checkDistinctNames()
  }

  private func checkDistinctNames() throws {
    var names: Set<[UInt8]> = []
    for migration in migrations where !migration.name.isEmpty {
      // Compare names by bytes, as SQLite does.
      guard names.insert(Array(migration.name.utf8)).inserted else {
        throw SQLiteError(.misuse, "Two migrations have the name \"\(migration.name)\"")
      }
    }
  }

  private static func mixture(_ migration: Migration) -> SQLiteError {
    SQLiteError(
      .misuse,
      "Migration \(migration.number.map(String.init) ?? "\"\(migration.name)\"") does not match the ones"
        + " before it: either all migrations have numbers, or none has")
  }
}
