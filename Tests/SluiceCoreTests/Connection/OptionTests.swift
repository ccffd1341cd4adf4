import CSluice
import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.connections)) struct `connection options` {
  /// The options that every supported SQLite version has.
  static let known = ConnectionOption.allCases.filter {
    $0.rawValue <= SQLITE_DBCONFIG_TRUSTED_SCHEMA
  }
  /// The options that only newer SQLite versions have.
  static let newer = ConnectionOption.allCases.filter {
    $0.rawValue > SQLITE_DBCONFIG_TRUSTED_SCHEMA
  }

  @Test(arguments: [Configuration(), .sqliteDefaults], known)
  func `setting an option changes its value and no other option`(
    configuration: Configuration, changed: ConnectionOption
  ) throws {
    var configuration = configuration
    // The default configuration forbids turning on this option.
    if changed == .fts3Tokenizer { configuration.fts3Tokenizer = nil }
    let db = try Connection(configuration: configuration)
    let before = try Self.known.map(db.option)
    let wasOn = try db.option(changed)
    for isOn in [!wasOn, !wasOn, wasOn, !wasOn] {
      try db.setOption(changed, isOn)
      #expect(try db.option(changed) == isOn)
    }
    for (other, isOn) in zip(Self.known, before) where other != changed {
      #expect(try db.option(other) == isOn)
    }
  }

  @Test(arguments: newer) func `an option that the linked SQLite lacks throws notFound`(
    newer: ConnectionOption
  ) throws {
    let db = try Connection()
    guard let error = failure({ try db.option(newer) }) else {
      #expect(SQLiteVersion.hasNewerOptions)
      let wasOn = try db.option(newer)
      try db.setOption(newer, !wasOn)
      #expect(try db.option(newer) != wasOn)
      return
    }
    #expect(error.code == .notFound)
    #expect(error.message == "SQLite \(SQLiteLibrary.version) has no option \(newer)")
    #expect(failure { try db.setOption(newer, true) } == error)
  }

  @Test func `each option has the raw value of its C constant`() {
    let numbers: [ConnectionOption: Int32] = [
      .foreignKeys: SQLITE_DBCONFIG_ENABLE_FKEY, .triggers: SQLITE_DBCONFIG_ENABLE_TRIGGER,
      .fts3Tokenizer: SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER,
      .loadableExtensions: SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION,
      .noCheckpointOnClose: SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE,
      .stableQueryPlans: SQLITE_DBCONFIG_ENABLE_QPSG,
      .triggerQueryPlans: SQLITE_DBCONFIG_TRIGGER_EQP,
      .resetsDatabase: SQLITE_DBCONFIG_RESET_DATABASE, .defensive: SQLITE_DBCONFIG_DEFENSIVE,
      .writableSchema: SQLITE_DBCONFIG_WRITABLE_SCHEMA,
      .legacyAlterTable: SQLITE_DBCONFIG_LEGACY_ALTER_TABLE,
      .doubleQuotedStringsInStatements: SQLITE_DBCONFIG_DQS_DML,
      .doubleQuotedStringsInSchema: SQLITE_DBCONFIG_DQS_DDL,
      .views: SQLITE_DBCONFIG_ENABLE_VIEW,
      .legacyFileFormat: SQLITE_DBCONFIG_LEGACY_FILE_FORMAT,
      .trustedSchema: SQLITE_DBCONFIG_TRUSTED_SCHEMA,
      // Older SQLite headers lack constants for these options.
      .scanStatus: 1018, .reverseScanOrder: 1019, .attachCreates: 1020, .attachWrites: 1021,
      .comments: 1022,
    ]
    #expect(numbers.count == ConnectionOption.allCases.count)
    for (one, number) in numbers { #expect(one.rawValue == number) }
  }

  @Test(arguments: [1000, 1001, 1023, 0, -1, .min, .max] as [Int32])
  func `ConnectionOption(rawValue) is nil for a number that is not a Boolean option`(number: Int32)
  {
    #expect(ConnectionOption(rawValue: number) == nil)
  }

  @Test func `an option takes effect immediately, even for a prepared statement`() throws {
    let db = try Connection()
    try db.execute(sql: "CREATE TABLE t(a); CREATE VIEW v AS SELECT 1")
    try db.execute(sql: "CREATE TRIGGER r AFTER INSERT ON t BEGIN DELETE FROM t; END")
    let statement = try db.prepare(sql: "INSERT INTO t VALUES (1)")
    try statement.execute()
    #expect(try db.value("SELECT count(*) FROM t") == 0)
    try db.setOption(.triggers, false)
    try statement.execute()
    #expect(try db.value("SELECT count(*) FROM t") == 1)
    try db.setOption(.views, false)
    #expect(failure { try db.execute(sql: "SELECT * FROM v") }?.code == .error)
  }

  @Test func `each setting of the configuration sets the corresponding connection option`() throws {
    for isOn in [true, false] {
      var configuration = Configuration.sqliteDefaults
      configuration.foreignKeys = isOn
      configuration.trustedSchema = isOn
      configuration.doubleQuotedStrings = isOn
      configuration.fts3Tokenizer = isOn
      let db = try Connection(configuration: configuration)
      for one: ConnectionOption in [
        .foreignKeys, .trustedSchema, .doubleQuotedStringsInSchema,
        .doubleQuotedStringsInStatements, .fts3Tokenizer,
      ] {
        #expect(try db.option(one) == isOn)
      }
    }
  }

  @Test func `the fts3Tokenizer option cannot be turned on if the configuration forbids it`() throws
  {
    let db = try Connection()
    #expect(failure { try db.setOption(.fts3Tokenizer, true) }?.code == .permission)
    #expect(try !db.option(.fts3Tokenizer))
    #expect(
      failure { try db.execute(sql: "SELECT fts3_tokenizer('simple')") }?.code == .authorization)
  }

  @Test func `reading or setting an option of a closed connection throws misuse`() throws {
    let db = try Connection()
    try db.close()
    #expect(failure { try db.option(.triggers) }?.code == .misuse)
    #expect(failure { try db.setOption(.triggers, true) }?.code == .misuse)
  }

  @Test func `a collation callback can read an option but cannot set it`() throws {
    let db = try Connection()
    var refusals: [ResultCode?] = []
    var values: [Bool?] = []
    try db.addCollation("c") { [unowned db] first, second in
      refusals.append(failure { try db.setOption(.triggers, false) }?.code)
      values.append(try? db.option(.triggers))
      return SQLOrder(first, second)
    }
    try db.execute(sql: "SELECT 'a' < 'b' COLLATE c")
    try db.removeCollation("c")
    #expect(refusals == [.misuse])
    #expect(values == [true])
  }

  @Test func `an SQL function can set an option for later statements`() throws {
    let db = try Connection()
    try db.addFunction("off", arity: 0) { [unowned db] _ in
      try db.setOption(.foreignKeys, false)
      return .null
    }
    try db.execute(sql: "CREATE TABLE p(id PRIMARY KEY); CREATE TABLE c(p REFERENCES p)")
    try db.execute(sql: "SELECT off() FROM (VALUES (1), (2))")
    try db.execute(sql: "INSERT INTO c VALUES (1)")
    #expect(try !db.option(.foreignKeys))
  }
}
