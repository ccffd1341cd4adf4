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
