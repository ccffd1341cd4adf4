-- @query search
SELECT book.id, book.title, snippet(book_text, 1, '[', ']', '…', 8) AS extract
FROM book_text JOIN book ON book.id = book_text.rowid
WHERE book_text MATCH :words
ORDER BY rank LIMIT :limit;

-- @query addText
INSERT INTO book_text(rowid, title, summary) VALUES (:id, :title, :summary);

-- @query log: one
INSERT INTO event(kind, payload, at) VALUES (:kind, :payload, :at) RETURNING id, at;

-- @query eventSubjects
-- @column subject: String?
SELECT id, payload ->> 'subject' AS subject, json_valid(payload) AS valid FROM event ORDER BY id;

-- @query events
SELECT id, kind, payload, at FROM event WHERE kind IN (:first, :second) AND at >= :since ORDER BY at;

-- @query set
INSERT INTO setting(key, value) VALUES (:key, :value)
ON CONFLICT (key) DO UPDATE SET value = excluded.value;

-- @query setting: optional
SELECT value FROM setting WHERE key = :key;

-- @query settings
SELECT key, value FROM setting ORDER BY key;

-- @query forgetEvents
DELETE FROM event WHERE at < :before RETURNING id;

-- @query clearTemporary: nothing
DELETE FROM setting WHERE key LIKE 'temporary.%';
