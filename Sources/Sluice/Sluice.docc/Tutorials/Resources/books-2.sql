-- The unread books, oldest entry first.
-- @query unreadBooks: many
-- @row Book
SELECT id, title, author FROM book WHERE finished IS NULL ORDER BY id;

-- @query addBook: one
INSERT INTO book(title, author) VALUES (:title, :author) RETURNING id;
