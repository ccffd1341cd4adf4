-- @query firstRow
SELECT name FROM author;

-- @query another
-- @row Named
SELECT id, name FROM author;

-- @query otherSharedRow
-- @row Shared: shared
SELECT id, title FROM book;

-- @query streamMade
SELECT name FROM author;

-- @query rowOfAnother
-- @row RefusedNameRow
SELECT id, name FROM author;
