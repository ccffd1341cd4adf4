import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.settings)) struct `schema introspection` {
  static let sql = """
    CREATE TABLE team(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE COLLATE NOCASE);
    CREATE TABLE person(
      first TEXT, last TEXT DEFAULT ('x' || 1), team INT NOT NULL DEFAULT 7, age,
      upper TEXT AS (upper(first)), stored TEXT AS (lower(first)) STORED,
      PRIMARY KEY (last, first),
      FOREIGN KEY (team) REFERENCES team ON DELETE CASCADE ON UPDATE SET NULL,
      FOREIGN KEY (first, last) REFERENCES other(a, b) MATCH FULL ON DELETE SET DEFAULT
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX by_age ON person(age DESC, first COLLATE NOCASE, age + 1) WHERE age > 0;
    CREATE VIEW names AS SELECT first || last AS name, age FROM person;
    CREATE TRIGGER greet AFTER INSERT ON person BEGIN SELECT 1; END;
    CREATE VIRTUAL TABLE notes USING fts5(text)
    """

  static func connection() throws -> Connection {
    let connection = try Connection()
    // Each column of a STRICT table must have one of the types that SQLite allows there.
    let sql = sql.replacing("age,\n", with: "age INT,\n")
    try connection.execute(sql: sql)
    return connection
  }

  @Test(arguments: [
    ("sqlite_schema", "main"), ("SQLite_Master", "main"), ("sqlite_temp_schema", "temp"),
  ])
  func `sqlite_schema and its aliases report their columns`(name: String, database: String) throws {
    let columns = try Connection().columns(of: name, database: database)
    #expect(columns.map(\.name) == ["type", "name", "tbl_name", "rootpage", "sql"])
  }

  @Test(.enabled(if: SQLiteLibrary.has(.fts5)))
  func `tables and views are listed with their kinds and properties`() throws {
    let tables = try Self.connection().tables()
    #expect(tables.map(\.name) == tables.map(\.name).sorted())
    let kinds = Dictionary(uniqueKeysWithValues: tables.map { ($0.name, $0) })
    let (person, team) = (try #require(kinds["person"]), try #require(kinds["team"]))
    #expect(person.kind == .table && person.columnCount == 6)
    #expect(person.isWithoutRowid && person.isStrict)
    #expect(team.kind == .table && team.columnCount == 2)
    #expect(!team.isWithoutRowid && !team.isStrict)
    #expect(kinds["names"]?.kind == .view)
    #expect(kinds["notes"]?.kind == .virtual)
    #expect(kinds["notes_data"]?.kind == .shadow)
    #expect(kinds["sqlite_sequence"] == nil && kinds["sqlite_schema"] == nil)
  }

  @Test(.enabled(if: SQLiteLibrary.has(.fts5)))
  func `broken views and virtual tables do not affect the column counts of other tables`()
    throws
  {
    let connection = try Self.connection()
    try connection.execute(
      sql: """
        CREATE VIRTUAL TABLE gone USING fts5(a);
        CREATE VIEW other AS SELECT age FROM person;
        PRAGMA writable_schema = on;
        UPDATE sqlite_schema SET sql = replace(sql, 'fts5', 'missing') WHERE name = 'gone';
        PRAGMA writable_schema = reset
        """)
    for number in 0..<20 {
      try connection.execute(
        sql: """
          CREATE VIEW broken\(number) AS SELECT * FROM missing;
          CREATE VIEW whole\(number) AS SELECT first, last, team FROM person;
          """)
    }
    let counts = Dictionary(
      uniqueKeysWithValues: try connection.tables().map { ($0.name, $0.columnCount) })
    for number in 0..<20 {
      #expect(counts["broken\(number)"] == 0)
      #expect(counts["whole\(number)"] == 3)
    }
    #expect(counts["names"] == 2 && counts["other"] == 1)
    // The count includes the hidden columns for the table itself and for the rank.
    #expect(counts["notes"] == 3 && counts["gone"] == 0)
    #expect(try connection.table(named: "whole7")?.columnCount == 3)
    #expect(try connection.table(named: "broken7")?.columnCount == 0)
  }

  @Test(.enabled(if: SQLiteLibrary.has(.fts5)))
  func `a table is found by its name in any letter case`() throws {
    let connection = try Self.connection()
    #expect(try connection.table(named: "PERSON")?.name == "person")
    #expect(try connection.table(named: "sqlite_sequence")?.kind == .table)
    #expect(try connection.table(named: "other") == nil)
    #expect(try connection.table(named: "") == nil)
  }

  @Test(.enabled(if: SQLiteLibrary.has(.fts5)))
  func `columns are listed with their declared properties`() throws {
    let connection = try Self.connection()
    let person = try connection.columns(of: "person")
    #expect(person.map(\.name) == ["first", "last", "team", "age", "upper", "stored"])
    #expect(person.map(\.declaredType) == ["TEXT", "TEXT", "INT", "INT", "TEXT", "TEXT"])
    #expect(person.map(\.isNotNull) == [true, true, true, false, false, false])
    #expect(person.map(\.defaultSQL) == [nil, "'x' || 1", "7", nil, nil, nil])
    #expect(person.map(\.primaryKeyPosition) == [2, 1, nil, nil, nil, nil])
    #expect(
      person.map(\.kind)
        == [.ordinary, .ordinary, .ordinary, .ordinary, .virtualGenerated, .storedGenerated])
    #expect(person.allSatisfy { $0.collation == "BINARY" && !$0.isAutoincrement })
    let team = try connection.columns(of: "Team")
    #expect(team.map(\.isAutoincrement) == [true, false])
    #expect(team.map(\.collation) == ["BINARY", "NOCASE"])
    #expect(try connection.columns(of: "names").map(\.name) == ["name", "age"])
    #expect(try connection.columns(of: "names").map(\.collation) == [nil, nil])
    #expect(try connection.columns(of: "names").map(\.declaredType) == [nil, "INT"])
    #expect(try connection.columns(of: "notes").map(\.kind) == [.ordinary, .hidden, .hidden])
  }

  @Test(.enabled(if: SQLiteLibrary.has(.fts5)))
  func `indexes are listed with their columns and expressions`() throws {
    let connection = try Self.connection()
    let indexes = try connection.indexes(of: "person")
    #expect(indexes.map(\.origin) == [.primaryKey, .statement])
    let byAge = try #require(indexes.last)
    #expect(byAge.name == "by_age" && byAge.isUnique && byAge.isPartial)
    #expect(byAge.terms.map(\.column) == ["age", "first", nil])
    #expect(byAge.terms.map(\.isDescending) == [true, false, false])
    #expect(byAge.terms.map(\.collation) == ["BINARY", "NOCASE", "BINARY"])
    #expect(indexes.first?.terms.map(\.column) == ["last", "first"])
    let team = try connection.indexes(of: "team")
    #expect(team.map(\.origin) == [.unique])
    #expect(team.first?.isUnique == true && team.first?.isPartial == false)
  }

  @Test(.enabled(if: SQLiteLibrary.has(.fts5)))
  func `foreign keys are listed with their update and delete actions`() throws {
    let connection = try Self.connection()
    let keys = try connection.foreignKeys(of: "person")
    #expect(keys.map(\.number) == [0, 1])
    #expect(keys.map(\.referencedTable) == ["other", "team"])
    #expect(keys.map(\.columns) == [["first", "last"], ["team"]])
    #expect(keys.map(\.referencedColumns) == [["a", "b"], []])
    #expect(keys.map(\.onUpdate) == [.noAction, .setNull])
    #expect(keys.map(\.onDelete) == [.setDefault, .cascade])
    #expect(try connection.foreignKeys(of: "team") == [])
  }

  @Test(.enabled(if: SQLiteLibrary.has(.fts5)))
  func `schema objects are listed in creation order with their SQL`() throws {
    let connection = try Self.connection()
    let triggers = try connection.schemaObjects(.trigger)
    #expect(triggers.map(\.name) == ["greet"])
    #expect(triggers.map(\.table) == ["person"])
    #expect(triggers[0].sql.hasPrefix("CREATE TRIGGER greet AFTER INSERT"))
    #expect(try connection.schemaObjects(.view).map(\.name) == ["names"])
    #expect(try connection.schemaObjects(.index).map(\.name) == ["by_age"])
    let all = try connection.schemaObjects().map(\.name)
    #expect(all.prefix(5) == ["team", "person", "by_age", "names", "greet"])
    #expect(!all.contains { $0.hasPrefix("sqlite_") })
  }
}

