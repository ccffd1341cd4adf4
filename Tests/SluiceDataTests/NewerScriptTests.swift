import SluiceCore
import SluiceData
import TestSupport
import Testing

/// Scripts of the `sqlite3` shell since version 3.50, which writes control characters as calls of `unistr`.
@Suite(.tags(.storage)) struct `loading a script of a newer shell` {
  private func load(_ script: String, into connection: Connection) throws {
    var pieces = [Array(script.utf8)]
    try connection.load { pieces.popLast() }
  }

  @Test func `escapes before combining marks are decoded`() throws {
    let connection = try Connection()
    try load(
      """
      CREATE TABLE t(s); INSERT INTO t VALUES (unistr('a\\u000a\u{301}')), (unistr('\\\\\u{301}'));
      CREATE VIEW v AS SELECT sqlite_sequence.seq FROM sqlite_sequence;
      CREATE TABLE k(id INTEGER PRIMARY KEY AUTOINCREMENT)
      """, into: connection)
    let texts = try connection.query(.column(.string), sql: "SELECT s FROM t")
    #expect(texts.map { Array($0.utf8) } == [Array("a\n\u{301}".utf8), Array("\\\u{301}".utf8)])
    #expect(try connection.schemaObjects(.view).map(\.name) == ["v"])
  }

  @Test func `a dump of a newer shell is loaded by an older SQLite`() throws {
    let script = """
      PRAGMA foreign_keys=OFF;
      BEGIN TRANSACTION;
      CREATE TABLE t(id INTEGER PRIMARY KEY AUTOINCREMENT, s TEXT);
      INSERT INTO t VALUES(1,unistr('a\\u000ab'));
      INSERT INTO t VALUES(2,unistr('\\\\ \\00e9 \\+01F600 \\U0001F600.'));
      INSERT INTO t VALUES(3,unistr(NULL));
      CREATE TABLE IF NOT EXISTS sqlite_sequence(name,seq);
      DELETE FROM sqlite_sequence;
      INSERT INTO sqlite_sequence VALUES('t',9);
      COMMIT;
      """
    for first in ["", "CREATE TABLE IF NOT EXISTS sqlite_sequence(name,seq);\n"] {
      let db = try Connection()
      try load(first + script, into: db)
      #expect(
        try db.query(.column(.optional(.string)), sql: "SELECT s FROM t") == [
          "a\nb", "\\ é 😀 😀.", nil,
        ])
      #expect(try db.query(.column(.int), sql: "SELECT seq FROM sqlite_sequence") == [9])
      try db.execute(sql: "INSERT INTO t(s) VALUES ('next')")
      #expect(db.lastInsertRowid == 10)
    }
  }

  @Test(
    arguments: [
      "\\", "\\u12", "\\x0041", "\\+12345", "\\00g1", "\\u-041",
    ] + (SQLiteVersion.hasUnistr ? [] : ["\\ud800", "\\U00110000"]))
  func `an invalid escape in a script throws`(_ escape: String) throws {
    let connection = try Connection()
    let error = failure {
      try load("CREATE TABLE t AS SELECT unistr('\(escape)') AS s", into: connection)
    }
    #expect(error?.message.hasSuffix("invalid Unicode escape") == true)
    #expect(try connection.table(named: "t") == nil)
  }
}
