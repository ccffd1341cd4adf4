-- Keeps the title of a book that is going to be removed.
-- @query archiveBook
INSERT INTO archive.removed_book(id, title, removed)
SELECT id, title, :now FROM main.book WHERE id = :id;

-- @query removedSince
SELECT title, removed FROM archive.removed_book WHERE removed >= :time;

-- Books that are there, and those that are not there any more.
-- @query allTitles: many, live
-- @row NumberedTitle: shared
SELECT id, title FROM book UNION ALL SELECT id, title FROM archive.removed_book ORDER BY id;
