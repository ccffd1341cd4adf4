import SluiceCore
import TestSupport
import Testing

@Suite struct DefaultConfigurationTests {
  private func plain() throws -> Connection { try unsafe Connection(adopting: openedByC()) }

  @Test(arguments: [
    "foreign_keys", "busy_timeout", "trusted_schema", "journal_mode", "synchronous",
  ])
  func `a connection with sqliteDefaults has the same settings as a connection opened in C`(
    pragma: String
  ) throws {
    let db = try Connection(configuration: .sqliteDefaults)
    #expect(try db.value("PRAGMA \(pragma)") == plain().value("PRAGMA \(pragma)"))
  }

  @Test func `a connection with sqliteDefaults has SQLite's documented default settings`() throws {
    let db = try Connection(configuration: .sqliteDefaults)
    #expect(try db.value("PRAGMA foreign_keys") == 0)
    #expect(try db.value("PRAGMA busy_timeout") == 0)
    #expect(try db.value("PRAGMA trusted_schema") == 1)
    #expect(!db.configuration.optimizesOnClose)
  }

  @Test(arguments: [#"SELECT "x""#, #"CREATE TABLE t(a CHECK (a <> "x"))"#])
  func `sqliteDefaults treats double quotes as the linked SQLite does`(sql: String) throws {
    let expected = failure { try plain().execute(sql: sql) }?.code
    let db = try Connection(configuration: .sqliteDefaults)
    #expect(failure { try db.execute(sql: sql) }?.code == expected)
  }

  @Test(arguments: [true, false])
  func `closing updates the statistics only if optimizesOnClose is on`(isAsked: Bool) throws {
    let folder = try TestFolder()
    var configuration = Configuration()
    configuration.optimizesOnClose = isAsked
    let db = try Connection(path: folder.file(), configuration: configuration)
    try db.execute(
      sql: """
        CREATE TABLE t(a, b); CREATE INDEX i ON t(a);
        INSERT INTO t VALUES (1, 1), (2, 2), (3, 3);
        SELECT * FROM t WHERE a = 1 AND b = 1;
        """)
    try db.close()
    let sql = "SELECT count(*) FROM sqlite_master WHERE name = 'sqlite_stat1'"
    #expect(try Connection(path: folder.file()).value(sql) == (isAsked ? 1 : 0))
  }
}
