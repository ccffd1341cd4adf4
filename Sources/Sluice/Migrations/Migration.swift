public import SluiceCore

/// One step that brings a database from one schema to the next.
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
/// It has a number, or else a name by which it is known; see ``Migrator``. It runs in a transaction,
/// so what SQLite does in none, such as `VACUUM` and a change of the journal mode, throws.
public struct Migration: Sendable {
  /// The number that it was given; nil for one that is known by its name.
  public let number: Int?
  /// The name of the migration.
  public let name: String
  /// How foreign keys are treated while it runs.
  public let foreignKeys: ForeignKeys
  /// A hash of the SQL or fingerprint, as 16 hexadecimal digits, which changes when the migration is edited; nil for Swift code
  /// without a fingerprint.
  ///
  /// It is made of the SQL to the letter, comments and white space included, except that it does not
  /// matter whether lines end with `\n` or `\r\n`. It is a hash (FNV-1a) that finds accidents, and not
  /// those who know how to deceive it.
  public let checksum: String?
  let work: Work

  enum Work: Sendable {
    case script(MigrationScript)
    case code(@Sendable (Connection) throws -> Void)
  }

  /// How foreign keys are treated while a migration runs, if the connection enforces them.
  public enum ForeignKeys: Hashable, Sendable {
    /// They are not enforced meanwhile, and all of the database is checked before the commit.
    ///
    /// This is what SQLite's documentation asks for, as a table that is made anew would otherwise
    /// take the rows with it that refer to its rows.
    case checked
    /// They are enforced as ever, so that deletions cascade. Nothing is checked at the end: this suits a
    /// migration that makes no table anew, of a database so large that the check takes too long.
    case enforced
  }

  /// A numbered migration in SQL, which may hold any number of statements.
  public init(
    _ number: Int, _ name: String = "", foreignKeys: ForeignKeys = .checked, sql: String
  ) {
    self.init(number, name, foreignKeys, MigrationScript(sql))
  }

  /// A migration in SQL that is known by its name.
  public init(_ name: String, foreignKeys: ForeignKeys = .checked, sql: String) {
    self.init(nil, name, foreignKeys, MigrationScript(sql))
  }

  /// A numbered migration in Swift.
  ///
  /// `body` works inside of a transaction, which it cannot end. With a `fingerprint`, any text, it is
  /// refused after it was applied if the text has changed since.
  public init(
    _ number: Int, _ name: String = "", foreignKeys: ForeignKeys = .checked,
    fingerprint: String? = nil,
    run body: @escaping @Sendable (_ connection: Connection) throws -> Void
  ) {
    self.init(number, name, foreignKeys, fingerprint.map(MigrationChecksum.of), .code(body))
  }

  /// A migration in Swift that is known by its name; see ``init(_:_:foreignKeys:fingerprint:run:)``.
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
  /// Refuses what cannot be a migration, whatever the database is.
  func check() throws {
    guard !name.utf8.contains(0) else {
      throw SQLiteError(.misuse, "The name of a migration contains a NUL")
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
