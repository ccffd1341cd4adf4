-- Books with at least this rating, best first.
-- @query books: many, live
-- @row Book
-- @allow scans
SELECT id, title, rating FROM book WHERE rating >= :rating ORDER BY rating DESC;

-- @query addBook: one
INSERT INTO book(title, rating) VALUES (:title, :rating) RETURNING id;
