-- Returns a row by its key.
-- @query sampleOf: optional
-- @row SampleRow
SELECT id, value, label FROM sample WHERE id = :id;

-- @query samples
-- @row SampleRow
SELECT id, value, label FROM sample;
