import SluiceCore
import TestSupport
import Testing

@Suite("T5: schemas of strangers") struct UntrustedSchemaTests {
  /// Texts in the place of the SQL of a table, view, index or trigger.
  static let texts: [String] = [
    "", " ", ";", "--", "SELECT 1", "CREATE TABLE", "CREATE TABLE x", "CREATE TABLE x()",
    "CREATE TABLE x(a); DROP TABLE t", "CREATE TABLE x AS SELECT load_extension('a')",
    "CREATE VIEW x AS SELECT * FROM x", "CREATE VIEW x AS SELECT * FROM nothing",
    "CREATE INDEX x ON t(a, a, a)", "CREATE INDEX x ON nothing(a)", "CREATE TRIGGER x BEFORE",
    "CREATE TRIGGER x AFTER INSERT ON t BEGIN ATTACH 'a' AS b; END",
    "CREATE VIRTUAL TABLE x USING", "CREATE VIRTUAL TABLE x USING nothing(a)",
    "CREATE VIRTUAL TABLE x USING fts5(a, tokenize = 'nothing')",
    "CREATE VIRTUAL TABLE x USING fts5(a, content = 'x')", "CREATE VIRTUAL TABLE x USING rtree(a)",
    "CREATE TABLE x(a DEFAULT (SELECT 1))", "CREATE TABLE x(a AS (a))",
    "CREATE TABLE x(a COLLATE nothing PRIMARY KEY) WITHOUT ROWID", "CREATE TABLE \"\u{FFFD}\"(a)",
    "CREATE TABLE x(a, a)",
    "CREATE TABLE x(" + (0..<3000).map { "c\($0)" }.joined(separator: ",") + ")",
    "CREATE VIEW x AS SELECT " + String(repeating: "(", count: 3000) + "1",
    "CREATE VIEW x AS SELECT 1" + String(repeating: " UNION SELECT 1", count: 600),
    "CREATE VIEW x AS SELECT 1" + String(repeating: " + 1", count: 3000),
  ]

  @Test(arguments: texts, ["table", "view", "index", "trigger", "nothing"])
  func `reading a database with arbitrary schema text returns values or throws an SQLiteError`(
    text: String, kind: String
  ) throws {
    for page in [0, 2, 4_000_000_000] as [Int64] {
      let folder = try TestFolder()
      let maker = try Connection(path: folder.file(), configuration: .sqliteDefaults)
      try maker.execute(
        sql: """
          CREATE TABLE t(a); INSERT INTO t VALUES (1); CREATE INDEX i ON t(a);
          PRAGMA writable_schema = ON
          """)
      try maker.execute(
        "INSERT INTO sqlite_schema VALUES (\(kind), 'x', \(kind == "table" ? "x" : "t"), \(page), \(text))"
      )
      try maker.close()
      try useAll(folder.file())
    }
  }

  @Test
  func
    `reading schema rows with invalid UTF-8 or wrong types returns values or throws an SQLiteError`()
    throws
  {
    let folder = try TestFolder()
    let maker = try Connection(path: folder.file(), configuration: .sqliteDefaults)
    try maker.execute(
      sql: """
        CREATE TABLE t(a); PRAGMA writable_schema = ON;
        INSERT INTO sqlite_schema
          SELECT CAST(x'7461626c65' AS TEXT), CAST(x'ff00c0' AS TEXT), CAST(x'ff00c0' AS TEXT), 2,
            CAST('CREATE TABLE "' || CAST(x'ffc0' AS TEXT) || '"("' || CAST(x'fe80' AS TEXT) || '")' AS TEXT);
        INSERT INTO sqlite_schema VALUES (NULL, NULL, NULL, NULL, NULL), (1, 2.5, x'00', 'a', 5)
        """)
    try maker.close()
    try useAll(folder.file())
  }

  @Test func `reading a view that expands exponentially throws, but a shallow view is readable`()
    throws
  {
    let folder = try TestFolder()
    let maker = try Connection(path: folder.file(), configuration: .sqliteDefaults)
    try maker.execute(sql: "CREATE TABLE t(a); CREATE VIEW v0 AS SELECT a FROM t")
    for level in 1...12 {
      try maker.execute(
        sql:
          "CREATE VIEW v\(level) AS SELECT a.a FROM v\(level - 1) a, v\(level - 1) b WHERE a.a = b.a"
      )
    }
    try maker.close()
    let db = try Connection(path: folder.file(), configuration: .untrusted)
    #expect(failure { try db.execute(sql: "SELECT * FROM v12") }?.code == .error)
    #expect(try db.column("SELECT * FROM v3").isEmpty)
  }

  /// Inspects the schema and reads every table, and rethrows any error other than an `SQLiteError`.
  private func useAll(_ path: String) throws {
    do {
      let db = try Connection(path: path, configuration: .untrusted)
      for table in try db.tables() {
        do {
          _ = try db.columns(of: table.name)
          _ = try db.indexes(of: table.name)
          _ = try db.foreignKeys(of: table.name)
          let name = table.name.replacing("\"", with: "\"\"")
          _ = try db.query(.values, sql: "SELECT * FROM \"\(name)\"")
        } catch is SQLiteError {}
      }
      _ = try db.schemaObjects()
      _ = try db.integrityProblems()
    } catch is SQLiteError {}
  }
}
