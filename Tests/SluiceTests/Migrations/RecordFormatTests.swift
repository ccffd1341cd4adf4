import Sluice
import TestSupport
import Testing

/// The record of migrations that version 0.9.0 writes, which every later version reads.
@Suite(.tags(.migrations)) struct `records of version 0.9.0` {
  private let migrator = try? Migrator([
    Migration(1, "create", sql: "CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT NOT NULL)"),
    Migration(2, "born", sql: "ALTER TABLE person ADD COLUMN born TEXT"),
    Migration(3, "died", sql: "ALTER TABLE person ADD COLUMN died TEXT"),
  ])
  private let connection: Connection

  init() throws {
    connection = try Connection()
    // These are the statements of that version, so do not change them.
    try connection.execute(
      """
      CREATE TABLE sluice_migration(
        number INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT, applied_at INTEGER NOT NULL,
        sqlite_version TEXT NOT NULL);
      CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT NOT NULL, born TEXT);
      INSERT INTO person VALUES (1, 'Ada', '1815-12-10');
      INSERT INTO sluice_migration VALUES
        (1, 'create', '9d696d2e74f6dd83', 1796040000, '3.40.1'),
        (2, 'born', 'd17ed53b9dc944c1', 1796040000, '3.40.1');
      PRAGMA user_version = 2;
      """)
  }

  @Test func `a recorded migration is not applied again`() throws {
    let migrator = try #require(migrator)
    #expect(try migrator.migrate(connection).version == 3)
    #expect(try connection.query(.column(.string), "SELECT name FROM person") == ["Ada"])
    #expect(
      try connection.query(.column(.int), "SELECT number FROM sluice_migration") == [1, 2, 3])
  }

  @Test func `an edited migration is refused`() throws {
    let edited = try Migrator([
      Migration(1, "create", sql: "CREATE TABLE person(id INTEGER PRIMARY KEY)"),
      Migration(2, "born", sql: "ALTER TABLE person ADD COLUMN born TEXT"),
    ])
    #expect(throws: MigrationError.self) { try edited.migrate(connection) }
  }
}
