import Foundation
import SluiceCore
import SluiceData
import TestSupport
import Testing

@Suite(.tags(.storage)) struct `differences between databases` {
  static let people = """
    CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT NOT NULL, age);
    INSERT INTO person VALUES (1, 'Ada', 36), (2, 'Alan', 41), (3, 'Grace', NULL);
    """

  @Test func `the changes of rows are values and SQL`() throws {
    let pair = try DiffPair(
      Self.people,
      then: """
        DELETE FROM person WHERE id = 1; UPDATE person SET age = 42 WHERE id = 2;
        INSERT INTO person VALUES (4, 'Joan', x'00ff');
        """)
    let diff = try pair.diff()
    var changes: [DatabaseDiff.RowChange] = []
    try diff.forEachRowChange { changes.append($0) }
    #expect(changes.map(\.kind) == [.deleted, .updated, .inserted])
    #expect(changes.map(\.table) == ["person", "person", "person"])
    #expect(changes[0].old == [1, "Ada", 36])
    #expect(changes[0].new == nil)
    #expect(changes[1].old == [2, "Alan", 41])
    #expect(changes[1].new == [2, "Alan", 42])
    #expect(changes[2].new == [4, "Joan", .blob([0, 255])])
    #expect(changes[2].columns == ["id", "name", "age"])
    #expect(changes[2].rowid == nil)
    let summary = try diff.summary()
    #expect(summary.map(\.table) == ["person"])
    #expect(summary.map { [$0.insertedCount, $0.updatedCount, $0.deletedCount] } == [[1, 1, 1]])
    #expect(try !diff.isEmpty)
    #expect(
      try pair.sql() == """
        PRAGMA foreign_keys = OFF;
        BEGIN IMMEDIATE;
        DELETE FROM "person" WHERE "id" = 1;
        UPDATE "person" SET "age" = 42 WHERE "id" = 2;
        INSERT INTO "person"("id", "name", "age") VALUES (4, 'Joan', x'00ff');
        COMMIT;

        """)
  }

  @Test func `equal databases have no differences`() throws {
    let pair = try DiffPair(Self.people)
    let diff = try pair.diff()
    #expect(try diff.isEmpty)
    #expect(try diff.summary().isEmpty)
    #expect(try pair.sql() == "")
    #expect(try !diff.writeSQL { _ in Issue.record("There is no SQL") })
    try diff.forEachRowChange { _ in Issue.record("There is no change") }
  }

  @Test(arguments: [
    ("1", "1.0"), ("'1'", "1"), ("'a'", "x'61'"), ("'a'", "'A'"), ("0.0", "-0.0"), ("NULL", "0"),
    ("NULL", "''"), ("''", "x''"), ("'a'", "CAST(x'6100' AS TEXT)"), ("'a'", "'a '"),
    ("CAST(x'ff' AS TEXT)", "CAST(x'fe' AS TEXT)"), ("9007199254740992", "9007199254740993"),
    ("9007199254740992.0", "9007199254740992"), ("1e308 * 10", "-1e308 * 10"),
    ("'é'", "'e\u{301}'"),
    ("0.1", "0.1 + 1.3877787807814457e-17"), ("4.9406564584124654e-324", "0.0"),
  ])
  func `values that SQL or a collation considers equal are different`(
    first: String, second: String
  ) throws {
    for key in ["id INTEGER PRIMARY KEY, v COLLATE NOCASE", "id, v COLLATE RTRIM"] {
      for (old, new) in [(first, second), (second, first)] {
        let pair = try DiffPair(
          "CREATE TABLE t(\(key)); INSERT INTO t VALUES (1, \(old)), (2, NULL)",
          then: "UPDATE t SET v = \(new) WHERE id = 1")
        #expect(try pair.diff().summary().map(\.updatedCount) == [1])
        try check(pair)
      }
    }
  }

  @Test(arguments: [
    ("1", "1.0"), ("'a'", "'A'"), ("0.0", "-0.0"), ("'a'", "'b'"), ("'1'", "1"), ("'a'", "x'61'"),
  ])
  func `keys that SQL or a collation considers equal are different`(
    first: String, second: String
  ) throws {
    for table in [
      "k COLLATE NOCASE PRIMARY KEY NOT NULL, v", "k PRIMARY KEY COLLATE NOCASE, v",
      "k, v, PRIMARY KEY(k COLLATE NOCASE)", "k, v, PRIMARY KEY(v, k COLLATE NOCASE DESC)",
    ] {
      for end in ["", " WITHOUT ROWID"] {
        let pair = try DiffPair(
          "CREATE TABLE t(\(table))\(end); INSERT INTO t VALUES (\(first), 1), ('x', 2)",
          then: "UPDATE t SET k = \(second) WHERE v = 1")
        #expect(try !pair.diff().isEmpty)
        try check(pair)
      }
    }
  }

  @Test func `rows of a table without a key are matched by their rowid`() throws {
    let pair = try DiffPair(
      "CREATE TABLE t(a); INSERT INTO t VALUES (1), (1), (2)",
      then: "UPDATE t SET a = 7 WHERE rowid = 2; INSERT INTO t(rowid, a) VALUES (-5, 1)")
    var changes: [DatabaseDiff.RowChange] = []
    try pair.diff().forEachRowChange { changes.append($0) }
    #expect(changes.map(\.rowid) == [2, -5])
    #expect(
      try pair.statements() == [
        "UPDATE \"t\" SET \"a\" = 7 WHERE rowid = 2;",
        "INSERT INTO \"t\"(rowid, \"a\") VALUES (-5, 1);",
      ])
    try check(pair)
  }

  @Test func `rows whose key contains NULL are matched by their rowid`() throws {
    let pair = try DiffPair(
      "CREATE TABLE t(k TEXT PRIMARY KEY, v); INSERT INTO t VALUES (NULL, 1), (NULL, 1), ('a', 2)",
      then: "DELETE FROM t WHERE rowid = 2; UPDATE t SET k = 'b' WHERE k = 'a'")
    var changes: [DatabaseDiff.RowChange] = []
    try pair.diff().forEachRowChange { changes.append($0) }
    #expect(changes.map(\.kind) == [.deleted, .updated])
    #expect(changes.map(\.rowid) == [2, 3])
    try check(pair)
  }

  @Test func `a rowid that a column hides has another name`() throws {
    let pair = try DiffPair(
      "CREATE TABLE t(rowid, OID); INSERT INTO t VALUES (5, 6), (7, 8)",
      then: "DELETE FROM t WHERE _rowid_ = 1; INSERT INTO t VALUES (9, 9)")
    #expect(try pair.statements().first == "DELETE FROM \"t\" WHERE _rowid_ = 1;")
    try check(pair)
  }

  @Test func `a table that cannot be addressed is reported`() throws {
    let pair = try DiffPair(
      "CREATE TABLE t(rowid, oid, _rowid_)", then: "INSERT INTO t VALUES (1, 2, 3)")
    let diff = try pair.diff()
    #expect(diff.uncomparedTables.map(\.name) == ["t"])
    #expect(
      diff.uncomparedTables.map(\.reason) == [
        "it has no primary key, and columns have all names of the rowid"
      ])
    #expect(try pair.sql() == "")
  }

  @Test func `generated columns are left out`() throws {
    let pair = try DiffPair(
      "CREATE TABLE t(a INTEGER PRIMARY KEY, b AS (c * 2) STORED UNIQUE, c, d AS (a + c)); INSERT INTO t(a, c) VALUES (1, 2), (2, 3)",
      then: "UPDATE t SET c = -c; UPDATE t SET c = 5 + c; INSERT INTO t(a, c) VALUES (3, 4)")
    var changes: [DatabaseDiff.RowChange] = []
    try pair.diff().forEachRowChange { changes.append($0) }
    #expect(changes.first?.columns == ["a", "c"])
    try check(pair)
  }

  @Test func `names that only Swift considers equal are different columns`() throws {
    let pair = try DiffPair(
      """
      CREATE TABLE t("\u{e9}", "e\u{301}" PRIMARY KEY);
      INSERT INTO t VALUES (1, 2), (2, 1);
      """, then: "DELETE FROM t WHERE \"e\u{301}\" = 1")
    #expect(try pair.sql().contains("DELETE FROM \"t\" WHERE \"e\u{301}\" = 1;"))
  }

  @Test func `unique values can be swapped`() throws {
    for unique in [
      "UNIQUE(a)", "UNIQUE(b, a)", "UNIQUE(a COLLATE NOCASE) ON CONFLICT REPLACE",
    ] {
      let pair = try DiffPair(
        "CREATE TABLE t(id INTEGER PRIMARY KEY, a, b, \(unique)); INSERT INTO t VALUES (1, 'x', 1), (2, 'y', 1), (3, 'z', 1)",
        then:
          "UPDATE t SET a = 'w' WHERE id = 1; UPDATE t SET a = 'x' WHERE id = 2; UPDATE t SET a = 'y' WHERE id = 1; UPDATE t SET b = 2 WHERE id = 3"
      )
      try check(pair)
    }
    for index in ["t(lower(a))", "t(a) WHERE b = 1"] {
      let pair = try DiffPair(
        "CREATE TABLE t(id INTEGER PRIMARY KEY, a, b); CREATE UNIQUE INDEX i ON \(index); INSERT INTO t VALUES (1, 'x', 1), (2, 'y', 1), (3, 'z', 2)",
        then:
          "UPDATE t SET a = 'w', b = 3 WHERE id = 1; UPDATE t SET a = 'x' WHERE id = 2; UPDATE t SET a = 'y' WHERE id = 1; UPDATE t SET b = 1"
      )
      try check(pair)
    }
  }

  @Test func `a table with 700 columns is compared`() throws {
    let names = (0..<700).map { "c\($0)" }.joined(separator: ", ")
    let values = (0..<700).map(String.init).joined(separator: ", ")
    let pair = try DiffPair(
      "CREATE TABLE t(\(names)); INSERT INTO t VALUES (\(values))",
      then: "UPDATE t SET c3 = 'x', c699 = NULL")
    #expect(
      try pair.statements() == ["UPDATE \"t\" SET \"c3\" = 'x', \"c699\" = NULL WHERE rowid = 1;"])
    try check(pair)
  }

  @Test func `an error of a closure is thrown, and the diff can be used again`() throws {
    let pair = try DiffPair(Self.people, then: "DELETE FROM person")
    let diff = try pair.diff()
    #expect(foreignFailure { try diff.forEachRowChange { _ in throw ForeignError("no") } } != nil)
    #expect(foreignFailure { try diff.writeSQL { _ in throw ForeignError("no") } } != nil)
    #expect(pair.connection.isInAutocommit)
    #expect(try diff.summary().map(\.deletedCount) == [3])
  }

  @Test func `text that is no UTF-8 is an error as a value, and exact in SQL`() throws {
    let pair = try DiffPair(Self.people, then: "UPDATE person SET age = CAST(x'80' AS TEXT)")
    #expect(failure { try pair.diff().forEachRowChange { _ in } }?.code == .mismatch)
    #expect(try pair.statements().first?.contains("CAST(x'80' AS TEXT)") == true)
    try check(pair)
  }
}

/// Applies a difference, and expects both databases to be the same then.
func check(_ pair: DiffPair, at location: SourceLocation = #_sourceLocation) throws {
  let expected = try DiffContent(of: pair.connection, "other")
  let sql = try pair.sql()
  try pair.connection.execute(sql: sql)
  #expect(try DiffContent(of: pair.connection) == expected, sourceLocation: location)
  #expect(try pair.diff().isEmpty, sourceLocation: location)
  #expect(try pair.connection.integrityProblems() == [], sourceLocation: location)
}
