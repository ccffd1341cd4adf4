-- Books with their publishers, if they have one.
-- @query catalogue: many, stream, live
-- @row CatalogueItem
-- @embed book: Volume, publisher: House
SELECT book.id, book.title, book.publisher AS house, publisher.*, count(*) OVER () AS total
FROM book LEFT JOIN publisher ON publisher.id = book.publisher
ORDER BY book.id;

-- @query volume: optional
-- @row Volume
SELECT id, title, publisher AS house FROM book WHERE id = :id;

-- Books and publishers, also those without a counterpart.
-- @query volumesAndHouses
-- @embed volume, house
SELECT volume.*, house.*
FROM (SELECT id, title, publisher AS house FROM book) AS volume
  FULL JOIN publisher AS house ON house.id = volume.house
ORDER BY volume.id, house.id;

-- Members with those who referred them, and the reviews of the latter.
-- @query referrals
-- @embed member: Person, referrer: Person
-- @children reviews: reviewsBy(members: referrer.id) by member
SELECT member.id, member.name, referrer.id, referrer.name
FROM member LEFT JOIN member AS referrer ON referrer.id = member.referrer
ORDER BY member.id;

-- @query reviewsBy
-- @row Review
-- @param members: [Int] as array
SELECT id, book, member, stars FROM review WHERE member IN array(:members) ORDER BY id DESC;

-- @query reviewsOf
-- @row Review
-- @param books: [Int] as json
SELECT id, book, member, stars FROM review
WHERE book IN (SELECT value FROM json_each(:books)) ORDER BY id;

-- @query tagOfBook: optional
-- @embed tag: Keyword?
-- @column tag.value: String?
SELECT book.id, tag.value FROM book LEFT JOIN review ON review.book = book.id
  LEFT JOIN json_each(review.tags) AS tag
WHERE book.id = :id ORDER BY review.id;

-- The books of publishers, with their reviews.
-- @query booksOf
-- @row ReviewedBook
-- @param houses: [Int] as array
-- @children reviews: reviewsOf(books: id) by book
SELECT id, title, publisher FROM book
WHERE publisher IN array(:houses) AND (:since IS NULL OR year >= :since)
ORDER BY title DESC;

-- @query publishers: many, live
-- @row Publisher
-- @children books: booksOf(houses: id) by publisher
SELECT id, name FROM publisher ORDER BY name;

-- @query publisher: one
-- @row Publisher
-- @children books: booksOf(houses: id) by publisher
SELECT id, name FROM publisher WHERE id = :id;

-- @query publisherNamed: optional, live
-- @row Publisher
-- @children books: booksOf(houses: id) by publisher
SELECT id, name FROM publisher WHERE name = :name;

-- Books with all books of their publishers.
-- @query neighbours
-- @children books: booksOf(houses: publisher) by publisher
SELECT title, publisher FROM book ORDER BY id;

-- @query addPublisher: one
-- @row Publisher
-- @children books: booksOf(houses: id) by publisher
INSERT INTO publisher(name) VALUES (:name) RETURNING id, name;

-- @query namesakes
-- @children authors: authorsNamed(names: name) by name
SELECT id, name FROM publisher ORDER BY id;

-- @query authorsNamed
-- @param names: [String] as array
SELECT id, name FROM author WHERE name COLLATE NOCASE IN array(:names) ORDER BY id;

-- @query namesakesByWord
-- @column name: Word
-- @children authors: authorsWithWords(words: name) by name
SELECT id, name FROM publisher ORDER BY id;

-- @query authorsWithWords
-- @param words: [Word] as array
-- @column name: Word
SELECT id, name FROM author WHERE name IN array(:words) ORDER BY id;

-- @query firstVolumes
-- @embed Volume
SELECT Volume.id, Volume.title, Volume.publisher AS house, row_number() OVER window AS number
FROM book AS Volume WINDOW window AS (ORDER BY Volume.year) ORDER BY number;

-- Authors and publishers with the same key, also those without a counterpart.
-- @query counterparts
-- @embed author: Writer, publisher: House
SELECT author.id, author.born, publisher.*
FROM author FULL JOIN publisher USING (id) ORDER BY coalesce(author.id, publisher.id);

-- @query membersByUUID
-- @param uuids: [UUID as uuidString] as array
SELECT id FROM member WHERE uuid IN array(:uuids) ORDER BY id;

-- @query membersByOptionalUUID
-- @param uuids: [UUID? as uuidString] as array
SELECT id FROM member WHERE uuid IN array(:uuids) ORDER BY id;
