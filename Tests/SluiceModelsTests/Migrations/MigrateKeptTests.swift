import SluiceModels
import TestSupport
import Testing

@Suite(.tags(.migrations)) struct `objects that a migration preserves` {
  struct Note: Codable, Model {
    static let table = ModelTable("note", key: \Note.name, .index(\.text, unique: true))
    var name: String
    var text: String
  }

  private let db: Connection

  init() throws {
    db = try Connection()
    try db.execute(
      """
      CREATE TABLE note(name TEXT PRIMARY KEY, text TEXT, old TEXT);
      CREATE TABLE log(text);
      INSERT INTO note VALUES ('a', 'one', 'x'), ('b', 'two', 'y'), ('c', 'three', 'z');
      DELETE FROM note WHERE name = 'a'
      """)
  }

  private func dropOld(_ migration: inout TableMigration<Note>) { migration.drop("old") }

  private func schema() throws -> [String] {
    try db.strings(
      """
      SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL
      UNION ALL SELECT sql FROM sqlite_temp_schema ORDER BY 1
      """)
  }

  @Test(arguments: [
    "AFTER INSERT ON note BEGIN INSERT INTO log VALUES (NEW.old); END",
    "AFTER UPDATE ON note WHEN NEW.old <> OLD.old BEGIN INSERT INTO log VALUES (1); END",
    "AFTER UPDATE OF old ON note BEGIN INSERT INTO log VALUES (1); END",
    "AFTER DELETE ON log BEGIN UPDATE note SET old = 1; END",
    "INSTEAD OF INSERT ON notes BEGIN INSERT INTO note(name, old) VALUES (NEW.name, 1); END",
  ])
  func `a migration that drops a column that a trigger uses throws`(_ trigger: String) throws {
    try db.execute("CREATE VIEW notes AS SELECT name FROM note")
    for temporary in ["", "TEMP "] {
      try db.execute("CREATE \(raw: temporary)TRIGGER bad \(raw: trigger)")
      let before = try schema()
      #expect(failure { try db.migrate(Note.self, to: 1, dropOld) }?.code == .schema)
      #expect(try schema() == before)
      let plan = try db.migrationPlan(of: Note.self, to: 1) { migration in
        dropOld(&migration)
        migration.run("DROP TRIGGER bad")
      }
      #expect(plan.statements.contains("DROP TRIGGER bad"))
      try db.execute("DROP TRIGGER bad")
    }
  }

  @Test func `a migration that drops a column that a temporary view uses throws`() throws {
    try db.execute("CREATE TEMP VIEW olds AS SELECT old FROM note")
    #expect(failure { try db.migrate(Note.self, to: 1, dropOld) }?.code == .schema)
    #expect(try db.strings("SELECT old FROM olds") == ["y", "z"])
  }

  @Test(arguments: ["", "TEMP "])
  func `a migration can drop one view and create another`(_ kind: String) throws {
    try db.execute("CREATE \(raw: kind)VIEW olds AS SELECT old FROM note")
    try db.migrate(Note.self, to: 1) { migration in
      dropOld(&migration)
      migration.run("DROP VIEW olds")
      migration.run("CREATE VIEW names AS SELECT name FROM note")
    }
    #expect(failure { try db.strings("SELECT * FROM olds") }?.code == .error)
    #expect(try db.strings("SELECT name FROM names") == ["b", "c"])
  }

  @Test func `a migration can drop a temporary view that hides a broken view`() throws {
    try db.execute(
      """
      CREATE VIEW olds AS SELECT missing FROM note;
      CREATE TEMP VIEW olds AS SELECT old FROM note
      """)
    try db.migrate(Note.self, to: 1) { migration in
      dropOld(&migration)
      migration.run("DROP VIEW temp.olds")
    }
    #expect(try db.lastVersion(of: Note.self) == 1)
  }

  @Test func `views and triggers that were already broken do not prevent a migration`() throws {
    try db.execute(
      """
      CREATE VIEW broken AS SELECT missing FROM log;
      CREATE TRIGGER broken_too AFTER INSERT ON log BEGIN UPDATE log SET missing = 1; END
      """)
    try db.migrate(Note.self, to: 1, dropOld)
    #expect(try db.strings("SELECT name FROM sqlite_schema WHERE name LIKE 'broken%'").count == 2)
  }

  @Test
  func `a migration preserves temporary triggers, including those of tables in other databases`()
    throws
  {
    try db.execute(
      """
      ATTACH ':memory:' AS other;
      CREATE TABLE other.note(name);
      CREATE TEMP TRIGGER here AFTER INSERT ON main.note
        BEGIN INSERT INTO log VALUES (NEW.text); END;
      CREATE TEMP TRIGGER there AFTER INSERT ON other.note
        BEGIN INSERT INTO log VALUES ('there'); END
      """)
    let before = try db.strings("SELECT sql FROM sqlite_temp_schema ORDER BY name")
    try db.migrate(Note.self, to: 1, dropOld)
    #expect(try db.strings("SELECT sql FROM sqlite_temp_schema ORDER BY name") == before)
    try db.insert(Note(name: "d", text: "four"))
    try db.execute("INSERT INTO other.note VALUES (1)")
    #expect(try db.strings("SELECT text FROM log") == ["four", "there"])
  }

  @Test func `a migration preserves the rowids of a table whose key is not the rowid`() throws {
    let numbers = "SELECT rowid || name FROM note ORDER BY name" as SQL
    try db.migrate(Note.self, to: 1, dropOld)
    #expect(try db.strings(numbers) == ["2b", "3c"])

    struct Numbered: Codable, Model {
      static let table = ModelTable("note", key: \Numbered.name)
      var name: String
      var text: String
      var rowid: String?
    }
    try db.migrate(Numbered.self, to: 2)
    #expect(try db.strings("SELECT oid || name FROM note ORDER BY name") == ["2b", "3c"])
    try db.migrate(Note.self, to: 3) { $0.drop("rowid") }
    #expect(try db.strings(numbers) == ["2b", "3c"])

    struct Unnumbered: Codable, Model {
      static let table = ModelTable("note", key: \Unnumbered.name, .withoutRowid)
      var name: String
      var text: String
    }
    try db.migrate(Unnumbered.self, to: 4)
    try db.migrate(Note.self, to: 5)
    #expect(try db.strings("SELECT rowid FROM note ORDER BY rowid") == ["1", "2"])
  }

  @Test func `a migration re-creates an index that differs from the model's declaration`() throws {
    try db.migrate(Note.self, to: 1, dropOld)
    let declared = try db.tableSQL(of: Note.self)[1]
    let others: [SQL] = [
      "CREATE INDEX NOTE_TEXT ON note(text)", "CREATE UNIQUE INDEX note_text ON note(name, text)",
      "CREATE UNIQUE INDEX note_text ON note(text) WHERE text > 'x'",
    ]
    for (version, other) in others.enumerated() {
      try db.execute("DROP INDEX note_text")
      try db.execute(other)
      let plan = try db.migrate(Note.self, to: version + 2)
      #expect(plan.statements.prefix(2) == [#"DROP INDEX "note_text""#, declared])
      #expect(
        try db.strings("SELECT sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL")
          == [declared])
    }
    #expect(try db.migrate(Note.self, to: 9).statements.allSatisfy { !$0.contains("INDEX") })
  }

  @Test
  func
    `a migration drops an index whose columns are all dropped, and throws if an index also has other columns`()
    throws
  {
    try db.execute("CREATE INDEX note_old ON note(old); CREATE INDEX both ON note(old, text)")
    let before = try schema()
    let error = failure { try db.migrate(Note.self, to: 1, dropOld) }
    #expect(error?.message.contains(#"The index "both" does not work"#) == true)
    #expect(error?.message.contains(#".run("DROP INDEX "both"")"#) == true)
    #expect(try schema() == before)
    let plan = try db.migrate(Note.self, to: 1) { migration in
      dropOld(&migration)
      migration.run("DROP INDEX both")
    }
    #expect(plan.statements.contains(#"DROP INDEX "note_old""#))
    #expect(try db.fetch(Note.order(by: \.name)).map(\.text) == ["two", "three"])
  }

  @Test func `migrating a new table only records the version`() throws {
    struct Mark: Codable, Model {
      static let table = ModelTable("mark", key: \Mark.name, .index(\.color))
      var name: String
      var color: String
    }
    func change(_ migration: inout TableMigration<Mark>) {
      migration.rename("colour", to: \.color)
      migration.combine("first", "last", into: \.name, separator: " ")
    }
    try db.createTable(of: Mark.self)
    try db.insert(Mark(name: "a", color: "red"))
    let plan = try db.migrate(Mark.self, to: 3, change)
    #expect(plan.statements.allSatisfy { $0.contains("sluice_model_history") })
    #expect(try db.lastVersion(of: Mark.self) == 3)
    try db.migrate(Mark.self, to: 4, change)
    #expect(try db.fetch(Mark.all).map(\.name) == ["a"])
    // Additional changes are applied, and changes that do not match throw.
    try db.migrate(Mark.self, to: 5) { $0.fill(\.color, sql: "upper(color)") }
    #expect(try db.fetch(Mark.all).map(\.color) == ["RED"])
    try db.execute("DROP INDEX mark_color")
    #expect(failure { try db.migrate(Mark.self, to: 6, change) }?.code == .error)
  }
}
