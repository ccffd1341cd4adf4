import SluiceCore
import TestSupport
import Testing

@Suite struct ConfigurationTests {
  private func open(_ change: (inout Configuration) -> Void) throws -> Connection {
    var configuration = Configuration()
    change(&configuration)
    return try Connection(configuration: configuration)
  }

  @Test func `the properties of a new configuration have the documented safe defaults`() throws {
    let configuration = Configuration()
    #expect(configuration.foreignKeys == true)
    #expect(configuration.busyTimeout == .seconds(5))
    #expect(configuration.trustedSchema == true)
    #expect(configuration.doubleQuotedStrings == false)
    #expect(configuration.journalMode == nil)
    #expect(configuration.threadingMode == .multiThread)
    #expect(configuration.optimizesOnClose)
    #expect(try Connection(configuration: configuration).configuration == configuration)
  }

  @Test func `a new connection applies the safe defaults to SQLite`() throws {
    let db = try Connection()
    #expect(try db.value("PRAGMA foreign_keys") == 1)
    #expect(try db.value("PRAGMA busy_timeout") == 5000)
    #expect(try db.value("PRAGMA trusted_schema") == 1)
    #expect(failure { try db.execute(sql: #"SELECT "nothing""#) }?.code == .error)
    #expect(failure { try db.execute(sql: #"CREATE TABLE t(a CHECK (a <> "x"))"#) }?.code == .error)
  }

  @Test func `extended result codes are on by default and with sqliteDefaults`() throws {
    for configuration in [Configuration(), .sqliteDefaults] {
      let db = try Connection(configuration: configuration)
      try db.execute(sql: "CREATE TABLE t(a NOT NULL)")
      #expect(
        failure { try db.execute(sql: "INSERT INTO t VALUES (NULL)") }?.code == .constraintNotNull)
    }
  }

  @Test(arguments: [true, false])
  func `foreignKeys turns the enforcement of foreign keys on or off`(isOn: Bool) throws {
    let db = try open { $0.foreignKeys = isOn }
    try db.execute(sql: "CREATE TABLE p(id PRIMARY KEY); CREATE TABLE c(p REFERENCES p)")
    let error = failure { try db.execute(sql: "INSERT INTO c VALUES (1)") }
    #expect(error?.code == (isOn ? .constraintForeignKey : nil))
  }

  @Test(arguments: [true, false])
  func `trustedSchema decides whether a view can call the program's functions`(isOn: Bool) throws {
    let db = try open { $0.trustedSchema = isOn }
    try db.addFunction("one", arity: 0, options: .usableInSchema) { _ in 1 }
    try db.execute(sql: "CREATE VIEW v AS SELECT one()")
    let error = failure { try db.execute(sql: "SELECT * FROM v") }
    #expect(error?.code == (isOn ? nil : .authorization))
    #expect(error == nil || error?.message.contains("unsafe use of one()") == true)
  }

  @Test(arguments: [true, false])
  func
    `doubleQuotedStrings decides whether an unknown name in double quotes is a string or an error`(
      isOn: Bool
    )
    throws
  {
    let db = try open { $0.doubleQuotedStrings = isOn }
    #expect(failure { try db.execute(sql: #"SELECT "x""#) }?.code == (isOn ? nil : .error))
    #expect(
      failure { try db.execute(sql: #"CREATE TABLE t(a CHECK (a <> "x"))"#) }?.code
        == (isOn ? nil : .error))
  }

  @Test(
    arguments: [
      (.zero, 0), (.milliseconds(1), 1), (.milliseconds(1999), 1999),
      (.seconds(2_147_482), 2_147_482_000), (.seconds(2_147_484), 2_147_483_647),
      (.seconds(Int64.max), 2_147_483_647), (.milliseconds(-1), 0), (.seconds(-5), 0),
      (.seconds(Int64.min), 0),
    ] as [(Duration, Int64)])
  func `the busy timeout is clamped to the range that SQLite supports`(
    timeout: Duration, expected: Int64
  ) throws {
    #expect(
      try open { $0.busyTimeout = timeout }.value("PRAGMA busy_timeout") == .integer(expected))
  }

  @Test(arguments: [Configuration.ThreadingMode.serialized, .multiThread])
  func `a connection opens in either threading mode`(mode: Configuration.ThreadingMode) throws {
    let db = try open { $0.threadingMode = mode }
    #expect(try db.value("SELECT 1") == 1)
    #expect(db.configuration.threadingMode == mode)
  }

  @Test func `opening an in-memory database in WAL mode throws misuse`() {
    let error = failure { try open { $0.journalMode = .wal } }
    #expect(error?.code == .misuse)
    #expect(error?.message.contains("wal") == true)
  }

  @Test(arguments: Configuration.JournalMode.allCases)
  func `a file opens with the configured journal mode`(mode: Configuration.JournalMode) throws {
    let folder = try TestFolder()
    var configuration = Configuration()
    configuration.journalMode = mode
    let db = try Connection(path: folder.file(), configuration: configuration)
    #expect(try db.value("PRAGMA journal_mode") == .text(mode.rawValue))
  }

  @Test func `opening without a journal mode preserves the journal mode of the file`() throws {
    let folder = try TestFolder()
    var configuration = Configuration()
    configuration.journalMode = .wal
    _ = try Connection(path: folder.file(), configuration: configuration)
    #expect(try Connection(path: folder.file()).value("PRAGMA journal_mode") == "wal")
  }

  @Test(arguments: [
    "SELECT fts3_tokenizer('simple')", "SELECT fts3_tokenizer('simple', x'4141414141414141')",
  ]) func `SQL cannot call fts3_tokenizer by default`(sql: String) throws {
    let error = failure { try Connection().execute(sql: sql) }
    #expect(error?.code == .authorization)
  }

  @Test func `SQL cannot call fts3_tokenizer with bound parameters by default`() throws {
    let db = try Connection()
    let sql = "SELECT fts3_tokenizer(?, ?)"
    let error = failure {
      try db.execute(sql: sql, parameters: "simple", .bytes([0, 0, 0, 0, 0, 0, 0, 0]))
    }
    #expect(error?.code == .authorization)
    #expect(Configuration.sqliteDefaults.fts3Tokenizer == nil)
  }
}
