-- @query addGenre
INSERT INTO genre(code, name, parent) VALUES (:code, :name, :parent);

-- @query genres
SELECT code, name, parent FROM genre ORDER BY code;

-- A genre with all that are below it.
-- @query subgenres
WITH RECURSIVE below(code, depth) AS (
  SELECT code, 0 FROM genre WHERE code = :code
  UNION ALL
  SELECT genre.code, depth + 1 FROM genre JOIN below ON genre.parent = below.code
)
SELECT genre.code, genre.name, depth FROM below JOIN genre USING (code) ORDER BY depth, genre.code;

-- @query classify
INSERT OR IGNORE INTO book_genre(book, genre) VALUES (:book, :genre);

-- @query reclassify
UPDATE book_genre SET genre = :new_genre WHERE genre = :old_genre;

-- @query booksOfGenre
SELECT title FROM book WHERE id IN (SELECT book FROM book_genre WHERE genre = :genre) ORDER BY id;

-- @query genreOfBook: optional
SELECT genre FROM book_genre WHERE book = :book ORDER BY genre LIMIT 1;

-- @query hasGenre: one
-- @column found: Bool
SELECT EXISTS (SELECT 1 FROM book_genre WHERE book = :book AND genre = :genre) AS found;
