import SluiceCore
import SluiceData
import TestSupport
import Testing

/// A dump of version 0.9.0, which every later version loads.
@Suite(.tags(.storage)) struct `a dump of version 0.9.0` {
  @Test(.enabled(if: SQLiteLibrary.has(.fts5)))
  func `has the same content in a later version`() throws {
    let connection = try Connection()
    var pieces = [Array(dump.utf8)]
    try connection.load { pieces.popLast() }
    let sql: SQL = "SELECT id || hex(title) || hex(data) || size FROM note ORDER BY id"
    #expect(try connection.query(.column(.string), sql) == ["1416461277300FF5", "36E006C1"])
    #expect(try connection.query(.column(.double), "SELECT stars FROM note") == [0.1, -1e-300])
    #expect(try connection.first(.columns(.string, .int), "SELECT * FROM tag")! == ("x", 1))
    #expect(
      try connection.first(.column(.int), "SELECT seq FROM sqlite_sequence WHERE name = 'note'")
        == 3)
    #expect(
      try connection.query(.column(.string), "SELECT title FROM search('lovelace')")
        == ["Ada Lovelace"])
    #expect(try connection.query(.column(.int), "SELECT id FROM big") == [1])
    let others: SQL = "SELECT name FROM sqlite_schema WHERE sql NOT LIKE '% TABLE %' ORDER BY name"
    #expect(try connection.query(.column(.string), others) == ["big", "note_stars", "t"])
    #expect(try connection.userVersion == 7 && connection.applicationID == 5)
    #expect(try connection.integrityProblems() == [])
  }

  /// This is the text that the version wrote, so do not change it.
  private let dump = """
    -- The connection that runs this script must not be defensive.
    PRAGMA foreign_keys = OFF;
    PRAGMA encoding = 'UTF-8';
    BEGIN;
    CREATE TABLE note(id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL, stars REAL, data BLOB, \
    size INTEGER AS (length(title)) STORED);
    INSERT INTO "note" VALUES
    (1,'Ada''s',0.1,x'00ff'),
    (3,CAST(x'6e006c' AS TEXT),-1e-300,x'');
    CREATE TABLE tag(name TEXT PRIMARY KEY, note INTEGER REFERENCES note(id)) \
    WITHOUT ROWID, STRICT;
    INSERT INTO "tag" VALUES
    ('x',1);
    DELETE FROM sqlite_sequence WHERE name IN ('note');
    INSERT INTO "sqlite_sequence" VALUES
    ('note',3);
    CREATE VIEW big AS SELECT * FROM note WHERE size > 3;
    CREATE VIRTUAL TABLE search USING fts5(title);
    CREATE TABLE IF NOT EXISTS 'search_data'(id INTEGER PRIMARY KEY, block BLOB);
    DELETE FROM "search_data";
    INSERT INTO "search_data" VALUES
    (1,x'0102'),
    (10,x'000000000101010001010101'),
    (137438953473,x'00000019043061646101020201086c6f76656c6163650102030408');
    CREATE TABLE IF NOT EXISTS 'search_idx'(segid, term, pgno, \
    PRIMARY KEY(segid, term)) WITHOUT ROWID;
    DELETE FROM "search_idx";
    INSERT INTO "search_idx" VALUES
    (1,x'',2);
    CREATE TABLE IF NOT EXISTS 'search_content'(id INTEGER PRIMARY KEY, c0);
    DELETE FROM "search_content";
    INSERT INTO "search_content" VALUES
    (1,'Ada Lovelace');
    CREATE TABLE IF NOT EXISTS 'search_docsize'(id INTEGER PRIMARY KEY, sz BLOB);
    DELETE FROM "search_docsize";
    INSERT INTO "search_docsize" VALUES
    (1,x'02');
    CREATE TABLE IF NOT EXISTS 'search_config'(k PRIMARY KEY, v) WITHOUT ROWID;
    DELETE FROM "search_config";
    INSERT INTO "search_config" VALUES
    ('version',4);
    CREATE INDEX note_stars ON note(stars DESC) WHERE stars > 0;
    CREATE TRIGGER t AFTER INSERT ON note BEGIN DELETE FROM tag WHERE note = 99; END;
    PRAGMA application_id = 5;
    PRAGMA user_version = 7;
    COMMIT;
    """
}
