/// A generator of random queries, most of them valid, which depend only on the seed.
struct RandomQuery {
  private var state: UInt64
  private var aliases = 0

  init(seed: UInt64) { state = seed &* 0x9e37_79b9_7f4a_7c15 &+ 1 }

  mutating func number(_ bound: Int) -> Int {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Int(state % UInt64(bound))
  }

  mutating func one<T>(of items: [T]) -> T { items[number(items.count)] }

  private static let tables: [(name: String, columns: [String])] = [
    ("a", ["id", "n", "t", "r", "m", "g", "s"]), ("b", ["id", "a", "t", "u"]),
    ("w", ["k", "l", "v"]), ("descending", ["id", "v"]), ("short", ["id", "v"]),
    ("word", ["k", "v"]), ("st", ["id", "i", "r", "t", "o"]), ("loose", ["x", "y"]),
    ("va", ["id", "t", "bt"]), ("vb", ["id", "t"]), ("vc", ["t", "c", "x"]),
    ("f", ["title", "body"]),
    ("other.o", ["id", "t", "u"]), ("tt", ["id", "t", "u"]),
  ]

  mutating func statement() -> String {
    switch number(12) {
    case 0:
      return "INSERT INTO b(a, t, u) \(select(depth: 2, width: 3)) RETURNING id, a, t, u, t || u"
    case 1:
      return
        "UPDATE a SET n = \(constant()), r = \(constant()) WHERE id > 1 RETURNING id, n, t, r, g, s"
    case 2: return "DELETE FROM b WHERE id <> 2 RETURNING id, a, t, u, coalesce(u, t)"
    case 3:
      return
        "WITH c(p, q) AS (\(select(depth: 2, width: 2))) SELECT p, q, \(aggregate(["p", "q"])) FROM c"
        + (number(2) == 0 ? " GROUP BY p" : "")
    case 4:
      return "WITH RECURSIVE c(p, q) AS (\(select(depth: 1, width: 2)) UNION"
        + " SELECT p, \(constant()) FROM c) SELECT p, q FROM c LIMIT 20"
    default: return select(depth: 3, width: 1 + number(4))
    }
  }

  mutating func select(depth: Int, width: Int) -> String {
    let (from, columns) = source(depth: depth)
    let isGrouped = number(3) == 0
    let items = (0..<width).map { _ in
      isGrouped && number(2) == 0 ? aggregate(columns) : expression(columns, depth: depth)
    }
    var sql =
      "SELECT \(number(6) == 0 ? "DISTINCT " : "")\(items.joined(separator: ", ")) FROM \(from)"
    if number(3) == 0 { sql += " WHERE \(expression(columns, depth: 1))" }
    if isGrouped, number(2) == 0 {
      sql += " GROUP BY \(one(of: columns))"
      if number(3) == 0 { sql += " HAVING \(aggregate(columns)) IS NOT NULL" }
    }
    if depth > 0, number(6) == 0 {
      sql +=
        " \(one(of: ["UNION", "UNION ALL", "EXCEPT", "INTERSECT"])) "
        + select(depth: 0, width: width)
    }
    if number(3) == 0 { sql += " ORDER BY \(1 + number(width))" }
    if number(6) == 0 { sql += " LIMIT \(number(4))" }
    // Inside a compound SELECT, a SELECT with LIMIT must be a subquery.
    return depth == 0 || !sql.contains("LIMIT") ? sql : "SELECT * FROM (\(sql))"
  }

