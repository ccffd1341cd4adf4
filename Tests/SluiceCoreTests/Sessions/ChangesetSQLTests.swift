import SluiceCore
import SluiceTesting
import TestSupport
import Testing

@Suite(.tags(.sessions), .enabled(if: SQLiteLibrary.has(.sessions)))
struct `SQL scripts of changesets` {
  @Test func `the description of a changeset is SQL with numbered columns`() throws {
    let recording = try Recording("INSERT INTO person VALUES (1, 'a', 10), (2, 'b', 20)")
    let changes = try recording.changeset(
      """
      INSERT INTO tag VALUES (1.5, 'it''s', x'00ff');
      UPDATE person SET name = NULL WHERE id = 1;
      DELETE FROM person WHERE id = 2
      """)
    let lines = Set(changes.description.split(separator: "\n"))
    #expect(
      lines == [
        #"INSERT INTO "tag"(column0, column1, column2) VALUES (1.5, 'it''s', x'00ff')"#,
        #"UPDATE "person" SET column1 = NULL WHERE column0 = 1"#,
        #"DELETE FROM "person" WHERE column0 = 2"#,
      ])
  }

  @Test func `the SQL script of a changeset or patchset reproduces each value exactly`() throws {
    let schema = #"CREATE TABLE "a ""b"(k PRIMARY KEY, "x y", "select")"#
    let (source, target) = try (Connection(), Connection())
    for connection in [source, target] { try connection.execute(sql: schema) }
    let session = try source.session()
    var random = SeededGenerator(seed: 7)
    var reals = [
      0.1, -0.0, 0.921653, 1e300, Double.leastNonzeroMagnitude, 2.2250738585072014e-308,
      1.7976931348623157e308,
    ]
    reals += [Double.infinity, -Double.infinity, 9_007_199_254_740_994, 1e15, -1.5, 0.3]
    reals += (0..<300).map { _ in Double(bitPattern: random.next()) }.filter { !$0.isNaN }
    let values: [DatabaseValue] =
      reals.map { .real($0) } + [
        .null, "", "it's", "a\0b", "\0", "ü\u{301}😀", .blob([]), .blob([0, 255]),
        .integer(.min), .integer(.max), .integer(0),
      ]
    for (key, value) in values.enumerated() {
      try source.execute(
        sql: #"INSERT INTO "a ""b"(k, "x y", "select") VALUES (?, ?, 1)"#,
        parameters: .int(key), .value(value))
    }
    try target.execute(sql: source.sql(for: session.changeset()))
    let select = #"SELECT k, "x y", "select", typeof("x y") FROM "a ""b" ORDER BY k"#
    let expected = try source.query(.values, sql: select).map(\.values)
    #expect(try target.query(.values, sql: select).map(\.values) == expected)
    #expect(expected.count == values.count)

    let next = try source.session()
    try source.execute(
      sql: #"UPDATE "a ""b" SET "x y" = k / 3.0 WHERE k % 2; DELETE FROM "a ""b" WHERE k % 3 = 0"#)
    try target.execute(sql: source.sql(for: next.patchset()))
    #expect(
      try target.query(.values, sql: select).map(\.values)
        == source.query(.values, sql: select).map(\.values))
  }

  @Test func `creating the SQL of a change throws if a column name is missing or contains a NUL`()
    throws
  {
    let changeset = try Recording().changeset("INSERT INTO person VALUES (1, 'a', 2)")
    let change = try #require(try changeset.changes().first)
    #expect(failure { try change.sql(columns: ["id", "name"]) }?.code == .range)
    #expect(failure { try change.sql(columns: ["id", "na\0me", "age"]) }?.code == .misuse)
    #expect(
      try change.sql(columns: ["id", "name", "age", "more"])
        == #"INSERT INTO "person"("id", "name", "age") VALUES (1, 'a', 2)"#)
    #expect(failure { try Connection().sql(for: changeset) }?.code == .error)
    #expect(failure { try Connection().sql(for: changeset, schema: "x") }?.code == .range)
  }

  @Test(.enabled(if: SQLiteVersion.recordsRowidTables))
  func `the SQL of changes names the rowid of a table without a primary key`() throws {
    let (source, target) = (try Connection(), try Connection())
    for each in [source, target] {
      try each.execute(sql: "CREATE TABLE log(text, rowid); INSERT INTO log VALUES ('a', 7)")
    }
    let session = try source.session(options: .rowidTables)
    try source.execute(
      sql: "INSERT INTO log VALUES ('b', 8); UPDATE log SET text = 'A' WHERE text = 'a'")
    let changeset = try session.changeset()
    // The table may have gained a column since.
    try source.execute(sql: "ALTER TABLE log ADD COLUMN more")
    try target.execute(sql: source.sql(for: changeset))
    let rows = try target.query(.values, sql: "SELECT _rowid_, * FROM log").map(\.values)
    #expect(rows == [[1, "A", 7], [2, "b", 8]])
  }
}
