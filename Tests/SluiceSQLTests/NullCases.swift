import TestSupport

/// Queries and the nullability of their columns: `?` can be NULL, `!` cannot.
enum NullCases {
  static let all: [(String, String)] =
    keys + joins + aggregates + expressions + composed + writes + byVersion

  static let byVersion =
    [("SELECT u OR 1 FROM b", SQLiteVersion.orOneIsTrue ? "!" : "?")]
    + (SQLiteVersion.sortsArguments
      ? [
        ("SELECT json_group_array(t ORDER BY id), count(*) FROM a", "!!"),
        ("SELECT t, json_group_array(json_array(n) ORDER BY n) FROM a GROUP BY t", "!!"),
      ] : [])

  static let keys = [
    ("SELECT id, n, t, r, g, s FROM a", "!?!??!"),
    ("SELECT rowid, oid FROM a", "!!"),
    ("SELECT k, l, v FROM w", "!!?"),
    ("SELECT v, k FROM w WHERE v IS NULL", "?!"),
    ("SELECT id, v FROM descending", "??"),
    ("SELECT id, rowid FROM short", "?!"),
    ("SELECT k FROM word", "?"),
    ("SELECT id, i, r, t, o FROM st", "!!!??"),
    ("SELECT x, y FROM loose", "?!"),
    ("SELECT rowid, title FROM f", "!?"),
    ("SELECT id, t, u FROM other.o", "!!?"),
    ("SELECT id, t, u FROM tt", "!!?"),
    ("SELECT t FROM a ORDER BY t", "!"),
    ("SELECT t, n FROM a INDEXED BY a_n WHERE n > 0", "!?"),
    ("SELECT lower(u), id FROM b INDEXED BY b_e WHERE lower(u) > ''", "?!"),
    ("SELECT n + 1, lower(t), CAST(m AS REAL) FROM a INDEXED BY a_e WHERE n + 1 > 0", "?!!"),
    ("SELECT coalesce(t, 'a, b'), -i FROM st INDEXED BY st_e WHERE i > 0", "!!"),
    ("SELECT type, name FROM sqlite_schema", "??"),
  ]

  static let joins = [
    ("SELECT a.t, b.t FROM a JOIN b ON b.a = a.id", "!!"),
    ("SELECT a.t, b.t, b.id FROM a LEFT JOIN b ON b.a = a.id", "!??"),
    ("SELECT a.t, b.t FROM a RIGHT JOIN b ON b.a = a.id", "?!"),
    ("SELECT a.t, b.t FROM a FULL JOIN b ON b.a = a.id", "??"),
    ("SELECT a.id, b.id, st.id FROM a LEFT JOIN b ON b.a = a.id JOIN st ON st.id = a.id", "!?!"),
    ("SELECT a.id, b.id, st.id FROM a LEFT JOIN (b JOIN st ON st.id = b.id) ON b.a = a.id", "!??"),
    ("SELECT a.t, o.t FROM a LEFT JOIN other.o ON o.id = a.id", "!?"),
    ("SELECT x.t, y.t FROM a x LEFT JOIN a y ON y.id = x.n", "!?"),
    ("SELECT a.t, c.z FROM a LEFT JOIN (SELECT id, 1 AS z FROM b) c ON c.id = a.id", "!?"),
    (
      "SELECT a.t, c.z FROM a LEFT JOIN (SELECT a AS i, count(*) AS z FROM b GROUP BY a) c ON c.i = a.id",
      "!?"
    ),
    ("SELECT t, bt FROM va", "!?"),
    ("SELECT id, t FROM vb", "!!"),
    ("SELECT a.id, vb.t FROM a LEFT JOIN vb ON vb.id = a.id", "!?"),
    ("SELECT id FROM a NATURAL LEFT JOIN st", "!"),
    ("SELECT id FROM a FULL JOIN st USING (id)", "?"),
    ("SELECT a.rowid, b.rowid FROM a LEFT JOIN b ON 0", "!?"),
    ("SELECT w.k, a.id FROM a LEFT JOIN w ON w.k = a.t", "?!"),
    ("SELECT f.rowid, a.id FROM a LEFT JOIN f ON f.rowid = a.id", "?!"),
    ("SELECT b.t FROM a LEFT JOIN b ON b.a = a.id WHERE b.t > ''", "!"),
  ]

