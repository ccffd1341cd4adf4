-- The full-text index stores no text; it reads the text of the books.
CREATE VIRTUAL TABLE book_text USING fts5(title, author, content='book', content_rowid='id');
INSERT INTO book_text(book_text) VALUES ('rebuild');
