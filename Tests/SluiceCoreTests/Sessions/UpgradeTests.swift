import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.sessions), .enabled(if: SQLiteLibrary.has(.sessions)))
struct `changes from before columns were added` {
  private let schema =
    "CREATE TABLE t(id INTEGER PRIMARY KEY, a); INSERT INTO t VALUES (1, 'x'), (2, 'y');"
  private let mixed = """
    INSERT INTO t(id, a) VALUES (3, 'z'); UPDATE t SET a = 'X' WHERE id = 1;
    DELETE FROM t WHERE id = 2
    """

  /// Returns a connection, the changes that `mixed` makes, and recorded before the table gets more columns.
  private func aged(_ columns: String...) throws -> (Connection, Changeset, Patchset) {
    let connection = try Connection()
    try connection.execute(sql: schema)
    let session = try connection.session()
    try connection.execute(sql: mixed)
    let changes = try (session.changeset(), session.patchset())
    try session.close()
    try connection.apply(changes.0.inverted())
    for column in columns { try connection.execute(sql: "ALTER TABLE t ADD COLUMN \(column)") }
    return (connection, changes.0, changes.1)
  }

  @Test func `rows get the defaults of the added columns`() throws {
    let (connection, old, patchset) = try aged(
      "b INTEGER NOT NULL DEFAULT '7'", "c", "d TEXT DEFAULT 'it''s'", "e REAL DEFAULT 1",
      "f DEFAULT -1.5", "g BLOB DEFAULT x'00ff'")
    let changes = try connection.upgraded(old).changes()
    #expect(changes.allSatisfy { $0.columnCount == 8 })
    let row: [DatabaseValue?] = [7, .some(.null), "it's", 1.0, -1.5, .blob([0, 255])]
    let none = [DatabaseValue?](repeating: nil, count: 6)
    #expect(changes.first { $0.operation == .insert }?.new == [3, "z"] + row)
    #expect(changes.first { $0.operation == .delete }?.old == [2, "y"] + row)
    let update = changes.first { $0.operation == .update }
    #expect(update?.old == [1, "x"] + none && update?.new == [nil, "X"] + none)
    let patches = try connection.upgraded(patchset).changes()
    #expect(patches.first { $0.operation == .insert }?.new == [3, "z"] + row)
    #expect(patches.first { $0.operation == .delete }?.old == [2, nil] + none)
  }

  @Test(
    arguments: [
      "TEXT DEFAULT 1.10", "TEXT DEFAULT 1e15", "TEXT DEFAULT 9223372036854775808", "DEFAULT -0.0",
      "TEXT DEFAULT 0x10", "REAL DEFAULT 9e999",
      "TEXT DEFAULT '\(String(repeating: "x", count: 1_100_000))'",
      "BLOB DEFAULT x'\(String(repeating: "0f", count: 600_000))'", "DEFAULT NULL",
      "INTEGER DEFAULT '12'",
      "TEXT DEFAULT ('a' || char(0) || 'b')", "TEXT DEFAULT true", "TEXT DEFAULT word",
    ])
  func `the default equals the one that SQLite reads`(_ definition: String) throws {
    let (connection, old, _) = try aged()
    try connection.apply(old)
    if definition.contains("||") { try connection.execute(sql: "DELETE FROM t") }
    try connection.execute(sql: "ALTER TABLE t ADD COLUMN b \(definition)")
    if definition.contains("||") { try connection.apply(old) { _ in .omit } }
    let value = try connection.first(.column(.value), sql: "SELECT b FROM t WHERE id = 3")
    let inserted = try connection.upgraded(old).changes().first { $0.operation == .insert }
    #expect(inserted?.new.last == value)
    if !definition.contains("||") {
      try connection.apply(connection.upgraded(old).inverted())
    }
  }

  @Test func `a default that cannot be evaluated throws`() throws {
    let (connection, old, _) = try aged()
    try connection.execute(sql: "DELETE FROM t")
    try connection.addFunction(
      "mine", arity: 0, options: [.deterministic, .innocuous, .usableInSchema]
    ) {
      _ in 1
    }
    try connection.execute(sql: "ALTER TABLE t ADD COLUMN b DEFAULT (mine())")
    #expect(failure { try connection.upgraded(old) }?.code == .schema)
    let other = try Connection()
    try other.execute(
      sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, a, b TEXT DEFAULT (CAST(x'ff' AS TEXT)))")
    #expect(failure { try other.upgraded(old) }?.code == .mismatch)
  }

  @Test func `upgraded changes apply, and combine with later ones`() throws {
    let (connection, old, _) = try aged("b NOT NULL DEFAULT 7")
    let (copy, _, _) = try aged("b NOT NULL DEFAULT 7")
    try connection.apply(old)
    let session = try connection.session()
    try connection.execute(
      sql: "UPDATE t SET b = 8 WHERE id = 3; INSERT INTO t VALUES (4, 'w', 9)")
    let later = try session.changeset()
    let group = try Changeset.Group()
    try group.add(old)
    #expect(failure { try group.add(later) }?.code == .schema)
    let all = try connection.upgraded(old).appending(later)
    try copy.apply(all)
    let rows = "SELECT * FROM t ORDER BY id"
    #expect(try copy.query(.values, sql: rows) == connection.query(.values, sql: rows))
    #expect(try all.changes().count == 4)
  }

  @Test func `changes of a table without new columns stay the same`() throws {
    let (connection, old, patchset) = try aged()
    #expect(try Set(connection.upgraded(old).changes()) == Set(old.changes()))
    #expect(try Set(connection.upgraded(patchset).changes()) == Set(patchset.changes()))
    #expect(try connection.upgraded(Changeset(bytes: [])).isEmpty)
  }

  @Test func `the columns are those of the schema`() throws {
    let (_, old, _) = try aged()
    let connection = try Connection()
    try connection.execute(
      sql: """
        CREATE TABLE t(id INTEGER PRIMARY KEY, a); ATTACH ':memory:' AS other;
        CREATE TABLE other.T(id INTEGER PRIMARY KEY, a, b DEFAULT 5)
        """)
    #expect(try connection.upgraded(old).changes().allSatisfy { $0.columnCount == 2 })
    let upgraded = try connection.upgraded(old, schema: "OTHER").changes()
    #expect(upgraded.first { $0.operation == .insert }?.new == [3, "z", 5])
    #expect(failure { try connection.upgraded(old, schema: "none") }?.code == .range)
  }

  @Test func `generated columns are not part of changes`() throws {
    let (_, old, _) = try aged()
    let connection = try Connection()
    try connection.execute(
      sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, a, g AS (a || 'g'), b DEFAULT 'new')")
    let change = try connection.upgraded(old).changes().first { $0.operation == .insert }
    #expect(change?.new == [3, "z", "new"])
  }

  @Test(arguments: [
    "CREATE TABLE other(id INTEGER PRIMARY KEY, a)", "CREATE TABLE t(id INTEGER PRIMARY KEY)",
    "CREATE TABLE t(id, a PRIMARY KEY)", "CREATE TABLE t(id, a, PRIMARY KEY (id, a))",
    "CREATE VIEW t AS SELECT 1 AS id, 2 AS a",
  ])
  func `changes of a table that has another key or fewer columns throw schema`(
    _ schema: String
  ) throws {
    let (_, old, _) = try aged()
    let connection = try Connection()
    try connection.execute(sql: schema)
    #expect(failure { try connection.upgraded(old) }?.code == .schema)
  }
}
