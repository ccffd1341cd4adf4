import Foundation
import Sluice
import SluiceSQL
import TestSupport
import Testing

@Suite(.tags(.checkedSQL)) struct `diagnostics of mistakes` {
  @Test(.enabled(if: SQLiteLibrary.has(.fts5)))
  func `each mistake in a query file is reported with its position`() throws {
    let folder = tests.appending(path: "CheckedPackage/Mistakes")
    let expected = try String(contentsOf: folder.appending(path: "expected.txt"), encoding: .utf8)
    var check = ProjectCheck(Project(folder: folder), only: nil)
    let found = try check.run().diagnostics.map {
      // Newer versions of SQLite add a hint.
      $0.description.replacing("\(folder.path)/", with: "")
        .replacing(#/"(\w+)" - should this be a string literal in single-quotes\?/#) { $0.1 } + "\n"
    }
    #expect(found.count > 40)
    for (line, other) in zip(found, expected.split(separator: "\n")) {
      #expect(line == "\(other)\n")
    }
    #expect(found.joined() == expected)
  }

  @Test(arguments: [("a, b", "a, b, 3 AS c", 2, 3), ("a, b, 3 AS c", "a, b", 3, 2)])
  func `queries that share a row type must have the same number of columns`(
    first: String, second: String, count: Int, other: Int
  ) throws {
    let connection = try Connection()
    try connection.execute(sql: "CREATE TABLE t(a INT, b INT)")
    let text = "-- @query one\n-- @row Pair\nSELECT \(first) FROM t;\n"
    let twin = "-- @query two\n-- @row Pair\nSELECT \(second) FROM t;\n"
    #expect(
      try check(text + twin, in: connection).diagnostics == [
        "q.sql:5:9: error: Pair has \(count) columns in one, and \(other) here"
      ])
    #expect(try check(text, in: connection).diagnostics.isEmpty)
  }

  @Test(arguments: [
    (
      "1_a.sql", "CREATE TABLE t(a);\nCREATE TABLE t(b);",
      "1_a.sql:2:14: error: table t already exists"
    ),
    ("1_a.sql", "CREATE TABLE t(a,);", "1_a.sql:1:18: error: near \")\": syntax error"),
    (
      "1_a.sql", "CREATE TABLE t(a);\n\nINSERT INTO u VALUES (1);",
      "1_a.sql:3:1: error: no such table: u"
    ),
    (
      "1_a.sql", "SELECT 1;\nCOMMIT;",
      "1_a.sql:2:1: error: the migration begins or ends a transaction in line 2: each migration runs in one"
    ),
    ("1_a.sql", "-- nothing", "1_a.sql:1:1: error: the migration contains no statement"),
    (
      "a.sql", "SELECT 1",
      "a.sql:1:1: error: The file name a.sql must begin with the number of a migration"
    ),
    (
      "2_a.sql", "SELECT 1",
      "2_a.sql:1:1: error: Migration 2 is at the position of migration 1; numbers must be consecutive, starting at 1"
    ),
    (
      "1_a.sql", "CREATE TABLE t(a);\n ATTACH 'x.db' AS x;",
      "1_a.sql:2:2: error: a migration cannot attach or detach a database: attach it in the program, and put its migrations"
        + " into Attached/name"
    ),
    (
      "1_a.sql", "VACUUM INTO 'x.db';",
      "1_a.sql:1:1: error: cannot VACUUM from within a transaction"
    ),
    (
      "1_a.sql", "PRAGMA foreign_keys = off;",
      "1_a.sql:1:8: error: PRAGMA foreign_keys has no effect in a migration, which runs in a transaction: foreign"
        + " keys are not enforced there, but checked at the end"
    ),
    (
      "1_a.sql", "PRAGMA main.Journal_Mode(wal);",
      "1_a.sql:1:13: error: PRAGMA journal_mode has no effect in a migration, which runs in a transaction: set"
        + " it in the program"
    ),
    (
      "1_a.sql", "EXPLAIN QUERY PLAN PRAGMA 'case_sensitive_like' = 1;",
      "1_a.sql:1:27: error: PRAGMA case_sensitive_like is a setting of the connection, not of the database: set"
        + " it in the program"
    ),
    (
      "1_a.sql",
      "CREATE TABLE t(a);\nCREATE TEMP TABLE kept(a);\nCREATE TABLE temp.gone(a);\nDROP TABLE gone;",
      "1_a.sql:2:19: error: kept is temporary: it is lost when the connection closes, but a migration runs only once;"
        + " create it in the program, or drop it at the end of the migration"
    ),
    (
      "1_a.sql", "CREATE TEMP TABLE a(b);\nALTER TABLE a RENAME TO c;",
      "1_a.sql:1:1: error: c is temporary: it is lost when the connection closes, but a migration runs only once; create"
        + " it in the program, or drop it at the end of the migration"
    ),
    (
      "1_a.sql", "CREATE TABLE t(a);\n -- /* no\n/* oops\n CREATE TABLE u(a);",
      "1_a.sql:3:1: error: the comment is not closed"
    ),
    (
      "1_a.sql", "CREATE TABLE t(a);\nPRAGMA writable_schema = 1;",
      "1_a.sql:2:8: error: PRAGMA writable_schema can make the database unusable: create a new table and copy the rows"
        + " instead"
    ),
    (
      "more/2_b.sql", "SELECT 1",
      "more/2_b.sql:1:1: error: folders inside Migrations are ignored: move the file out of the folder"
    ),
  ])
  func `an invalid migration is reported with its position`(
    _ name: String, _ sql: String, _ expected: String
  ) throws {
    try expect(name, sql, expected)
  }

  @Test(.enabled(if: SQLiteLibrary.has(.fts5)))
  func `an unknown tokenizer in a migration is reported with its position`() throws {
    try expect(
      "1_a.sql", "CREATE VIRTUAL TABLE t USING fts5(a, tokenize = 'unknown')",
      "1_a.sql:1:1: error: no such tokenizer: unknown")
  }

  /// Checks the message for the only migration.
  private func expect(_ name: String, _ sql: String, _ expected: String) throws {
    let scratch = try TestFolder()
    defer { withExtendedLifetime(scratch) {} }
    let folder = scratch.url
    let migrations = folder.appending(path: "Migrations")
    let file = migrations.appending(path: name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(sql.utf8).write(to: file)
    var check = ProjectCheck(Project(folder: folder), only: nil)
    let found = try check.run().diagnostics.map {
      $0.description.replacing("\(migrations.path)/", with: "")
    }
    #expect(found == [expected])
  }

  @Test(arguments: [
    (
      "Attached/archive/1_a.sql", "CREATE TABLE t(a);\nCREATE TABLE t(b);",
      "Attached/archive/1_a.sql:2:14: error: table t already exists"
    ),
    (
      "Attached/archive/2_a.sql", "SELECT 1",
      "Attached/archive/2_a.sql:1:1: error: Migration 2 is at the position of migration 1; numbers must be consecutive, starting at 1"
    ),
    (
      "Attached/main/1_a.sql", "CREATE TABLE t(a)",
      "Attached/main:1:1: error: main cannot be the schema name of an attached database in generated code"
    ),
    (
      "Attached/an archive/1_a.sql", "CREATE TABLE t(a)",
      "Attached/an archive:1:1: error: an archive cannot be the schema name of an attached database in generated code"
    ),
    (
      "Attached/migration/1_a.sql", "CREATE TABLE t(a)",
      "Attached/migration:1:1: error: migration cannot be the schema name of an attached database in generated code"
    ),
    (
      "Attached/void/1_a.sql", "CREATE TABLE t(a)",
      "Attached/void:1:1: error: void cannot be the schema name of an attached database in generated code"
    ),
    (
      "Attached/1_a.sql", "CREATE TABLE t(a)",
      "Attached/1_a.sql:1:1: error: the file must be in a folder with the schema name of the attached database"
    ),
    (
      "Queries/more/q.sql", "SELECT 1",
      "Queries/more/q.sql:1:1: error: folders inside Queries are ignored: move the file out of the folder"
    ),
    (
      "Queries/q.sql", "-- @query a\nSELECT 1 AS x /* oops\n;\n-- @query b\nSELECT 2 AS y;",
      "Queries/q.sql:2:15: error: the comment is not closed"
    ),
    (
      "Queries/q.sql", "-- @query q: nothing\nCREATE TABLE archive.t(a)",
      "Queries/q.sql:2:14: error: unknown database archive; the migrations of a database that the"
        + " program attaches as archive belong in Attached/archive"
    ),
  ])
  func `a mistake in an Attached or Queries folder is reported with its position`(
    _ name: String, _ sql: String, _ expected: String
  ) throws {
    let scratch = try TestFolder()
    defer { withExtendedLifetime(scratch) {} }
    let folder = scratch.url
    let file = folder.appending(path: name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(sql.utf8).write(to: file)
    var check = ProjectCheck(Project(folder: folder), only: nil)
    let found = try check.run().diagnostics.map {
      $0.description.replacing("\(folder.path)/", with: "")
    }
    #expect(found == [expected])
  }

  @Test(arguments: [
    (
      "@type book.titel: String",
      "1:10: error: there is no column book.titel; did you mean book.title?"
    ),
    (
      "@type book.title: String?",
      "1:22: error: the schema decides whether a value is optional: remove the ?"
    ),
    (
      "@type book.title: Date",
      "1:22: error: Date needs a representation, such as \"Date as sqlite\" or \"Date as timeIntervalSince1970\""
    ),
    (
      "@type BLOB: UUID",
      "1:16: error: UUID needs a representation: \"UUID as uuidString\" or \"UUID as uuidBytes\""
    ),
    ("@type book.title: Str ing]", "1:22: error: \"Str ing]\" is not a type in Swift"),
    (
      "@type DATETIME",
      "1:4: error: @type must have the form \"-- @type table.column: Type\" or \"-- @type WORD: Type\""
    ),
    (
      "@function f",
      "1:4: error: @function must have the form \"-- @function name(Type): Type\" or \"-- @function name(1)\""
    ),
    ("@collation", "1:4: error: @collation needs a name"),
    ("@tokenizer", "1:4: error: @tokenizer needs a name"),
    ("@import", "1:4: error: @import needs a name"),
    ("@access all", "1:12: error: @access must be \"public\" or \"internal\""),
    ("@diagram png", "1:13: error: @diagram must be followed by \"svg\", \"mermaid\" or \"dot\""),
    ("@warn all", "1:10: error: @warn must be followed by \"scans\""),
    ("@query all", "1:4: error: @query belongs above a query"),
  ])
  func `an invalid declaration is reported with its position`(_ line: String, _ expected: String)
    throws
  {
    let connection = try Connection()
    try connection.execute(sql: "CREATE TABLE book(id INTEGER PRIMARY KEY, title TEXT)")
    let (_, diagnostics) = try check("", in: connection, "-- \(line)")
    #expect(diagnostics == ["Declarations.sql:\(expected)"])
  }

  @Test func `SQL statements in Declarations.sql are reported as errors`() throws {
    let (_, diagnostics) = try check("", in: Connection(), "-- @warn scans\nSELECT 1;")
    #expect(
      diagnostics == [
        "Declarations.sql:2:1: error: this file can contain only comments with declarations"
      ]
    )
  }

  @Test func `invalid UTF-8 and NULs in SQL files are reported with their positions`() throws {
    let scratch = try TestFolder()
    defer { withExtendedLifetime(scratch) {} }
    let folder = scratch.url
    let queries = folder.appending(path: "Queries")
    try FileManager.default.createDirectory(at: queries, withIntermediateDirectories: true)
    try Data([0xef, 0xbb, 0xbf, 0x0a, 0xc3, 0xa4, 0xff, 0x0a]).write(
      to: queries.appending(path: "a.sql"))
    try Data("-- @query a\nSELECT '\0';".utf8).write(to: queries.appending(path: "b.sql"))
    var check = ProjectCheck(Project(folder: folder), only: nil)
    let found = try check.run().diagnostics.map {
      $0.description.replacing("\(queries.path)/", with: "")
    }
    #expect(
      Set(found) == [
        "a.sql:2:3: error: the file is not UTF-8", "b.sql:2:9: error: the file contains a NUL",
      ])
  }

  @Test func `checking ATTACH and VACUUM INTO creates no file`() throws {
    let scratch = try TestFolder()
    defer { withExtendedLifetime(scratch) {} }
    let folder = scratch.url
    let file = folder.appending(path: "other.db").path
    let statements = ["ATTACH '\(file)' AS other", "VACUUM INTO '\(file)'"]
    for (name, head) in [("Migrations/1_a.sql", ""), ("Queries/q.sql", "-- @query q: nothing\n")] {
      let sql = folder.appending(path: name)
      try FileManager.default.createDirectory(
        at: sql.deletingLastPathComponent(), withIntermediateDirectories: true)
      for statement in statements {
        try Data("\(head)\(statement);\nCREATE TABLE t(a);".utf8).write(to: sql)
        var check = ProjectCheck(Project(folder: folder), only: nil)
        _ = try check.run()
        #expect(!FileManager.default.fileExists(atPath: file), "\(name): \(statement)")
      }
      try FileManager.default.removeItem(at: sql)
    }
  }
}