@Suite(.tags(.settings)) struct `schema introspection with unusual names` {
  @Test(
    arguments: [
      "a\"b", "a'b", "a; DROP TABLE t; --", "sqlite", "ä", "e\u{301}", "", " ", "12", "-1", "%",
      "_",
      "select", "a\nb", "]", "`",
    ])
  func `schema introspection supports any string as the name of a table, column, index or database`(
    name: String
  ) throws {
    let connection = try Connection()
    try connection.attach(path: ":memory:", as: name + "2")
    for database in ["main", "temp", name + "2"] {
      try connection.execute(
        """
        CREATE TABLE \(identifier: database).\(identifier: name)(
          \(identifier: name) TEXT PRIMARY KEY REFERENCES \(identifier: name))
        """)
      try connection.execute(
        """
        CREATE INDEX \(identifier: database).\(identifier: name + "i")
        ON \(identifier: name)(\(identifier: name))
        """)
      #expect(try connection.tables(database: database).map(\.name) == [name])
      #expect(try connection.table(named: name, database: database)?.name == name)
      #expect(try connection.columns(of: name, database: database).map(\.name) == [name])
      #expect(
        try connection.indexes(of: name, database: database).map(\.terms.first?.column)
          == [name, name])
      #expect(try connection.indexes(of: name, database: database).last?.name == name + "i")
      #expect(try connection.foreignKeys(of: name, database: database).map(\.columns) == [[name]])
      #expect(
        try connection.schemaObjects(database: database).map(\.name) == [name, name + "i"])
      #expect(try connection.foreignKeyViolations(of: name, database: database) == [])
    }
  }

  @Test func `inspecting a missing or broken object throws`() throws {
    let connection = try Connection()
    try connection.execute(sql: "CREATE TABLE t(a); CREATE VIEW bad AS SELECT * FROM missing")
    #expect(failure { try connection.columns(of: "x") }?.message == "no such table: main.x")
    #expect(failure { try connection.indexes(of: "x") }?.code == .error)
    #expect(failure { try connection.foreignKeys(of: "x") }?.code == .error)
    #expect(failure { try connection.columns(of: "bad") }?.code == .error)
    #expect(try connection.tables().map(\.name) == ["bad", "t"])
    #expect(failure { try connection.columns(of: "t\0x") }?.code == .misuse)
    #expect(failure { try connection.tables(database: "x") }?.code == .range)
    #expect(failure { try connection.schemaObjects(database: "main\0") }?.code == .misuse)
    #expect(failure { try connection.columns(of: "t", database: "temp") }?.code == .error)
  }

  @Test func `a read-only connection reads a schema that another connection changes`()
    throws
  {
    let folder = try TestFolder()
    let writer = try Connection(path: folder.file())
    try writer.execute(sql: "CREATE TABLE t(a)")
    let reader = try Connection(path: folder.file(), readOnly: true)
    #expect(try reader.columns(of: "t").map(\.name) == ["a"])
    try writer.execute(sql: "ALTER TABLE t ADD COLUMN b COLLATE NOCASE; CREATE TABLE u(a)")
    #expect(try reader.columns(of: "t").map(\.collation) == ["BINARY", "NOCASE"])
    #expect(try reader.tables().map(\.name) == ["t", "u"])
  }
}
