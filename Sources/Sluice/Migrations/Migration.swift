import SluiceCore

/// A step that changes the schema of a database to the next version.
///
/// ```swift
/// let migrator = try Migrator([
///   Migration(1, "create person", sql: "CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT)"),
///   Migration(2, "trim names") { connection in
///     try connection.execute("UPDATE person SET name = trim(name)")
///   },
/// ])
/// ```
///
/// A migration is identified by its number or, without numbers, by its name; see ``Migrator``. The migration runs
/// in a transaction, together with its record. Statements that SQLite does not run in a transaction throw, such as
/// `VACUUM` and changes of the journal mode.
///
/// With `inTransaction: false`, the migration runs outside a transaction. Its beginning is recorded before it, and its
/// end after it. If it throws, if the process ends between the two, or if several connections migrate the database at
/// the same time, the migration runs again. Therefore it must be repeatable; see ``MigrationReport/repeated``. A
/// transaction that it leaves open is rolled back, and the migration throws ``ResultCode/misuse``. Because of the
/// record, the database is not empty when the migration runs, so `PRAGMA encoding` has no effect.
///
/// A migration can replace older migrations; see
/// ``init(_:_:foreignKeys:inTransaction:sql:revert:)-(ClosedRange<Int>,_,_,_,_,_)``.
public struct Migration: Sendable {
  /// The numbers of the migrations that this migration replaces, or its own number; nil if its name identifies it.
  public let numbers: ClosedRange<Int>?
  /// The names of the migrations that this migration replaces, in order; empty for a migration with a number.
  ///
  /// The last of them is ``name``.
  public let merging: [String]
  /// The name of the migration.
  public let name: String
  /// The treatment of foreign keys while the migration runs.
  public let foreignKeys: ForeignKeys
  /// Whether the migration runs in a transaction, together with its record.
  public let isInTransaction: Bool
  /// A hash of the SQL or of the fingerprint; nil for Swift code without a fingerprint.
  ///
  /// The hash consists of 16 hexadecimal digits, and changes when the migration is edited. It covers the exact
  /// SQL, including comments and white space, except that `\n` and `\r\n` count as the same line ending. The hash
  /// (FNV-1a) detects accidental edits, not deliberate forgery.
  public let checksum: String?
  let work: Work
  /// The work that undoes the migration; nil if it cannot be reverted.
  let undo: Work?

  enum Work: Sendable {
    case script(MigrationScript)
    case code(@Sendable (Connection) throws -> Void)
  }

  /// The treatment of foreign keys while a migration runs, if the connection enforces them.
  public enum ForeignKeys: Hashable, Sendable {
    /// Foreign keys are not enforced, but all of them are checked before the migration is recorded.
    ///
    /// SQLite's documentation recommends this procedure. With enforced foreign keys, rebuilding a table would
    /// delete the rows that refer to its rows. The check includes the attached databases, unless they are read-only.
    case checked
    /// Foreign keys are enforced as usual, so that deletions cascade.
    ///
    /// There is no check at the end. Use this case for a migration that rebuilds no table, in a database so large
    /// that the check would take too long.
    case enforced
    /// Foreign keys are neither enforced while the migration runs nor checked at its end.
    ///
    /// Use this case for a migration that rebuilds tables in a database so large that the check would take too long.
    /// Rows that refer to missing rows remain undetected; find them with
    /// ``Connection/foreignKeyViolations(of:database:)``.
    case unchecked
  }

  /// The number of the migration, or the last of its numbers; nil if its name identifies it.
  public var number: Int? { numbers?.upperBound }

  /// Whether the migration replaces older migrations.
  public var isMerged: Bool {
    merging.count > 1 || numbers.map { $0.lowerBound < $0.upperBound } ?? false
  }
}

extension Migration {
  /// Throws if the migration is invalid for every database.
  func check() throws {
    guard !([name] + merging).contains(where: { $0.utf8.contains(0) }) else {
      throw SQLiteError(.misuse, "The name of a migration must not contain NUL")
    }
    for case (let name, .script(let script)?) in [("The SQL", work), ("The revert SQL", undo)] {
      try script.check(inTransaction: isInTransaction, name)
    }
  }
}

extension Migration.Work {
  func run(on connection: Connection) throws {
    switch self {
    case .script(let script): try script.run(on: connection)
    case .code(let body): try body(connection)
    }
  }
}