  mutating func source(depth: Int) -> (String, [String]) {
    aliases += 1
    let alias = "x\(aliases)"
    if depth > 0, number(4) == 0 {
      let inner = select(depth: depth - 1, width: 2)
      let columns = ["\(alias).p", "\(alias).q"]
      return ("(SELECT 1 AS p, 2 AS q WHERE 0 UNION ALL \(inner)) AS \(alias)", columns)
    }
    let table = one(of: Self.tables)
    let from = "\(table.name) AS \(alias)"
    let columns = table.columns.map { "\(alias).\($0)" }
    guard depth > 0, number(2) == 0 else { return (from, columns) }
    let (other, others) = source(depth: depth - 1)
    let join = one(of: ["JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "LEFT JOIN"])
    let condition =
      number(4) == 0 ? "0" : "\(one(of: columns)) \(one(of: ["=", "IS", "<"])) \(one(of: others))"
    return ("\(from) \(join) \(other) ON \(condition)", columns + others)
  }

  private mutating func constant() -> String {
    one(of: ["NULL", "1", "0", "'x'", "1.5", "9e999", "x'00'"])
  }

  mutating func expression(_ columns: [String], depth: Int) -> String {
    guard depth > 0, number(3) > 0 else { return number(6) == 0 ? constant() : one(of: columns) }
    let first = expression(columns, depth: depth - 1)
    let second = expression(columns, depth: depth - 1)
    switch number(16) {
    case 0: return "coalesce(\(first), \(second), \(constant()))"
    case 1:
      return "CASE WHEN \(first) THEN \(second) \(number(2) == 0 ? "ELSE \(constant())" : "") END"
    case 2: return "(\(first) \(one(of: ["+", "-", "*", "/", "%", "||", "&", "<<"])) \(second))"
    case 3:
      return "(\(first) \(one(of: ["=", "<", "IS", "IS NOT", "AND", "OR", "LIKE"])) \(second))"
    case 4:
      return
        "\(one(of: ["lower", "length", "abs", "round", "typeof", "trim", "quote", "hex"]))(\(first))"
    case 5:
      return "(SELECT \(expression(columns, depth: 0)) FROM \(one(of: Self.tables).name) LIMIT 1)"
    case 6: return "(\(first) IN (\(second), \(constant())))"
    case 7: return "EXISTS (\(select(depth: 0, width: 1)))"
    case 8: return "nullif(\(first), \(second))"
    case 9: return "CAST(\(first) AS \(one(of: ["INTEGER", "TEXT", "REAL", "BLOB"])))"
    case 10: return "\(one(of: ["max", "min"]))(\(first), \(second))"
    case 11: return "(\(first) BETWEEN \(second) AND \(constant()))"
    case 12: return "\(one(of: ["NOT", "-", "~", "+"])) \(first)"
    case 13: return "(\(first) IN (\(select(depth: 0, width: 1))))"
    case 14: return "\(window(columns))"
    default: return "iif(\(first), \(second), \(one(of: columns)))"
    }
  }

  private mutating func aggregate(_ columns: [String]) -> String {
    let column = one(of: columns)
    let call = one(of: [
      "count(*)", "count(\(column))", "sum(\(column))", "total(\(column))", "avg(\(column))",
      "min(\(column))", "max(\(column))", "group_concat(\(column))", "max(length(\(column)))",
      "sum(length(\(column)))", "sum(DISTINCT \(column))", "min(1)", "json_group_array(\(column))",
    ])
    return number(5) == 0 ? "\(call) FILTER (WHERE \(one(of: columns)) > 1)" : call
  }

  private mutating func window(_ columns: [String]) -> String {
    let column = one(of: columns)
    let call = one(of: [
      "row_number()", "rank()", "lag(\(column))", "lead(\(column), 1, 0)", "first_value(\(column))",
      "last_value(\(column))", "nth_value(\(column), 2)", "count(\(column))", "sum(\(column))",
      "max(\(column))", "ntile(2)", "percent_rank()", "cume_dist()",
    ])
    let frame = one(of: [
      "", " ROWS BETWEEN 1 PRECEDING AND CURRENT ROW", " ROWS BETWEEN 2 FOLLOWING AND 3 FOLLOWING",
      " RANGE UNBOUNDED PRECEDING", " ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING",
    ])
    return "\(call) OVER (ORDER BY \(one(of: columns))\(frame))"
  }
}
