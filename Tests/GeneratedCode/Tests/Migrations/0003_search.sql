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
