-- The unread books, oldest entry first.
-- @query unreadBooks: many, live
-- @row Book
SELECT id, title, author FROM book WHERE finished IS NULL ORDER BY id;

-- @query addBook: one
INSERT INTO book(title, author) VALUES (:title, :author) RETURNING id;

-- @query finishBook: changes
UPDATE book SET finished = datetime(), rating = :rating WHERE id = :id AND finished IS NULL;

-- The rated books, best first.
-- @query ratedBooks: many
SELECT title, rating FROM book WHERE rating IS NOT NULL ORDER BY rating DESC, id;
