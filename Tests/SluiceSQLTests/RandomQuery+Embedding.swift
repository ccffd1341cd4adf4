/// Random joins, each of whose tables becomes a struct.
extension RandomQuery {
  struct Join {
    let sql: String
    /// The aliases of the tables.
    let aliases: [String]
    /// The SQL with annotations.
    var text: String { "-- @query q\n-- @embed \(aliases.joined(separator: ", "))\n\(sql)" }
  }

  /// Tables with a column that is never NULL, by which a missing row is recognized.
  private static let sources: [(name: String, columns: [String], key: String)] = [
    ("a", ["id", "n", "t", "r"], "id"), ("b", ["id", "a", "t", "u"], "id"),
    ("w", ["k", "l", "v"], "k"), ("descending", ["id", "v"], "rowid"), ("short", ["v"], "rowid"),
    ("st", ["id", "i", "t", "o"], "id"), ("loose", ["x", "y"], "rowid"),
    ("va", ["id", "bt"], "id"),
    ("vb", ["id", "t"], "id"), ("vc", ["t", "c"], "c"), ("f", ["title"], "rowid"),
    ("other.o", ["id", "u"], "id"), ("tt", ["id", "t"], "id"),
    ("(SELECT id, n, id * 2 AS k FROM a)", ["id", "n", "k"], "id"),
    ("(SELECT a AS id, count(*) AS c, max(u) AS m FROM b GROUP BY a)", ["id", "c", "m"], "c"),
    ("c", ["p", "q"], "q"),
  ]

  mutating func join() -> Join {
    let count = 2 + number(3)
    let tables = (0..<count).map { _ in one(of: Self.sources) }
    let aliases = (0..<count).map { "x\($0)" }
    var from = "\(tables[0].name) AS x0"
    for index in 1..<count {
      let table = "\(tables[index].name) AS \(aliases[index])"
      let kind = one(of: ["JOIN", "LEFT JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", ","])
      let before = number(index)
      let left = "x\(before).\(one(of: tables[before].columns))"
      let right = "x\(index).\(one(of: tables[index].columns))"
      if kind == "," {
        from += ", \(table)"
      } else if number(6) == 0 {
        from += number(2) == 0 ? " NATURAL \(kind) \(table)" : " \(kind) \(table) USING (id)"
      } else if index == 1, number(4) == 0 {
        from = "\(from) \(kind) (\(table)) ON \(left) = \(right)"
      } else {
        from +=
          " \(kind) \(table) ON \(number(6) == 0 ? "0" : "\(left) \(one(of: ["=", "IS", "<"])) \(right)")"
      }
    }
    let items = (0..<count).map { index in
      if number(2) == 0 { return "\(aliases[index]).*" }
      let columns = tables[index].columns.shuffled(using: &self)
      return columns.prefix(1 + number(columns.count)).map { "\(aliases[index]).\($0)" }
        .joined(separator: ", ")
    }
    // The sign keeps the column out of the struct.
    let keys = (0..<count).map { "+\(aliases[$0]).\(tables[$0].key) AS key\($0)" }
    var sql =
      "WITH c(p, q) AS (SELECT n, id FROM a) SELECT \((items + keys).joined(separator: ", "))"
      + " FROM \(from)"
    if number(4) == 0 {
      let table = number(count)
      sql += " WHERE x\(table).\(one(of: tables[table].columns)) \(one(of: ["NOTNULL", "> 0"]))"
    }
    if number(8) == 0 { sql += " GROUP BY x0.\(tables[0].key)" }
    if number(6) == 0 { sql += " ORDER BY x\(number(count)).\(tables[0].key)" }
    return Join(sql: sql, aliases: aliases)
  }
}

extension RandomQuery: RandomNumberGenerator {
  mutating func next() -> UInt64 {
    UInt64(number(Int(Int32.max))) << 32 | UInt64(number(Int(Int32.max)))
  }
}
