-- @query addBook: one
INSERT INTO book(title, author, added) VALUES (:title, :author, :added) RETURNING id;

-- Adds the title and author of a book to the full-text index.
-- @query indexBook: nothing
INSERT INTO book_text(rowid, title, author) SELECT id, title, author FROM book WHERE id = :id;

-- @query finishBook
UPDATE book SET finished = :finished, stars = :stars WHERE id = :id;
