import SluiceTesting

/// Texts by rules, in which `<name>` stands for one of the texts that the rule of this name has.
struct Grammar {
  let rules: [String: [String]]
  /// How deep rules nest before each takes its first text, which has none in it.
  let depth: Int

  func text(_ name: String, _ random: inout SeededGenerator, _ level: Int = 0) -> String {
    let choices = rules[name] ?? []
    guard let first = choices.first else { return name }
    let choice = level >= depth ? first : random.one(of: choices)
    var result = ""
    var rest = choice[...]
    while let start = rest.firstIndex(of: "<"), let end = rest[start...].firstIndex(of: ">") {
      let name = String(rest[rest.index(after: start)..<end])
      result += rest[..<start]
      // A sign of comparison is no name of a rule.
      if rules[name] == nil {
        result += "<"
        rest = rest[rest.index(after: start)...]
      } else {
        result += text(name, &random, level + 1)
        rest = rest[rest.index(after: end)...]
      }
    }
    return result + rest
  }
}

extension Grammar {
  /// Statements for the tables of ``SQLFuzzer``, of which nearly all are right.
  static let sql = Grammar(
    rules: [
      "statement": [
        "<select>", "<select>", "<select>", "<cte><select>", "<write>", "<write>", "<write>",
        "<schema>", "<transaction>", "<cte><write>", "PRAGMA <pragma>",
      ],
      "select": [
        "SELECT <e> FROM <t>", "SELECT <items> FROM <from><where><group><order><limit>",
        "SELECT <items> FROM <from><where><group> <set> SELECT <e> FROM <t> LIMIT <e>",
        "VALUES (<e>), (<e>)",
        "SELECT <e>, <window> OVER (<partition> <frame>) FROM <t>",
        "SELECT DISTINCT <items> FROM <from><where>",
      ],
      "items": ["*", "<e>", "<e>, <e>", "<e> AS x, <e> AS x", "<agg>", "<agg>, <e>"],
      "set": ["UNION", "UNION ALL", "EXCEPT", "INTERSECT"],
      "t": ["a", "c", "w", "v"],
      "from": [
        "a", "c", "w", "v", "a, c", "a JOIN c ON c.a = a.id", "c LEFT JOIN a ON <e>",
        "(<select>) AS a",
        "a FULL JOIN c USING (id)", "json_each(<e>)", "v NATURAL JOIN a",
      ],
      "where": ["", "", " WHERE <e>", " WHERE id IN (<select>)", " WHERE t LIKE <e> ESCAPE '!'"],
      "group": ["", "", "", " GROUP BY <e>", " GROUP BY 1 HAVING <agg>"],
      "order": [
        "", "", " ORDER BY 1", " ORDER BY <e> DESC NULLS LAST", " ORDER BY <e> COLLATE NOCASE",
      ],
      "limit": ["", "", " LIMIT <e>", " LIMIT 3 OFFSET <e>"],
      "cte": [
        "WITH q(x) AS (SELECT <e>) ",
        "WITH RECURSIVE q(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM q WHERE x < <e>) ",
        "WITH q AS MATERIALIZED (<select>) ",
      ],
      "window": ["row_number()", "sum(<e>)", "lag(<e>)", "ntile(<e>)", "group_concat(<e>)"],
      "partition": ["", "PARTITION BY <e>", "ORDER BY <e>", "PARTITION BY t ORDER BY id"],
      "frame": ["", "ROWS <e> PRECEDING", "ROWS BETWEEN 1 PRECEDING AND <e> FOLLOWING"],
      "agg": [
        "count(*)", "sum(<e>)", "max(<e>)", "avg(<e>) FILTER (WHERE <e>)", "total(DISTINCT <e>)",
      ],
      "e": [
        "<leaf>", "<leaf>", "<leaf>", "<e> <op> <e>", "<f>", "(<e>)", "- <e>", "NOT <e>", "~ <e>",
        "CASE WHEN <e> THEN <e> ELSE <e> END", "<e> BETWEEN <e> AND <e>", "<e> IN (<e>, <e>)",
        "<e> IS NULL",
        "CAST(<e> AS <type>)", "EXISTS (<select>)", "(<select>)", "<e> COLLATE NOCASE",
        "(<e>, <e>) < (<e>, <e>)", "<e> GLOB <e>", "RAISE(IGNORE)",
      ],
      "leaf": [
        "id", "n", "t", "r", "b", "a.id", "c.t", "k", "l", "x", "?", "?2", ":name", "@at", "$cash",
        "NULL", "0", "1",
        "-1", "9223372036854775807", "-9223372036854775808", "9e999", "0.5", "'x'", "''", "x'00ff'",
        "x''",
        "'a' || char(0) || 'b'", "CAST(x'c080ff' AS TEXT)", "zeroblob(5)", "rowid",
        "CURRENT_DATE IS NULL", "1e-400",
      ],
      "op": [
        "+", "-", "*", "/", "%", "||", "=", "<>", "<", ">=", "IS", "IS NOT", "AND", "OR", "&", "|",
        "<<", ">>",
        "LIKE", "->", "->>",
      ],
      "f": [
        "abs(<e>)", "length(<e>)", "substr(<e>, <e>, <e>)", "hex(<e>)", "quote(<e>)",
        "round(<e>, <e>)",
        "replace(<e>, <e>, <e>)", "instr(<e>, <e>)", "printf(<e>, <e>)", "coalesce(<e>, <e>)",
        "typeof(<e>)",
        "upper(<e>)", "trim(<e>, <e>)", "unicode(<e>)", "char(<e>)", "zeroblob(<e>)", "json(<e>)",
        "json_array(<e>)",
        "json_extract(<e>, '$.a')", "min(<e>, <e>)", "iif(<e>, <e>, <e>)", "nullif(<e>, <e>)",
        "changes()",
        "date(<e>, 'unixepoch')", "last_insert_rowid()", "likely(<e>)", "group_concat(<e>)",
        "strftime('%s', <e>)",
      ],
      "type": ["INTEGER", "TEXT", "REAL", "BLOB", "NUMERIC"],
      "write": [
        "INSERT <or>INTO c(a, t) VALUES (<e>, <e>)<returning>",
        "INSERT <or>INTO a(id, n, t, r, b) VALUES (<e>, <e>, <e>, <e>, <e>)<upsert><returning>",
        "INSERT <or>INTO w(k, l) <select>", "REPLACE INTO w VALUES (<e>, <e>)",
        "UPDATE <or>a SET n = <e>, b = <e><where><returning>",
        "UPDATE c SET t = <e> FROM a WHERE <e>",
        "DELETE FROM c<where><returning>", "DELETE FROM a<where>", "DELETE FROM w",
        "INSERT INTO a DEFAULT VALUES", "UPDATE a SET (n, t) = (<select>)",
      ],
      "or": ["", "", "OR IGNORE ", "OR REPLACE ", "OR ABORT ", "OR FAIL ", "OR ROLLBACK "],
      "upsert": [
        "", "", " ON CONFLICT DO NOTHING", " ON CONFLICT(id) DO UPDATE SET t = excluded.t || <e>",
      ],
      "returning": ["", "", " RETURNING *", " RETURNING <e>"],
      "schema": [
        "CREATE TABLE IF NOT EXISTS x(x, y DEFAULT (<e>))", "CREATE INDEX i ON a(<e>)",
        "DROP INDEX i",
        "ALTER TABLE a ADD COLUMN y AS (<e>)", "ALTER TABLE a RENAME COLUMN n TO m", "DROP TABLE x",
        "REINDEX",
        "CREATE TEMP TABLE y AS <select>", "CREATE VIEW x AS <select>", "DROP TABLE c", "ANALYZE",
        "VACUUM",
        "CREATE TRIGGER y AFTER INSERT ON c BEGIN <write>; END", "ALTER TABLE c DROP COLUMN t",
        "CREATE TABLE z(<e> PRIMARY KEY) WITHOUT ROWID", "ATTACH '' AS y", "DETACH y",
      ],
      "transaction": [
        "BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT s", "RELEASE s", "ROLLBACK TO s",
        "BEGIN IMMEDIATE", "END",
      ],
      "pragma": [
        "foreign_key_check", "table_info(a)", "foreign_keys", "user_version = <leaf>",
        "defer_foreign_keys = 1",
        "recursive_triggers = 1", "index_list(a)", "count_changes", "quick_check",
      ],
    ], depth: 6)
}
