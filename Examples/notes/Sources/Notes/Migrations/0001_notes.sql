CREATE TABLE notebook(
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE CHECK (name <> ''),
  -- The number of notes, which each write updates in its own transaction.
  size INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE note(
  -- AUTOINCREMENT never reuses an ID, so an ID that a client keeps cannot refer to a different note later.
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  notebook INTEGER NOT NULL REFERENCES notebook(id) ON DELETE CASCADE,
  title TEXT NOT NULL CHECK (title <> ''),
  body TEXT NOT NULL,
  version INTEGER NOT NULL DEFAULT 1,
  UNIQUE (notebook, title)
) STRICT;
