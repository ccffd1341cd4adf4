import SluiceModels
import TestSupport
import Testing

@Suite(.tags(.migrations)) struct `migrating model tables` {
  struct User: Codable, Model, Equatable {
    static let table = ModelTable(
      "user", key: \User.id, .column(\.level, .default(1)), .index(\.fullName))
    var id: Int64?
    var fullName: String
    var gender: String?
    var level: Int
  }

  private let db: Connection

  init() throws {
    db = try Connection()
    try db.execute(
      """
      CREATE TABLE user(
        id INTEGER PRIMARY KEY AUTOINCREMENT, firstName TEXT, lastName TEXT, sex TEXT);
      CREATE TABLE message(
        id INTEGER PRIMARY KEY, user INTEGER REFERENCES user(id) ON DELETE CASCADE);
      CREATE TABLE log(text);
      CREATE TRIGGER logged AFTER UPDATE ON user BEGIN INSERT INTO log VALUES (NEW.sex); END;
      CREATE INDEX some ON user(sex) WHERE sex IS NOT NULL;
      CREATE INDEX short ON user(substr(sex, 1, 1));
      CREATE VIEW sexes AS SELECT id, sex FROM user;
      INSERT INTO user VALUES
        (1, 'Michael', 'Jackson', 'm'), (2, NULL, 'Cher', 'f'), (9, 'x', 'y', NULL);
      INSERT INTO message VALUES (1, 1), (2, 2);
      DELETE FROM user WHERE id = 9
      """)
  }

  private func change(_ migration: inout TableMigration<User>) {
    migration.rename("sex", to: \.gender)
    migration.combine("lastName", "firstName", into: \.fullName, separator: ", ")
  }

  /// Returns the schema and the rows of the whole database.
  private func contents() throws -> [String] {
    let tables = try db.strings("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    return try db.strings("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name")
      + tables.flatMap { table in
        try db.query(.values, "SELECT * FROM \(identifier: table)").map(\.description)
      }
  }

  @Test func `a migration renames, combines and adds columns and preserves everything else`() throws
  {
    try db.migrate(User.self, to: 1, change)
    #expect(
      try db.fetch(User.all) == [
        User(id: 1, fullName: "Jackson, Michael", gender: "m", level: 1),
        User(id: 2, fullName: "Cher", gender: "f", level: 1),
      ])
    #expect(
      try db.tableSQL(of: User.self)[0]
        == db.strings("SELECT sql FROM sqlite_schema WHERE name = 'user'")[0])
    #expect(try db.strings("SELECT gender FROM sexes") == ["m", "f"])
    #expect(
      try db.strings(
        "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY name")
        == ["short", "some", "user_fullName"])
    try db.update(User.self, key: 1, .set(\.gender, to: "d"))
    #expect(try db.strings("SELECT text FROM log") == ["d"])
    #expect(try db.strings("SELECT id FROM message") == ["1", "2"])
    try db.delete(User.self, key: 2)
    #expect(try db.strings("SELECT id FROM message") == ["1"])
    #expect(try db.option(.foreignKeys))
    #expect(try !db.option(.legacyAlterTable))
    #expect(try db.strings("PRAGMA integrity_check") == ["ok"])
  }

  @Test func `a migration after which a row cannot be read throws`() throws {
    struct Numbered: Codable, Model, Equatable {
      static let table = ModelTable("numbered", key: \Numbered.id)
      var id: Int64?
      var number: Int
    }
    try db.execute(
      sql: """
        CREATE TABLE numbered(id INTEGER PRIMARY KEY, number TEXT NOT NULL);
        INSERT INTO numbered VALUES (1, '12'), (2, 'none')
        """)
    let before = try contents()
    #expect(failure { try db.migrate(Numbered.self, to: 1) }?.code == .mismatch)
    let error = failure {
      try db.migrate(Numbered.self, to: 1) { $0.fill(\.number, sql: "number || '!'") }
    }
    #expect(error?.message.contains("could not be read as Numbered") == true)
    #expect(try contents() == before)
    try db.migrate(Numbered.self, to: 1) { $0.fill(\.number, sql: "CAST(number AS INTEGER)") }
    #expect(try db.fetch(Numbered.all).map(\.number) == [12, 0])
    let migrated = try contents()
    let unreadable = failure {
      try db.migrate(Numbered.self, to: 2) { $0.fill(\.number, sql: "'none'") }
    }
    #expect(unreadable?.code == .mismatch)
    #expect(try contents() == migrated)
  }

  @Test func `each table's version is recorded, and the table is migrated once for each version`()
    throws
  {
    #expect(try db.lastVersion(of: User.self) == nil)
    try db.migrate(User.self, to: 3, change)
    #expect(try db.lastVersion(of: User.self) == 3)
    #expect(try db.lastVersion(of: Person.self) == nil)
    let plan = try db.migrate(User.self, to: 3) { _ in Issue.record("It has been done") }
    #expect(plan.statements.isEmpty)
    #expect(failure { try db.migrate(User.self, to: 2) }?.code == .misuse)
    try db.migrate(User.self, to: 4) { migration in #expect(migration.lastVersion == 3) }
    #expect(try db.lastVersion(of: User.self) == 4)
    try db.migrate(Person.self, to: 1)
    #expect(try db.insert(Person("Ada")).id == 1)
  }

  @Test func `a migration adopts a version from another record only once`() throws {
    try db.migrate(User.self, to: 3, adopting: 2) { migration in
      #expect(migration.lastVersion == 2)
      change(&migration)
    }
    #expect(try db.lastVersion(of: User.self) == 3)
    let history = "SELECT version FROM sluice_model_history ORDER BY version" as SQL
    #expect(try db.strings(history) == ["2", "3"])
    // Later migrations use the record in the database instead.
    let plan = try db.migrate(User.self, to: 3, adopting: 9)
    #expect(plan.statements.isEmpty)
    #expect(try db.strings(history) == ["2", "3"])
  }

  @Test func `a migration changes nothing if the adopted version equals the target version`() throws
  {
    let columns = "SELECT name FROM pragma_table_info('user')" as SQL
    let before = try db.strings(columns)
    try db.migrate(User.self, to: 2, adopting: 2) { _ in Issue.record("It was migrated") }
    #expect(try db.lastVersion(of: User.self) == 2)
    #expect(try db.strings(columns) == before)
  }

  @Test func `an adopted version is recorded only if the migration succeeds`() throws {
    #expect(failure { try db.migrate(User.self, to: 3, adopting: 2) } != nil)
    #expect(try db.lastVersion(of: User.self) == nil)
    #expect(failure { try db.migrate(User.self, to: 3, adopting: 4) }?.code == .misuse)
    #expect(try db.lastVersion(of: User.self) == nil)
    for version in [-1, Int.min] {
      #expect(
        failure { try db.migrate(User.self, to: 3, adopting: version, change) }?.message
          == "The adopted version must not be negative (got \(version))")
    }
    _ = try db.migrationPlan(of: User.self, to: 3, adopting: 2) { migration in
      #expect(migration.lastVersion == 2)
      change(&migration)
    }
    #expect(try db.lastVersion(of: User.self) == nil)
  }

  @Test(arguments: [nil, 0, 5]) func `a migration of a missing table ignores the adopted version`(
    _ version: Int?
  ) throws {
    try db.migrate(Person.self, to: 1, adopting: version)
    #expect(try db.lastVersion(of: Person.self) == 1)
  }

  @Test func `a migration plan lists the statements and leaves the database unchanged`() throws {
    let before = try contents()
    let plan = try db.migrationPlan(of: User.self, to: 1, change)
    #expect(try contents() == before)
    #expect(try db.lastVersion(of: User.self) == nil)
    #expect(try db.migrate(User.self, to: 1, change) == plan)
    #expect(plan.description.hasPrefix(#"ALTER TABLE "user" RENAME COLUMN "sex" TO "gender";"#))
    #expect(plan.statements.contains(#"DROP TABLE "user""#))
  }

  @Test func `a migration that fails is rolled back completely`() throws {
    let before = try contents()
    struct Reason: Error {}
    let failures: [(ResultCode?, (inout TableMigration<User>) throws -> Void)] = [
      (.misuse, { $0.rename("sex", to: \.gender) }),
      (
        .constraintNotNull,
        { migration in
          migration.rename("sex", to: \.gender)
          migration.drop("firstName")
          migration.drop("lastName")
        }
      ),
      (
        .error,
        { migration in
          self.change(&migration)
          migration.run("UPDATE nothing SET x = 1")
        }
      ),
      (
        .constraintForeignKey,
        { migration in
          self.change(&migration)
          migration.run("DELETE FROM \(identifier: migration.newTable) WHERE id = 1")
        }
      ),
      (.error, { $0.rename("nothing", to: \.gender) }),
      (nil, { _ in throw Reason() }),
    ]
    for (code, change) in failures {
      do {
        try db.migrate(User.self, to: 1, change)
        Issue.record("It throws nothing")
      } catch {
        #expect((error as? SQLiteError)?.code == code)
      }
      #expect(try contents() == before)
      #expect(try db.option(.foreignKeys))
      #expect(try !db.option(.legacyAlterTable))
    }
    try db.transaction { db, _ in
      #expect(failure { try db.migrate(User.self, to: 1, change) }?.code == .misuse)
    }
  }

  @Test func `a migration that drops a column that other objects need throws`() throws {
    struct Bare: Codable, Model {
      static let table = ModelTable("user", key: \Bare.id)
      var id: Int64?
    }
    func change(_ migration: inout TableMigration<Bare>) {
      for column in ["sex", "firstName", "lastName"] { migration.drop(column) }
    }
    let before = try contents()
    #expect(failure { try db.migrate(Bare.self, to: 1, change) }?.code == .error)
    #expect(try contents() == before)
    try db.execute("DROP INDEX some; DROP INDEX short")
    #expect(failure { try db.migrate(Bare.self, to: 1, change) }?.code == .schema)
    try db.execute("DROP VIEW sexes; DROP TRIGGER logged")
    try db.migrate(Bare.self, to: 1, change)
    #expect(try db.fetch(Bare.all).map(\.id) == [1, 2])
  }

  @Test func `tables with generated columns, STRICT and WITHOUT ROWID can be migrated`() throws {
    try db.execute(
      """
      CREATE TABLE "a ""b"" c"(
        "order" INTEGER, "group" TEXT, text TEXT, price INTEGER, PRIMARY KEY("order", "group"));
      INSERT INTO "a ""b"" c" VALUES (1, 'x', 'one', 3), (2, 'y', NULL, NULL)
      """)
    try db.createTable(of: Person.self)
    func change(_ migration: inout TableMigration<Entry>) {
      migration.rename("price", to: \.amount)
      migration.fill(\.text, sql: "coalesce(text, 'row ' || \"order\")")
    }
    try db.migrate(Entry.self, to: 1, change)
    let entries = try db.fetch(Entry.order(by: \.order))
    #expect(entries.map(\.text) == ["one", "row 2"])
    #expect(entries.map(\.twice) == [6, 5], "a NULL that must not be becomes the default")
    #expect(
      failure { try db.execute("UPDATE \"a \"\"b\"\" c\" SET amount = 'x'") }?.code
        == .constraintDataType)
    // This migration converts a STRICT table into another STRICT table.
    try db.migrate(Entry.self, to: 2) { $0.fill(\.amount, sql: "amount + 1") }
    #expect(try db.fetch(Entry.order(by: \.order)).map(\.twice) == [8, 7])
    #expect(try db.strings("PRAGMA integrity_check") == ["ok"])
  }

  @Test func `a migration preserves the last autoincremented key, which is not reused`() throws {
    struct Counted: Codable, Model {
      static let table = ModelTable("user", key: \Counted.id, .column(\.id, .autoincrement))
      var id: Int64?
      var sex: String?
    }
    try db.migrate(Counted.self, to: 1) { migration in
      migration.drop("firstName")
      migration.drop("lastName")
    }
    #expect(try db.insert(Counted()).id == 10)
  }

  @Test func `the last autoincremented key is found in spite of another case of the table's name`()
    throws
  {
    struct Counted: Codable, Model {
      static let table = ModelTable("USER", key: \Counted.id, .column(\.id, .autoincrement))
      var id: Int64?
      var sex: String?
    }
    try db.migrate(Counted.self, to: 1) { migration in
      migration.drop("firstName")
      migration.drop("lastName")
    }
    #expect(try db.insert(Counted()).id == 10)
  }

  @Test func `a custom migration step can use both tables and the key`() throws {
    try db.execute("CREATE TABLE name_log(user, name)")
    let plan = try db.migrate(User.self, to: 1) { migration in
      change(&migration)
      try migration.keepNames(in: "name_log")
      migration.checkCount()
    }
    #expect(try db.strings("SELECT user || name FROM name_log") == ["1Jackson", "2Cher"])
    #expect(plan.description.contains("sluice_new_user"))
    #expect(try db.fetch(User.all).count == 2)
  }

  @Test func `a migration can drop only existing columns that the model does not declare`() throws {
    let before = try contents()
    for name in ["nope", "level", "fullName", "FULLNAME"] {
      let error = failure {
        try db.migrate(User.self, to: 1) { migration in
          change(&migration)
          migration.drop(name)
        }
      }
      #expect(error?.code == .misuse)
      #expect(error?.message.contains("\"\(name)\"") == true)
    }
    let error = failure {
      try db.migrate(User.self, to: 1) { migration in
        change(&migration)
        migration.drop("ID")
      }
    }
    #expect(error?.message == #"The column "ID" cannot be dropped, because User declares it"#)
    #expect(try contents() == before)
  }

  @Test(arguments: [-1, 0, Int.min]) func `migrating to a version below 1 throws`(_ version: Int)
    throws
  {
    #expect(failure { try db.migrate(User.self, to: version, change) }?.code == .misuse)
    #expect(failure { try db.migrationPlan(of: User.self, to: version, change) }?.code == .misuse)
    #expect(try db.lastVersion(of: User.self) == nil)
  }

  @Test func `a trailing comment in the SQL of a migration's fill has no effect`() throws {
    try db.migrate(User.self, to: 1) { migration in
      migration.rename("sex", to: \.gender)
      migration.fill(\.fullName, sql: "lastName || '' -- all of it")
      migration.fill(\.level, sql: "2 /* for now")
      for name in ["firstName", "lastName"] { migration.drop(name) }
    }
    #expect(try db.fetch(User.all).map(\.fullName) == ["Jackson", "Cher"])
    #expect(try db.fetch(User.all).map(\.level) == [2, 2])
  }
}

extension TableMigration {
  /// Copies the key and the last name of each row into another table.
  fileprivate mutating func keepNames(in table: String) throws {
    let key = try #require(keyNames.first)
    run(
      """
      INSERT INTO \(identifier: table) SELECT \(identifier: key), lastName FROM \(identifier: oldTable)
      """)
  }

  /// Fails unless the new table has all rows of the old one.
  fileprivate mutating func checkCount() {
    run("CREATE TEMP TABLE counts(same CHECK (same))")
    run(
      """
      INSERT INTO counts SELECT (SELECT count(*) FROM \(identifier: oldTable)) \
      = (SELECT count(*) FROM \(identifier: newTable))
      """)
    run("DROP TABLE temp.counts")
  }
}
