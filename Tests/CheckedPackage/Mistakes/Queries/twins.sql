-- @query firstRow
SELECT name FROM author;

-- @query another
-- @row Named
SELECT id, name FROM author;
