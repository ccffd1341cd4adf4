-- Each query makes one mistake, but for some that make two.

-- @query unknownColumn
SELECT id, titel FROM book;

-- @query unknownColumnOfAlias
SELECT b.id,
  b.autor
FROM book AS b;

-- @query unknownTable
SELECT * FROM boook;

-- @query unknownFunction
SELECT uper(name) FROM author;

-- @query functionOfTheProgram
SELECT soundsLike(name) FROM author;

-- @query wrongArgumentCount
SELECT upper(name, 1) FROM author;

-- @query unknownCollation
SELECT name FROM author ORDER BY name COLLATE localized;

-- @query syntax
SELECT id, FROM book;

-- @query incomplete
SELECT id FROM book WHERE;

-- @query unknownColumnToInsert
INSERT INTO author(nane) VALUES (:name);

-- @query unknownTableToUpdate
UPDATE autor SET name = 'x';

-- @query unknownColumnToSet
UPDATE author SET nmae = 'x';

-- @query tooManyValues
INSERT INTO author(id, name) VALUES (1, 'x', 2);

-- @query ambiguous
SELECT id FROM author JOIN book ON book.author = author.id;

-- @query misusedAggregate
SELECT name FROM author WHERE count(*) > 1;

-- @query differentWidths
SELECT id, name FROM author UNION SELECT id FROM book;

-- @query quotedString
SELECT name FROM author WHERE name = "x";

-- @query cannotChange
UPDATE words SET rowid = 1, txt = 'x';

SELECT 'a query without a name';

-- @query twice
SELECT name FROM author;

-- @query twice
SELECT title FROM book;

-- @query
SELECT 1 AS one;

-- @query two words
SELECT 1 AS one;

-- @query 1st
SELECT 1 AS one;

-- @querry misspelt
SELECT 1 AS one;

-- @query misspeltForm: mny
SELECT name FROM author;

-- @query unknownForm: everything
SELECT name FROM author;

-- @query bothForms: one, many
SELECT name FROM author;

-- @query formTwice: stream, stream
SELECT name FROM author;

-- @query countsRows: changes
SELECT name FROM author;

-- @query returnsRows: many
DELETE FROM author;

-- @query liveWrite: live
DELETE FROM author RETURNING id;

-- @query unknownParameter
-- @param nam: String
SELECT id FROM author WHERE name = :name;

-- @query unknownResult
-- @column nme: String
SELECT name FROM author;

-- @query noType
-- @param name
SELECT id FROM author WHERE name = :name;

-- @query notAType
-- @param name: Str ing]
SELECT id FROM author WHERE name = :name;

-- @query parameterTwice
-- @param name: String
-- @param name: String
SELECT id FROM author WHERE name = :name;

-- @query numberedParameter
SELECT id FROM author WHERE name = ?1;

-- @query namelessParameter
SELECT id FROM author WHERE name = ?;

-- @query sameLabels
SELECT id FROM book WHERE id = :book_id OR author = :bookId;

-- @query untoldParameter
SELECT name FROM author WHERE :x;

-- @query mixedParameter
SELECT name FROM author WHERE id = :x OR name = :x;

-- @query untoldColumn
SELECT id, :value AS value FROM author;

-- @query mixedColumn
SELECT name FROM author UNION SELECT id FROM author;

-- @query undeclaredColumn
SELECT title, added FROM book;

-- @query undeclaredParameter
SELECT title FROM book WHERE added > :since;

-- @query namelessColumn
SELECT id, count(*) FROM book GROUP BY id;

-- @query columnsOfOneName
SELECT author.id, book.id FROM author JOIN book ON book.author = author.id;

-- @query refusedName
SELECT id, name AS self FROM author;

-- @query firstRow
-- @row Named
SELECT id, name FROM author;

-- @query secondRow
-- @row Named
SELECT id, title FROM book;

-- @query noRowName
-- @row
SELECT id FROM author;

-- @query badRowName
-- @row An Author
SELECT id FROM author;

-- @query misplaced
-- @collation localized
SELECT id FROM author;

-- @query inside
SELECT id
-- @column id: Int64
FROM author;

-- @query explained
EXPLAIN SELECT id FROM author;

-- @query scans
-- @warn scans
SELECT name FROM author WHERE born = :born;

-- @query wrongWarning
-- @warn everything
SELECT name FROM author;

-- @query nothingToDo: nothing
SELECT name FROM author;

-- @query ünïcode
SELECT 'ä', nme FROM author;

-- @query query
SELECT name FROM author;

-- @query rowOfSwift
-- @row String
SELECT id, name FROM author;

-- @query misspeltShared
-- @row Other: shred
SELECT id, name FROM author;

-- @query sharedRow
-- @row Shared: shared
SELECT id, name FROM author;

-- @query unknownDatabase
SELECT name FROM archive.author;

-- @query unknownDatabaseToWrite
DELETE FROM archive.author;

-- @query emptyStatement
;

-- @query made: many, live, stream
SELECT name FROM author;

-- @query observeMade
SELECT name FROM author;

-- @query Made
SELECT name FROM author;

-- @query suspend
SELECT name FROM author;

-- @query setting
PRAGMA main.foreign_keys = 0;

-- @query selfAndSelf
SELECT id AS self, name AS "Self" FROM author;

-- @query neededByTheRow
SELECT id, name AS CodingKeys FROM author;

-- @query neededByTheFunction
SELECT id FROM author WHERE name = :Statements;

-- @query theRow
-- @row Author
SELECT id, name FROM author WHERE name = :Author;

-- @query smallRow
-- @row author
SELECT id, name FROM author;

-- Ask
-- @somebody about it.
-- @query prose
SELECT name FROM author;

/* One query that is not there any more:
-- @query former
*/
SELECT name FROM author;

-- @query last
