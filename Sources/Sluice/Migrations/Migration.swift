public import SluiceCore

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
/// in a transaction. Statements that SQLite does not run in a transaction throw, such as `VACUUM` and changes of
/// the journal mode.
public struct Migration: Sendable {
  /// The number of the migration; nil if its name identifies it.
  public let number: Int?
  /// The name of the migration.
  public let name: String
  /// The treatment of foreign keys while the migration runs.
  public let foreignKeys: ForeignKeys
  /// A hash of the SQL or of the fingerprint; nil for Swift code without a fingerprint.
  ///
  /// The hash consists of 16 hexadecimal digits, and changes when the migration is edited. It covers the exact
  /// SQL, including comments and white space, except that `\n` and `\r\n` count as the same line ending. The hash
  /// (FNV-1a) detects accidental edits, not deliberate forgery.
  public let checksum: String?
  let work: Work

  enum Work: Sendable {
    case script(MigrationScript)
    case code(@Sendable (Connection) throws -> Void)
  }

  /// The treatment of foreign keys while a migration runs, if the connection enforces them.
  public enum ForeignKeys: Hashable, Sendable {
    /// Foreign keys are not enforced, but the whole database is checked before the commit.
    ///
    /// SQLite's documentation recommends this procedure. With enforced foreign keys, rebuilding a table would
    /// delete the rows that refer to its rows.
    case checked
    /// Foreign keys are enforced as usual, so that deletions cascade.
    ///
    /// There is no check at the end. Use this case for a migration that rebuilds no table, in a database so large
    /// that the check would take too long.
    case enforced
  }

  /// Creates a numbered migration in SQL, which may contain any number of statements.
  public init(
    _ number: Int, _ name: String = "", foreignKeys: ForeignKeys = .checked, sql: String
  ) {
    self.init(number, name, foreignKeys, MigrationScript(sql))
  }

  /// Creates a migration in SQL that is identified by its name.
  public init(_ name: String, foreignKeys: ForeignKeys = .checked, sql: String) {
    self.init(nil, name, foreignKeys, MigrationScript(sql))
  }

  /// Creates a numbered migration in Swift.
  ///
  /// `body` runs inside a transaction, which it cannot end. A `fingerprint` can be any text. If the fingerprint
  /// changes after the migration was applied, ``MigrationError/changed(applied:listed:)`` is thrown.
  public init(
    _ number: Int, _ name: String = "", foreignKeys: ForeignKeys = .checked,
    fingerprint: String? = nil,
    run body: @escaping @Sendable (_ connection: Connection) throws -> Void
  ) {
    self.init(number, name, foreignKeys, fingerprint.map(MigrationChecksum.of), .code(body))
  }

  /// Creates a migration in Swift that is identified by its name.
  ///
  /// See ``init(_:_:foreignKeys:fingerprint:run:)``.
  public init(
    _ name: String, foreignKeys: ForeignKeys = .checked, fingerprint: String? = nil,
    run body: @escaping @Sendable (_ connection: Connection) throws -> Void
  ) {
    self.init(nil, name, foreignKeys, fingerprint.map(MigrationChecksum.of), .code(body))
  }

  init(_ number: Int?, _ name: String, _ foreignKeys: ForeignKeys, _ script: MigrationScript) {
    self.init(number, name, foreignKeys, MigrationChecksum.of(script.sql), .script(script))
  }

  private init(
    _ number: Int?, _ name: String, _ foreignKeys: ForeignKeys, _ checksum: String?, _ work: Work
  ) {
    self.number = number
    self.name = name
    self.foreignKeys = foreignKeys
    self.checksum = checksum
    self.work = work
  }
}

extension Migration {
  /// Throws if the migration is invalid for every database.
  func check() throws {
    guard !name.utf8.contains(0) else {
      throw SQLiteError(.misuse, "The name of a migration must not contain NUL")
    }
    if case .script(let script) = work { try script.check() }
  }

  func run(on connection: Connection) throws {
    switch work {
    case .script(let script): try script.run(on: connection)
    case .code(let body): try body(connection)
    }
  }
}