  static let aggregates = [
    (
      "SELECT count(*), count(n), sum(n), total(n), avg(n), min(t), max(t), group_concat(t) FROM a",
      "!!??????"
    ),
    ("SELECT id, max(n) FROM a", "??"),
    ("SELECT t, count(*), max(t), min(id), sum(id) FROM a GROUP BY t", "!!!!!"),
    ("SELECT t, max(n), id FROM a GROUP BY t", "!?!"),
    ("SELECT n, count(*), sum(i) FROM a JOIN st ON st.id = a.id GROUP BY n", "?!!"),
    (
      "SELECT sum(i), sum(r), total(i), total(r), avg(i), avg(r), max(r) FROM st GROUP BY id",
      "!?!?!?!"
    ),
    ("SELECT sum(i), total(i), count(i) FROM st", "?!!"),
    (
      "SELECT t, max(t) FILTER (WHERE n > 0), count(*) FILTER (WHERE n > 0) FROM a GROUP BY t",
      "!?!"
    ),
    ("SELECT id, max(t) FILTER (WHERE 0) FROM a GROUP BY n", "!?"),
    ("SELECT t FROM a GROUP BY t HAVING count(*) > 1", "!"),
    ("SELECT t, c, x FROM vc", "?!?"),
    ("SELECT DISTINCT t, n FROM a", "!?"),
    ("SELECT count(DISTINCT n), max(DISTINCT t) FROM a", "!?"),
    ("SELECT json_group_array(n), json_group_object(t, n) FROM a", "!!"),
    (
      "SELECT row_number() OVER w, rank() OVER w, lag(t) OVER w, first_value(t) OVER w, sum(n) OVER w FROM a WINDOW w AS (ORDER BY id)",
      "!!???"
    ),
    (
      "SELECT count(*) OVER (), max(t) OVER (), max(t) OVER (ORDER BY id ROWS BETWEEN 2 FOLLOWING AND 3 FOLLOWING) FROM a",
      "!!?"
    ),
    (
      "SELECT count(*) OVER w, sum(id) OVER w FROM a"
        + " WINDOW w AS (ORDER BY id ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING)", "!?"
    ),
    ("SELECT t, max(x) FROM (SELECT t, id AS x FROM a) GROUP BY t", "!!"),
    ("SELECT min(t), n FROM a GROUP BY n ORDER BY min(t)", "!?"),
  ]

  static let expressions = [
    ("SELECT NULL, 1, 'x', 1.5, x'00', :p", "?!!!!?"),
    ("SELECT coalesce(n, 0), ifnull(n, r), coalesce(n, r, t), nullif(t, 'x') FROM a", "!?!?"),
    (
      "SELECT CASE WHEN n > 0 THEN 1 ELSE 2 END, CASE n WHEN 1 THEN 2 END, iif(n, t, 'x') FROM a",
      "!?!"
    ),
    (
      "SELECT n + 1, i + 1, i * i, i / i, i % 2, r - r, r * 0, -i, i + r FROM st JOIN a USING (id, r)",
      "?!!????!!"
    ),
    ("SELECT i + 1, i - i, i * i, i / 2, r + 1, r - r, r * i, -i, -r FROM st", "!!!?!??!!"),
    ("SELECT m + 1, m - m, m * 0, m || '', -m FROM a", "!??!!"),
    ("SELECT t || t, t || n, t = 'x', n = 1, n IS 1, n IS NULL, n NOTNULL FROM a", "!?!?!!!"),
    (
      "SELECT n IN (1, 2), id IN (1, 2), id IN (1, NULL), id IN (SELECT n FROM a), id IN (SELECT id FROM b) FROM a",
      "?!??!"
    ),
    (
      "SELECT EXISTS (SELECT 1 FROM b), (SELECT t FROM b WHERE id = a.id), (SELECT count(*) FROM b) FROM a",
      "!?!"
    ),
    (
      "SELECT lower(t), lower(u), length(t), substr(t, 1), typeof(u), quote(u), hex(u), abs(id) FROM b",
      "!?!?!!??"
    ),
    ("SELECT max(id, 1), max(id, a), min(t, 'x'), t LIKE 'x%', u LIKE 'x%' FROM b", "???!?"),
    ("SELECT CAST(t AS INTEGER), CAST(u AS TEXT), NOT id, NOT a, t AND t FROM b", "!?!?!"),
    (
      "SELECT json_extract(u, '$.x'), json_valid(t), t ->> '$', date(t), datetime('now'), random() FROM b",
      "?!???!"
    ),
    (
      "SELECT id BETWEEN 1 AND 2, a BETWEEN 1 AND 2, id & 1, ~id, id << 1, unicode(t), char(65) FROM b",
      "!?!!!??"
    ),
    ("SELECT printf('%s', t), format(''), group_concat(t, NULL) FROM b GROUP BY id", "???"),
  ]

