-- The note with this ID.
-- @query note: optional
-- @row Note: shared
SELECT id, notebook, title, body, version FROM note WHERE id = :id;

-- All notes, for the index in memory.
-- @query allNotes
-- @row Note: shared
-- @allow scans
SELECT id, notebook, title, body, version FROM note ORDER BY id;

-- Some of the notes, the newest first.
-- @query newestNotes: many, live
-- @param limit: Int
-- @param offset: Int
-- @row Note: shared
-- @allow scans
SELECT id, notebook, title, body, version FROM note ORDER BY id DESC LIMIT :limit OFFSET :offset;

-- @query noteCount: one
-- @allow scans
SELECT count(*) FROM note;

-- All notebooks in the order of their names.
-- @query notebooks
-- @row Notebook
-- @allow scans
SELECT id, name, size FROM notebook ORDER BY name;
