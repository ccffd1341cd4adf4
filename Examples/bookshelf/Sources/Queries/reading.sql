-- All books, unread books first.
-- @query books: many, live
-- @row Book
-- @allow scans
SELECT id, title, author, finished, stars FROM book ORDER BY finished IS NOT NULL, finished, id;

-- The books that contain all of the words, best match first.
-- @query booksMatching
-- @param words: FTS5Pattern as pattern
-- @row Book
SELECT book.id, book.title, book.author, finished, stars
FROM book_text JOIN book ON book.id = book_text.rowid
WHERE book_text MATCH :words
ORDER BY rank;

-- The number of books, the number of books read, and the average rating.
-- @query summary: one
-- @row Summary
-- @allow scans
SELECT count(*) AS books, count(finished) AS read, avg(stars) AS stars FROM book;
