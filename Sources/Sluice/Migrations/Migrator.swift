public import SluiceCore

/// Brings databases to the newest schema, step by step, each step once.
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
/// All migrations have numbers, from 1 on without gaps; or none has, and their names tell them apart.
/// New ones go to the end, and what was applied somewhere stays as it is: a migrator refuses a database
/// with another past, see ``MigrationError``.
///
/// The database keeps a record in a table, one row for each migration that it has behind it:
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
  /// The record of another library that counts in a database without a record of its own; nil for none.
  public let adopting: AdoptedRecord?
  /// The use of `user_version`.
  public let userVersion: UserVersion
  /// The table, in the main database, that keeps the record.
  public let recordTable: String
  /// Prepares a database in memory, or a copy, for the migrations.
  let preparing: (@Sendable (Connection) throws -> Void)?

  /// The use of a database's `user_version`, in which programs without a migrator count the versions of their
  /// schemas.
  public enum UserVersion: Hashable, Sendable {
    /// It is set to the number of migrations that are done. A database that has one already but no
    /// record of migrations is refused: ``MigrationError/unrecorded(userVersion:)``.
    case kept
    /// It belongs to something else.
    case ignored
  }

  /// Takes the migrations in order.
  ///
  /// With `adopting`, a database that another library has migrated goes on where that library stopped.
  /// The migrations that its record names are written to the record of this migrator, together with the
  /// first new migration or, if there is none, alone. From then on only this migrator's record counts.
  /// The record of the other library stays as it is, and ``drift(on:)`` does not report it. A name in it that no migration has
  /// is refused with ``MigrationError/unknown(_:)``, and a gap with ``MigrationError/missing(_:)``.
  ///
  /// Several migrators, such as those of a program and of a library that it uses, can share a database
  /// if each has a `recordTable` of its own, and all but one ignore the `userVersion`.
  ///
  /// `preparing` adds the functions and collations that migrations use to the databases that
  /// ``dryRun(on:upTo:)-(_,Int?)`` and ``drift(on:)`` work with.
  ///
  /// It throws ``ResultCode/misuse`` for numbers with gaps, numbers and names that are there twice, a
  /// list in which some have numbers and some have not, SQL that is empty or that begins or ends
  /// a transaction, and, if a record with names is adopted, for numbered migrations of the same name.
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
  /// The names of the migrations, in order.
  public var steps: [MigrationStep] {
    migrations.enumerated().map { index, migration in
      MigrationStep(number: index + 1, name: migration.name, checksum: migration.checksum)
    }
  }

  /// Whether the numbers, and not the names, tell the migrations apart.
  var isNumbered: Bool { migrations.first?.number != nil }

  /// Does something for a migration, whose number and name go before the message of an error.
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
      guard !migration.name.isEmpty else { throw SQLiteError(.misuse, "A migration has no name") }
    }
    try checkDistinctNames()
  }

  private func checkDistinctNames() throws {
    var names: Set<[UInt8]> = []
    for migration in migrations where !migration.name.isEmpty {
      // By bytes, as SQLite would tell them apart.
      guard names.insert(Array(migration.name.utf8)).inserted else {
        throw SQLiteError(.misuse, "Two migrations have the name \"\(migration.name)\"")
      }
    }
  }

  private static func mixture(_ migration: Migration) -> SQLiteError {
    SQLiteError(
      .misuse,
      "Migration \(migration.number.map(String.init) ?? "\"\(migration.name)\"") is not like those"
        + " before it: all have a number, or none")
  }
}
