-- @query ranking
SELECT title,
  rank() OVER (ORDER BY price DESC) AS rank,
  lag(title) OVER (ORDER BY price DESC) AS dearer,
  avg(price) OVER () AS average
FROM book ORDER BY 2, 1;

-- @query runningTotal
SELECT id, cents, sum(cents) OVER (ORDER BY id) AS total FROM fine ORDER BY id;

-- @query statistics: one
SELECT count(*) AS books, min(year) AS first, max(year) AS last, avg(price) AS average,
  sum(year) AS years, group_concat(title) AS titles
FROM book;

-- @query priceProduct: one
SELECT product(price) FROM book;

-- @query busiest
WITH lent(copy, times) AS (SELECT copy, count(*) FROM loan GROUP BY copy)
SELECT book.title, coalesce(sum(times), 0) AS times
FROM book LEFT JOIN copy ON copy.book = book.id LEFT JOIN lent ON lent.copy = copy.id
GROUP BY book.id ORDER BY 2 DESC, 1;

-- @query perBranch
SELECT branch.name,
  (SELECT count(*) FROM copy WHERE copy.branch = branch.id) AS copies,
  (SELECT title FROM book WHERE id = (SELECT max(book) FROM copy WHERE branch = branch.id)) AS newest
FROM branch ORDER BY branch.id;

-- @query addReview: one
INSERT INTO review(book, member, stars, text, tags) VALUES (:book, :member, :stars, :text, :tags)
RETURNING id;

-- @query reviews
SELECT stars, text, tags, member.name FROM review LEFT JOIN member ON member.id = review.member
WHERE book = :book ORDER BY review.id;

-- @query tagCounts
-- @column tag: String
SELECT tag.value AS tag, count(*) AS count
FROM review, json_each(review.tags) AS tag GROUP BY tag.value ORDER BY 2 DESC, 1;

-- @query titlesByID
-- @param ids: [Int] as array
SELECT title FROM book WHERE id IN array(:ids) ORDER BY id;

-- @query titlesByJSON
-- @param ids: [Int] as json
SELECT title FROM book WHERE id IN (SELECT value FROM json_each(:ids)) ORDER BY id;

-- @query titlesLike
SELECT title FROM book WHERE title LIKE :pattern ORDER BY id;

-- @query titlesWith
SELECT title FROM book WHERE title LIKE '%' || :part || '%' ORDER BY id;

-- @query titlesAbout
-- @param words: FTS5Pattern as pattern
-- @column title: String
SELECT title FROM book_text WHERE book_text MATCH :words ORDER BY rowid;

-- @query oppositeYears
SELECT -year AS opposite FROM book ORDER BY id;

-- @query sameInstants
-- @param day: Date as sqlite
-- @param others: [Date as sqlite] as array
-- @column day: Date as sqlite
-- @column none: Date? as sqlite
-- @column julian: Date as julianDay
SELECT :day AS day, NULL AS none, julianday(:day) AS julian
WHERE :day IN array(:others) AND typeof(:day) = 'text';
