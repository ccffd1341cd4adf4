import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.library)) struct `known defects` {
  @Test(
    arguments: [
      (3_006_999, false), (3_007_000, true), (3_044_005, true), (3_044_006, false),
      (3_044_099, false), (3_045_000, true), (3_050_006, true), (3_050_007, false),
      (3_051_002, true), (3_051_003, false),
    ])
  func `the WAL-reset bug affects only versions without its fix`(version: Int, hasBug: Bool) {
    #expect(SQLiteDefect.walReset.affects(version: version) == hasBug)
  }

  @Test(.enabled(if: SQLiteLibrary.has(.sessions)))
  func `knownDefects reports exactly whether a session loses the defaults of added columns`()
    throws
  {
    let connection = try Connection()
    try connection.execute(
      sql: """
        CREATE TABLE t(a INTEGER PRIMARY KEY, b); INSERT INTO t VALUES (1, 2);
        ALTER TABLE t ADD COLUMN c DEFAULT 7
        """)
    let session = try connection.session()
    try connection.execute(sql: "DELETE FROM t")
    let old = try #require(try session.changeset().changes().first?.old)
    let isKnown = SQLiteLibrary.knownDefects.contains { $0.name == "Defaults of added columns" }
    #expect(old == [1, 2, isKnown ? .some(.null) : 7])
  }

  @Test(.enabled(if: SQLiteLibrary.has(.sessions)))
  func `a session records the defaults of added columns if all rows were written anew`() throws {
    let connection = try Connection()
    try connection.execute(
      sql: """
        CREATE TABLE t(a INTEGER PRIMARY KEY, b); INSERT INTO t VALUES (1, 2);
        ALTER TABLE t ADD COLUMN c NOT NULL DEFAULT 7; UPDATE t SET c = c
        """)
    let session = try connection.session()
    try connection.execute(sql: "UPDATE t SET b = 3")
    try connection.execute(sql: "DELETE FROM t")
    let changeset = try session.changeset()
    #expect(try changeset.changes().first?.old == [1, 2, 7])
    try connection.apply(changeset.inverted())
    #expect(try connection.query(.values, sql: "SELECT * FROM t").map(\.values) == [[1, 2, 7]])
  }

  @Test func `knownDefects contains the WAL-reset bug only for an affected version`() {
    #expect(
      SQLiteLibrary.knownDefects.contains(.walReset)
        == SQLiteDefect.walReset.affects(version: SQLiteLibrary.versionNumber))
  }

  @Test func `knownDefects contains the trigram tokenizer only for an affected version`() {
    #expect(
      SQLiteLibrary.knownDefects.contains { $0.name == "Options of the trigram tokenizer" }
        == (3_034_000...3_046_001).contains(SQLiteLibrary.versionNumber))
  }
}
