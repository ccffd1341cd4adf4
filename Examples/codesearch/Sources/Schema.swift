/// The tables of the index.
enum Schema {
  /// The application ID, which identifies a database file as an index of this program.
  static let application = 0x636f_6465
  /// The schema version, which is increased with each change of the tables.
  static let version = 2

  /// The SQL that creates the tables.
  ///
  /// The full-text index does not store the text; it reads the text of the lines. Deleting a file also deletes
  /// its lines.
  static let creation = """
    PRAGMA application_id = \(application);
    PRAGMA user_version = \(version);
    CREATE TABLE file(
      id INTEGER PRIMARY KEY,
      path TEXT NOT NULL UNIQUE,
      size INTEGER NOT NULL,
      modified REAL NOT NULL,
      lines INTEGER NOT NULL,
      skipped TEXT
    ) STRICT;
    CREATE TABLE line(
      id INTEGER PRIMARY KEY,
      file INTEGER NOT NULL REFERENCES file(id) ON DELETE CASCADE,
      number INTEGER NOT NULL,
      text TEXT NOT NULL
    ) STRICT;
    CREATE INDEX line_by_file ON line(file);
    CREATE VIRTUAL TABLE line_text USING fts5(
      text, content='line', content_rowid='id',
      tokenize='identifiers unicode61 remove_diacritics 2 tokenchars _'
    );
    """

  /// The SQL that drops the tables.
  static let removal = """
    DROP TABLE IF EXISTS line_text;
    DROP TABLE IF EXISTS line;
    DROP TABLE IF EXISTS file;
    """
}
