// Generated from the folders Migrations, Attached and Queries, where changes belong.

import Sluice

/// The steps that lead to the schema with which the queries were checked.
enum Migrations {
  /// All steps, in order.
  static let all: [Migration] = [
    Migration(
      1, "catalogue",
      sql: """
        -- What the library has.
        CREATE TABLE publisher(
          id INTEGER PRIMARY KEY,
          name TEXT NOT NULL UNIQUE,
          city TEXT);

        CREATE TABLE author(
          id INTEGER PRIMARY KEY,
          name TEXT NOT NULL,
          born INTEGER,
          died INTEGER);

        CREATE TABLE book(
          id INTEGER PRIMARY KEY,
          title TEXT NOT NULL,
          publisher INTEGER REFERENCES publisher,
          year INTEGER,
          price REAL,
          summary TEXT,
          is_rare BOOLEAN NOT NULL DEFAULT 0,
          sort_title TEXT NOT NULL AS (lower(title)) STORED,
          decade INTEGER AS (year / 10 * 10));

        CREATE INDEX book_publisher ON book(publisher);
        CREATE INDEX book_sort_title ON book(sort_title);

        CREATE TABLE book_author(
          book INTEGER NOT NULL REFERENCES book ON DELETE CASCADE,
          author INTEGER NOT NULL REFERENCES author ON DELETE CASCADE,
          role TEXT NOT NULL DEFAULT 'author',
          PRIMARY KEY(book, author)) WITHOUT ROWID;

        CREATE TABLE genre(
          code TEXT PRIMARY KEY,
          name TEXT NOT NULL,
          parent TEXT REFERENCES genre) WITHOUT ROWID;

        CREATE TABLE book_genre(
          book INTEGER NOT NULL REFERENCES book ON DELETE CASCADE,
          genre TEXT NOT NULL REFERENCES genre,
          PRIMARY KEY(book, genre)) WITHOUT ROWID;

        CREATE TABLE branch(id INTEGER PRIMARY KEY, name TEXT NOT NULL COLLATE by_number, opened TEXT);

        CREATE TABLE copy(
          id INTEGER PRIMARY KEY,
          book INTEGER NOT NULL REFERENCES book,
          branch INTEGER NOT NULL REFERENCES branch,
          shelf TEXT,
          acquired DATETIME NOT NULL,
          cover BLOB);

        CREATE VIEW shelved AS
          SELECT copy.id, book.title, branch.name AS branch, copy.shelf
          FROM copy JOIN book ON book.id = copy.book JOIN branch ON branch.id = copy.branch;

        """),
    Migration(
      2, "members",
      sql: """
        -- Who borrows it.
        CREATE TABLE member(
          id INTEGER PRIMARY KEY,
          uuid TEXT NOT NULL UNIQUE,
          name TEXT NOT NULL,
          email TEXT,
          joined DATETIME NOT NULL,
          referrer INTEGER REFERENCES member);

        CREATE TABLE loan(
          id INTEGER PRIMARY KEY,
          copy INTEGER NOT NULL REFERENCES copy,
          member INTEGER NOT NULL REFERENCES member,
          lent DATETIME NOT NULL,
          due DATETIME NOT NULL,
          returned DATETIME);

        CREATE INDEX loan_member ON loan(member);
        CREATE INDEX loan_open ON loan(copy) WHERE returned IS NULL;

        CREATE TABLE reservation(
          book INTEGER NOT NULL REFERENCES book,
          member INTEGER NOT NULL REFERENCES member,
          made DATETIME NOT NULL,
          PRIMARY KEY(book, member)) WITHOUT ROWID;

        CREATE TABLE fine(
          id INTEGER PRIMARY KEY,
          loan INTEGER NOT NULL REFERENCES loan,
          cents INTEGER NOT NULL CHECK(cents > 0),
          paid INTEGER NOT NULL DEFAULT 0) STRICT;

        CREATE TABLE review(
          id INTEGER PRIMARY KEY,
          book INTEGER NOT NULL REFERENCES book,
          member INTEGER REFERENCES member,
          stars INTEGER NOT NULL,
          text TEXT,
          tags TEXT NOT NULL DEFAULT '[]');

        """),
    Migration(
      3, "search",
      sql: """
        -- What is looked for.
        CREATE VIRTUAL TABLE book_text USING fts5(title, summary, tokenize = 'stemmed');

        CREATE TRIGGER book_inserted AFTER INSERT ON book BEGIN
          INSERT INTO book_text(rowid, title, summary) VALUES (new.id, new.title, new.summary);
        END;

        CREATE TABLE event(
          id INTEGER PRIMARY KEY,
          kind TEXT NOT NULL,
          payload TEXT NOT NULL,
          at INTEGER NOT NULL) STRICT;

        CREATE TABLE setting(key TEXT PRIMARY KEY, value) WITHOUT ROWID;

        """),
  ]

  /// Brings databases to the newest schema; `preparing` adds the functions and collations that steps use.
  static func migrator(
    preparing: (@Sendable (_ copy: Connection) throws -> Void)? = nil
  ) throws -> Migrator {
    try Migrator(all, preparing: preparing)
  }

  /// The steps of the database that is attached as `archive`, to be done on a connection of its own.
  enum Archive {
    /// All steps, in order.
    static let all: [Migration] = [
      Migration(
        1, "create",
        sql: """
          CREATE TABLE removed_book(
            id INTEGER PRIMARY KEY,
            title TEXT NOT NULL,
            removed DATETIME NOT NULL);

          """)
    ]

    /// Brings databases to the newest schema; `preparing` adds the functions and collations that steps use.
    static func migrator(
      preparing: (@Sendable (_ copy: Connection) throws -> Void)? = nil
    ) throws -> Migrator {
      try Migrator(all, preparing: preparing)
    }
  }
}

/// A row of `allTitles` and `numberedTitles`.
struct NumberedTitle: Sendable, Hashable, Codable {
  var id: Int
  var title: String
}

extension NumberedTitle {
  /// Reads the columns by their places.
  static var converter: RowConverter<Self> {
    RowConverter { row in
      try Self(id: row.get(.int, at: 0), title: row.get(.string, at: 1))
    }
  }
}
