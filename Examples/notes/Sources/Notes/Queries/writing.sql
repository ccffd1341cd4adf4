-- Returns the ID of the notebook with this name, which is created if it does not exist.
-- @query notebookID: one
INSERT INTO notebook(name) VALUES (:name) ON CONFLICT (name) DO UPDATE SET name = name RETURNING id;

-- Adds a number of notes to the size of a notebook.
-- @query resizeNotebook: nothing
UPDATE notebook SET size = size + :change WHERE id = :id;

-- @query addNote: one
-- @row Note: shared
INSERT INTO note(notebook, title, body) VALUES (:notebook, :title, :body)
RETURNING id, notebook, title, body, version;

-- Updates a note if it still has this version.
-- @query updateNote: optional
-- @row Note: shared
UPDATE note SET title = :title, body = :body, version = version + 1
WHERE id = :id AND version = :version
RETURNING id, notebook, title, body, version;

-- @query moveNote: optional
-- @row Note: shared
UPDATE note SET notebook = :notebook, version = version + 1 WHERE id = :id
RETURNING id, notebook, title, body, version;

-- @query removeNote
DELETE FROM note WHERE id = :id;
