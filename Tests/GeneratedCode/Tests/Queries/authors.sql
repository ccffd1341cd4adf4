-- @query addAuthor: one
INSERT INTO author(name, born, died) VALUES (:name, :born, :died) RETURNING id;

-- @query credit
INSERT INTO book_author(book, author, role) VALUES (:book, :author, :role)
ON CONFLICT (book, author) DO UPDATE SET role = excluded.role;

-- @query author: optional
SELECT id, name, born, died FROM author WHERE id = :id;

-- @query authorInitials
SELECT initials(name) AS initials FROM author ORDER BY id;

-- How many books each author has written, also those who have none.
-- @query productivity
SELECT author.name, count(book_author.book) AS books
FROM author LEFT JOIN book_author ON book_author.author = author.id
GROUP BY author.id
ORDER BY books DESC, author.name;

-- @query pairs
SELECT a.name AS first, b.name AS second
FROM author a JOIN author b ON a.id < b.id
ORDER BY a.id, b.id;

-- @query lifespans
-- @column age: Int?
SELECT name, died - born AS age FROM author ORDER BY id;

-- @query eldest: one
SELECT name, min(born) AS born FROM author;

-- @query coauthors
WITH mine(book) AS (SELECT book FROM book_author WHERE author = :author)
SELECT DISTINCT author.name
FROM mine JOIN book_author USING (book) JOIN author ON author.id = book_author.author
WHERE author.id <> :author
ORDER BY author.name;

-- @query names
SELECT name FROM author UNION SELECT name FROM publisher ORDER BY 1;

-- @query namesAndCities
SELECT name FROM author UNION ALL SELECT city FROM publisher;