@Suite(.tags(.checkedSQL)) struct `migrations that succeed only without rows` {
  /// Returns the diagnostics of a project whose migrations follow one that creates the table `t`.
  private func diagnostics(_ migrations: [String]) throws -> [String] {
    let scratch = try TestFolder()
    defer { withExtendedLifetime(scratch) {} }
    let folder = scratch.url.appending(path: "Migrations")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let table = "CREATE TABLE t(a INTEGER PRIMARY KEY);"
    for (number, sql) in zip(1..., [table] + migrations) {
      try Data(sql.utf8).write(to: folder.appending(path: "\(number).sql"))
    }
    var check = ProjectCheck(Project(folder: scratch.url), only: nil)
    let result = try check.run()
    #expect(result.schema != nil || result.diagnostics.contains { $0.severity == .error })
    return result.diagnostics.map { $0.description.replacing("\(folder.path)/", with: "") }
  }

  @Test(arguments: [
    ("b TEXT NOT NULL", "Cannot add a NOT NULL column with default value NULL"),
    ("b TEXT NOT NULL DEFAULT NULL", "Cannot add a NOT NULL column with default value NULL"),
    ("b TEXT DEFAULT current_timestamp", "Cannot add a column with non-constant default"),
    ("COLUMN b DEFAULT (upper('x'))", "Cannot add a column with non-constant default"),
    ("COLUMN b AS (a) STORED", "cannot add a STORED column"),
  ])
  func `a column that SQLite adds only to an empty table is reported`(
    _ column: String, _ reason: String
  ) throws {
    // Without the warning, only a table with rows would show the error.
    let db = try Connection()
    try db.execute(sql: "CREATE TABLE t(a INTEGER PRIMARY KEY)")
    let add = "ALTER TABLE t ADD \(column)"
    try db.savepoint { db, command in
      command = .rollback
      try db.execute(sql: add)
    }
    try db.execute(sql: "INSERT INTO t VALUES (1)")
    #expect(failure { try db.execute(sql: add) }?.message == reason)
    #expect(
      try diagnostics(["SELECT 1;\n  \(add);\nCREATE INDEX i ON t(a);", "CREATE TABLE u(a)"]) == [
        "2.sql:2:3: warning: SQLite refuses this statement if the table contains rows: \(reason)"
      ])
  }

  @Test(arguments: ["\"cannot add this\" TEXT", "b DEFAULT 'cannot add this'"])
  func `a column that SQLite adds to every table is not reported`(_ column: String) throws {
    #expect(try diagnostics(["ALTER TABLE t ADD \(column)"]) == [])
  }

  @Test(arguments: [
    "b NOT NULL DEFAULT 5 REFERENCES t(a)", "b REFERENCES t(a) DEFAULT 5",
    "COLUMN b DEFAULT (5) REFERENCES t ON DELETE SET DEFAULT",
  ])
  func `a column whose default refers to a key is reported`(_ column: String) throws {
    let add = "ALTER TABLE t ADD \(column)"
    let migrations = [
      Migration(1, "t") { try $0.execute(sql: "CREATE TABLE t(a INTEGER PRIMARY KEY)") },
      Migration(2, "b") { try $0.execute(sql: add) },
    ]
    for (key, succeeds) in [(nil, true), (5, true), (1, false)] as [(Int?, Bool)] {
      let db = try Connection()
      try Migrator([migrations[0]]).migrate(db)
      if let key { try db.execute("INSERT INTO t VALUES (\(key))") }
      #expect((failure { try Migrator(migrations).migrate(db) } == nil) == succeeds)
    }
    let message =
      "If the table contains rows, they refer to the default value, and the migration fails unless that key exists at its end"
    #expect(try diagnostics([add]) == ["2.sql:1:1: warning: \(message)"])
  }

  @Test(arguments: [
    "ALTER TABLE t ADD b REFERENCES t DEFAULT NULL",
    "ALTER TABLE t ADD b REFERENCES t DEFAULT (NULL)",
    "ALTER TABLE t ADD b REFERENCES t ON DELETE SET DEFAULT ON UPDATE CASCADE",
    "ALTER TABLE t ADD b REFERENCES t ON DELETE SET DEFAULT DEFERRABLE INITIALLY DEFERRED",
    "ALTER TABLE t ADD b REFERENCES t ON DELETE SET DEFAULT DEFAULT NULL",
    "CREATE TABLE u(a); ALTER TABLE u ADD b DEFAULT 5 REFERENCES t",
    "ALTER TABLE t ADD b TEXT", "ALTER TABLE t ADD b NOT NULL DEFAULT 'x'",
    "ALTER TABLE t ADD b AS (a)", "ALTER TABLE t ADD b CHECK (b > 0)",
    "ALTER TABLE t ADD b REFERENCES t", "ALTER TABLE t RENAME COLUMN a TO b",
    "ALTER TABLE t RENAME TO u", "CREATE TABLE u(a); ALTER TABLE u ADD b NOT NULL",
    "CREATE TABLE u(a); DROP TABLE t; ALTER TABLE u RENAME TO t",
  ])
  func `a column that can also be added to a table with rows is not reported`(_ sql: String) throws
  {
    #expect(try diagnostics([sql]) == [])
  }

  @Test func `a foreign key whose table does not exist after all migrations is reported`() throws {
    let child = "CREATE TABLE c(t REFERENCES t(a))"
    let renaming =
      "ALTER TABLE t RENAME TO old; CREATE TABLE t(a INTEGER PRIMARY KEY); DROP TABLE old;"
    #expect(
      try diagnostics([child, renaming]) == [
        "3.sql:1:1: error: Migration 3: foreign keys: \"c\" refers to the table \"old\", which does not exist"
      ])
    #expect(try diagnostics([child, renaming, "DROP TABLE c"]) == [])
  }
}
