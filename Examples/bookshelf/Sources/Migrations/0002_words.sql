-- Holds no text of its own: it refers to the books.
CREATE VIRTUAL TABLE book_text USING fts5(title, author, content='book', content_rowid='id');
INSERT INTO book_text(book_text) VALUES ('rebuild');
