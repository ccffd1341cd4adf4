CREATE TABLE book(
  id INTEGER PRIMARY KEY,
  title TEXT NOT NULL,
  author TEXT NOT NULL,
  finished TEXT,
  UNIQUE(title, author)
) STRICT;
