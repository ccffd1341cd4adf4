import SluiceTesting

/// A generator of statements that the schema of ``StandIn`` can compile.
///
/// Comments, white space and the case of words vary, and parameters have any form.
struct RandomStatement {
  private var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  private mutating func pick(_ parts: [String]) -> String {
    parts.randomElement(using: &random) ?? ""
  }

  private mutating func chance(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &random) < percent
  }

  /// White space, often with a comment.
  private mutating func blank() -> String {
    chance(80)
      ? " "
      : pick([
        "\n", " /* , ) ' */ ", "\t--  \" ( returning\n", " /**/ ", "  ", " /*limit*/\n", "\r\n",
        "\u{0c}",
        " /* é */ ", " -- ;\n",
      ])
  }

  /// Returns words with other white space, and other case.
  private mutating func spaced(_ text: String) -> String {
    text.split(separator: " ", omittingEmptySubsequences: false)
      .map { word in chance(20) ? word.lowercased() : String(word) }
      .reduce("") { $0.isEmpty ? $1 : $0 + blank() + $1 }
  }

  private mutating func parameter() -> String {
    pick([
      "?", "?", "?1", "?2", "?7", "?012", ":a", ":b", "@a", "$a", "$a::b", "$a(x)", ":é",
      "$b::(;')",
    ])
  }

  private mutating func value(_ depth: Int = 0) -> String {
    guard depth < 3, chance(50) else {
      return pick([
        "1", "-2.5", "'it''s'", "x'00ff'", "NULL", "''", "'RETURNING;'", "1e+3", "0x1F", ".5",
        parameter(),
        parameter(), "CURRENT_DATE IS NULL",
      ])
    }
    let (first, second) = (value(depth + 1), value(depth + 1))
    return pick([
      "(\(first))", "\(first) + \(second)", "\(first) || \(second)",
      "coalesce(\(first), \(second))",
      "CASE WHEN \(first) THEN \(second) END", "\(first) IS NOT DISTINCT FROM \(second)",
      "\(first) IN (\(second), 3)",
      "(SELECT \(first) LIMIT 1)", "EXISTS (SELECT \(first) FROM event)", "CAST(\(first) AS TEXT)",
      "\(first) BETWEEN \(second) AND 3", "'[1]' -> '$'", "NOT \(first)", "\(first) ISNULL",
      "\(first) COLLATE NOCASE", "(SELECT born FROM person ORDER BY ifnull(\(first), 0))",
    ])
  }

  private mutating func columns(_ names: [String], star: [String]) -> String {
    var items: [String] = []
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let item = chance(60) ? pick(names) : chance(20) ? pick(star) : value()
      guard !item.hasSuffix("*"), chance(40) else {
        items.append(item)
        continue
      }
      items.append(
        item + " " + pick(["AS ", "as\n"])
          + pick(["a", "\"b\"\"c\"", "[d e]", "`f`", "'g''h'", "\"\"", "a", "key", "é"]))
    }
    return items.joined(separator: pick([", ", ",", " , ", "/*x*/ , "]))
  }

  private static let person = [
    "id", "name", "born", "isTall", "\"odd\"\"name\"", "age", "twice", "rowid", "[name]",
    "`born`", "(born)",
    "( isTall )", "born ISNULL", "(isTall) NOTNULL", "age NOT NULL", "born COLLATE NOCASE",
    "NOT 'a'",
    "NOT age", "NULL", "CURRENT_DATE ISNULL", "(born) + 1", "+age", "BORN",
  ]

  private mutating func select(_ depth: Int = 0) -> String {
    let isJoin = chance(30)
    var names = Self.person + ["person.name", "person.born", "main.person.age"]
    if isJoin { names = ["person.id", "day", "at", "note", "person.born", "event.id", "isTall"] }
    var text = pick(["SELECT", "SELECT", "SELECT DISTINCT", "SELECT ALL"]) + " "
    text += columns(names, star: ["*", "person.*"]) + " FROM "
    text +=
      isJoin
      ? pick([
        "person, event", "person LEFT JOIN event ON event.person = person.id",
        "event JOIN person USING (id)",
      ])
      : pick([
        "person", "main.person", "(SELECT * FROM person) AS person", "\"person\"", "'person'",
      ])
    if isJoin, text.contains("USING") {
      return "SELECT day, note, isTall FROM person JOIN event USING (id)"
    }
    if text.contains("AS person") {
      text = text.replacing("main.person.", with: "person.").replacing("rowid", with: "id")
    }
    if chance(30) { text += " WHERE \(value())" }
    if chance(15) { return text + " GROUP BY 1" + (chance(50) ? " HAVING \(value())" : "") }
    guard chance(50), !text.hasPrefix("SELECT DISTINCT") else { return text }
    let terms =
      isJoin
      ? ["event.id", "person.name", "at", "born || day"] : ["age", "name", "born", "id % 2", "-id"]
    text +=
      " ORDER BY " + pick(terms) + pick(["", " DESC", " COLLATE NOCASE", " NULLS LAST"]) + ", "
      + pick(terms)
    return text + (chance(30) ? " LIMIT 4 OFFSET 1" : "")
  }

  /// ORDER BY and LIMIT.
  private mutating func ending() -> String {
    var text = ""
    if chance(60) {
      text += " ORDER BY 1\(pick(["", " DESC", " COLLATE NOCASE", " ASC NULLS LAST"]))"
    }
    if chance(50) {
      text += " LIMIT 3" + pick(["", " OFFSET 1", ", 2", " OFFSET +?", "+?4, 2+:limit"])
    }
    return text
  }

  private mutating func with() -> String {
    guard chance(30) else { return "" }
    return pick([
      "WITH c AS (SELECT 1 AS x) ", "WITH c(x, y) AS NOT MATERIALIZED (VALUES (1, ?), (2, ')')) ",
      "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 4) ",
      "WITH replace AS (SELECT 2), \"d\" AS MATERIALIZED (SELECT :a) ",
    ])
  }

  /// Returns a query.
  mutating func query() -> String {
    var text = with()
    switch Int.random(in: 0..<10, using: &random) {
    case 0: text += "VALUES (\(value()), \(value())), (1, 2)"
    case 1: text += "VALUES (\(value())) UNION SELECT \(value())" + ending()
    case 2:
      text +=
        "SELECT \(pick(["name", "born", "id"])) FROM person "
      text +=
        pick(["UNION", "UNION ALL", "EXCEPT", "INTERSECT"])
        + " SELECT \(pick(["day", "note", "1"])) FROM event"
      text += ending()
    case 3: text += "SELECT \(value()), \(value())"
    default:
      let select = select()
      text += select.contains(" ORDER BY ") ? select : select + ending()
    }
    return spaced(text) + tail()
  }

  /// Returns a statement that writes, with or without RETURNING.
  mutating func write(isReturning: Bool) -> String {
    var text = with()
    let set = "name = \(value()), (age, \"born\") = (\(value()), 3)"
    switch Int.random(in: 0..<6, using: &random) {
    case 0: text += "INSERT INTO person(name, age) VALUES (\(value()), \(value())), (1, 2)"
    case 1:
      text += "INSERT OR IGNORE INTO main.person(name) SELECT note FROM event WHERE \(value())"
    case 2:
      text +=
        "INSERT INTO person AS p(id, name) SELECT 1, \(value()) WHERE true ON CONFLICT(name) DO NOTHING"
      text += " ON CONFLICT(id) WHERE id > 0 DO UPDATE SET \(set) WHERE \(value())"
    case 3: text += "REPLACE INTO \"person\" DEFAULT VALUES"
    case 4:
      text += "UPDATE \(pick(["", "OR REPLACE ", "OR FAIL "]))person SET \(set)"
      text += pick([" WHERE \(value())", " FROM event WHERE event.person = person.id", ""])
    default: text += "DELETE FROM person" + (chance(60) ? " WHERE \(value())" : "")
    }
    if isReturning { text += " RETURNING " + columns(Self.person + ["person.born"], star: ["*"]) }
    return spaced(text) + tail()
  }

  private mutating func tail() -> String {
    pick(["", "", "", ";", " ", "\n", " -- end", " /* end */", ";;", " --\n;"])
  }
}
