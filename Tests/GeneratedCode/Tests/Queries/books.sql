-- Books of an author, by title.
-- @query books: many, stream, live
-- @row Book
SELECT book.id, title, year, price
FROM book JOIN book_author ON book_author.book = book.id
WHERE author = :author
ORDER BY sort_title;

-- @query book: optional, live
-- @row Book
SELECT id, title, year, price FROM book WHERE id = :id;

-- @query titles
SELECT title FROM book ORDER BY sort_title LIMIT :limit OFFSET :offset;

-- The book that was added last.
-- @query newest: one
-- @row Book
SELECT id, title, year, price FROM book ORDER BY id DESC LIMIT 1;

-- @query bookCount: one, live
SELECT count(*) FROM book;

-- @query addBook: one
INSERT INTO book(title, publisher, year, price, summary)
VALUES (:title, :publisher, :year, :price, :summary)
RETURNING id;

-- @query addWholeBook: one
INSERT INTO book(title, year, is_rare) VALUES (:title, :year, :is_rare)
RETURNING id, title, year, is_rare, sort_title, decade;

-- @query setPrice
UPDATE book SET price = :price WHERE id = :id;

-- @query removeBook: changes
DELETE FROM book WHERE id = :id;

-- @query rareBooks
SELECT id, title, is_rare, decade FROM book WHERE is_rare AND year BETWEEN :from AND :to;

-- Books with their publishers, also those without.
-- @query booksWithPublisher
SELECT book.title, publisher.name AS publisher, publisher.city
FROM book LEFT JOIN publisher ON publisher.id = book.publisher
ORDER BY book.id;

-- @query publishersWithBooks
SELECT publisher.name, book.title
FROM book RIGHT JOIN publisher ON publisher.id = book.publisher
ORDER BY publisher.id, book.id;

-- @query booksAndPublishers
SELECT publisher.name, book.title
FROM book FULL JOIN publisher ON publisher.id = book.publisher
ORDER BY 1, 2;

-- @query withoutSummary
SELECT id, coalesce(summary, '') AS summary, summary IS NULL AS is_missing FROM book;

-- @query priceClass
SELECT title, CASE WHEN price > 100 THEN 'dear' WHEN price > 10 THEN 'fair' ELSE 'cheap' END AS class
FROM book ORDER BY id;

-- @query cheaper: many
SELECT title FROM book WHERE (:price IS NULL OR price < :price) ORDER BY id;


-- @query numberedTitles
-- @row NumberedTitle: shared
SELECT id, title FROM book ORDER BY id;
