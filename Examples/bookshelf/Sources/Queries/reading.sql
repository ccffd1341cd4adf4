-- All books, those that wait to be read first.
-- @query books: many, live
-- @row Book
-- @allow scans
SELECT id, title, author, finished, stars FROM book ORDER BY finished IS NOT NULL, finished, id;

-- The books in which all of some words stand, the best match first.
-- @query booksMatching
-- @param words: FTS5Pattern as pattern
-- @row Book
SELECT book.id, book.title, book.author, finished, stars
FROM book_text JOIN book ON book.id = book_text.rowid
WHERE book_text MATCH :words
ORDER BY rank;

-- How many books there are, and what was thought of them.
-- @query summary: one
-- @row Summary
-- @allow scans
SELECT count(*) AS books, count(finished) AS read, avg(stars) AS stars FROM book;
