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
/// identified by their names. A merged migration takes the places of the migrations that it replaces. Append new
/// migrations to the end, and do not change a migration that was applied to any database. A migrator rejects a
/// database with a different history; see ``MigrationError``.
///
/// The database keeps a record in a table, with one row for each applied migration. A merged migration that was
/// applied has the last of its places:
///
/// ```sql
/// CREATE TABLE sluice_migration(
///   number INTEGER PRIMARY KEY,    -- the place in the list, from 1; negative until a migration outside a
///                                  -- transaction has finished
///   name TEXT NOT NULL,
///   checksum TEXT,                 -- that of Migration.checksum; NULL is not compared
///   applied_at INTEGER NOT NULL,   -- seconds since 1970
///   sqlite_version TEXT NOT NULL)
/// ```
public struct Migrator: Sendable {
  /// The migrations in order.
  public let migrations: [Migration]
  /// The number, name and checksum of each migration, in order.
  public private(set) var steps: [MigrationStep] = []
  /// The other library's record, used if the database has no Sluice record; nil for none.
  public let adopting: AdoptedRecord?
  /// The use of `user_version`.
  public let userVersion: UserVersion
  /// The name of the table in the main database that contains the record.
  public let recordTable: String
  /// Whether a database is erased before it is migrated if its history or its schema contradicts the migrations.
  ///
  /// This is for development, where migrations are edited after they were applied: **all data of such a database is lost.**
  ///
  /// ```swift
  /// var drafts = try Migrator(migrations)
  /// #if DEBUG
  ///   drafts.erasesOnSchemaChange = true
  /// #endif
  /// ```
  ///
  /// A database is erased if its record of migrations would throw a ``MigrationError``, or if ``drift(on:)`` finds that an
  /// object of the migrations is missing or different. Other objects do not count: the program, or another migrator with a
  /// record of its own, may have created them. A database without a record, or with a migration that did not finish, is not
  /// erased.
  ///
  /// The erasure drops all objects of the database, those of other migrators and programs included, in one transaction.
  /// Connections that migrate at the same time erase it once. Each `migrate` runs the migrations on an empty database
  /// to find out; if they cannot run there, such as without a function that `preparing` does not add, only the record
  /// counts.
  public var erasesOnSchemaChange = false
  /// A closure that prepares an in-memory database or a copy for the migrations.
  let preparing: (@Sendable (Connection) throws -> Void)?
  /// The places of each migration; more than one place if it replaces other migrations.
  private(set) var ranges: [ClosedRange<Int>] = []

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
  /// new migration or, if there is no such transaction, in a separate one. From then on, only this migrator's record is
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
    var last = 0
    ranges = migrations.map { migration in
      let first = last + 1
      last += migration.numbers?.count ?? max(1, migration.merging.count)
      return first...last
    }
    steps = zip(migrations, ranges).map { migration, range in
      MigrationStep(
        number: range.upperBound, name: migration.name, checksum: migration.checksum)
    }
    if adopting?.table != nil { try checkDistinctNames() }
    for (migration, step) in zip(migrations, steps) {
      try naming("Migration \(step)") { try migration.check() }
    }
  }
}

extension Migrator {
  /// The number of the last migration; 0 if there is none.
  var lastNumber: Int { ranges.last?.upperBound ?? 0 }

  /// Whether migrations are identified by numbers instead of names.
  var isNumbered: Bool { migrations.first?.number != nil }

  /// Runs `body`, and adds `subject`, which names the migration, to the message of any error.
  func naming<T>(_ subject: String, _ body: () throws -> T) throws -> T {
    do { return try body() } catch let error as SQLiteError {
      throw SQLiteError(
        error.code, "\(subject): \(error.message)", sql: error.sql, offset: error.offset)
    }
  }

  private func checkOrder() throws {
    guard migrations.count <= Int32.max else { throw SQLiteError(.misuse, "Too many migrations") }
    guard isNumbered else { return try checkNames() }
    var next = 1
    for (index, migration) in migrations.enumerated() {
      guard let numbers = migration.numbers else { throw Self.mixture(migration) }
      let number = numbers.lowerBound
      guard number == next else {
        let isThere = migrations.prefix(index).contains { $0.numbers?.contains(number) == true }
        throw SQLiteError(
          .misuse,
          isThere
            ? "Two migrations have the number \(number)"
            : "Migration \(number) is at the position of migration \(next); numbers must be consecutive, starting at 1"
        )
      }
      guard numbers.upperBound <= Int32.max else {
        throw SQLiteError(.misuse, "Too many migrations")
      }
      next = numbers.upperBound + 1
    }
  }

  private func checkNames() throws {
    for migration in migrations {
      guard migration.number == nil else { throw Self.mixture(migration) }
      guard !migration.name.isEmpty, !migration.merging.contains("") else {
        throw SQLiteError(.misuse, "A migration must have a name")
      }
      // Otherwise, the name could be that of a former migration that the list omits, which would be skipped.
      if let last = migration.merging.last, !last.utf8.elementsEqual(migration.name.utf8) {
        throw SQLiteError(
          .misuse,
          "A merged migration has the name of the last migration that it replaces: add"
            + " \"\(migration.name)\" to the end of merging if it replaces a migration with this name, or call it"
            + " \"\(last)\"")
      }
    }
    try checkDistinctNames()
  }

  private func checkDistinctNames() throws {
    var names: Set<[UInt8]> = []
    for name in migrations.flatMap({ $0.merging.isEmpty ? [$0.name] : $0.merging })
    where !name.isEmpty {
      // Compare names by bytes, as SQLite does.
      guard names.insert(Array(name.utf8)).inserted else {
        throw SQLiteError(.misuse, "Two migrations have the name \"\(name)\"")
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