  static let composed = [
    ("SELECT t FROM a UNION SELECT t FROM b", "!"),
    ("SELECT t FROM a UNION ALL SELECT u FROM b", "?"),
    ("SELECT t, 1 FROM a UNION ALL SELECT 'x', NULL", "!?"),
    ("SELECT t FROM a EXCEPT SELECT u FROM b", "!"),
    ("SELECT u FROM b INTERSECT SELECT t FROM a", "?"),
    ("SELECT t FROM a UNION SELECT u FROM b ORDER BY 1", "?"),
    ("SELECT * FROM (SELECT t FROM a UNION ALL SELECT NULL)", "?"),
    ("SELECT * FROM (SELECT id, t FROM a ORDER BY n LIMIT 2)", "!!"),
    ("WITH c AS (SELECT id, t, n FROM a) SELECT * FROM c", "!!?"),
    (
      "WITH c AS MATERIALIZED (SELECT id, t, n FROM a) SELECT x.id, y.t FROM c x LEFT JOIN c y ON y.id = x.n",
      "!?"
    ),
    (
      "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 5) SELECT i FROM c",
      "!"
    ),
    (
      "WITH RECURSIVE c(i, s) AS (SELECT id, t FROM a UNION SELECT i + 1, s || 'x' FROM c WHERE i < 9) SELECT i, s FROM c",
      "!!"
    ),
    (
      "WITH RECURSIVE c(i, s) AS (SELECT 1, 'x' UNION ALL SELECT i + 1, NULL FROM c WHERE i < 3) SELECT * FROM c",
      "!?"
    ),
    ("VALUES (1, 'x'), (2, NULL)", "!?"),
    ("SELECT column1, column2 FROM (VALUES (1, 'x'), (2, 'y'))", "!!"),
    ("SELECT value, key, id FROM json_each('[null, 1]')", "???"),
    ("SELECT t FROM a WHERE id = :p AND n IN (:q, :r) LIMIT :l", "!"),
    ("SELECT (SELECT max(id) FROM b WHERE b.a = a.id), t FROM a ORDER BY 1", "?!"),
    (
      "SELECT x.t, y.c FROM a x JOIN (SELECT a, count(*) AS c FROM b GROUP BY a) y ON y.a = x.id",
      "!!"
    ),
  ]

  static let writes = [
    ("INSERT INTO b(a, t, u) VALUES (1, 'x', 'y') RETURNING id, a, t, u", "!?!?"),
    ("INSERT INTO b(a, t) SELECT id, t FROM a RETURNING id, a, t, u, t || u", "!?!??"),
    (
      "INSERT INTO b(id, t) VALUES (1, 'x') ON CONFLICT (id) DO UPDATE SET u = excluded.t RETURNING *",
      "!?!?"
    ),
    ("INSERT OR REPLACE INTO b(id, t) VALUES (1, 'x') RETURNING *", "!?!?"),
    ("INSERT OR IGNORE INTO b(id, t) VALUES (1, NULL), (9, 'x') RETURNING *", "!?!?"),
    ("UPDATE b SET u = 'x' RETURNING id, a, t, u", "!?!?"),
    ("UPDATE b SET t = coalesce(u, t) RETURNING id, t", "!!"),
    ("UPDATE b SET u = a.t FROM a WHERE a.id = b.a RETURNING b.id, b.u, b.t", "!?!"),
    ("DELETE FROM b WHERE a IS NULL RETURNING id, a, t", "!?!"),
    ("INSERT INTO w VALUES ('m', 1, NULL) RETURNING k, l, v", "!!?"),
    ("UPDATE w SET v = 'x' RETURNING k, l, v", "!!?"),
    ("INSERT INTO short VALUES (NULL, 1) RETURNING id", "?"),
    ("INSERT INTO a(t, m) VALUES ('q', 1) RETURNING id, n, t, g, s", "!?!?!"),
    ("INSERT INTO st VALUES (NULL, 1, 2, 't', NULL) RETURNING id, i, r, t, o", "!!!??"),
    ("INSERT INTO d DEFAULT VALUES RETURNING id, n, f, c, x, e, g, h", "!!???!?!"),
    ("INSERT INTO vi VALUES (NULL, NULL) RETURNING id, t", "??"),
    ("DELETE FROM vi RETURNING id, t", "!!"),
    ("INSERT INTO f(title) VALUES ('x') RETURNING rowid, body", "!?"),
  ]
}
