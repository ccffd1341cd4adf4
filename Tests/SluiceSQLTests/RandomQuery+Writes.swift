/// Random statements that write rows and return them.
extension RandomQuery {
  struct Write {
    let sql: String
    /// A SELECT of the returned columns from the whole table.
    let select: String
  }

  private struct Target {
    let name: String
    let columns: [String]
    var keys: [String] = []
    /// Additional columns, which are only read.
    var more: [String] = []
  }

  private static let targets = [
    Target(
      name: "a", columns: ["id", "n", "t", "r", "m"], keys: ["id"], more: ["g", "s", "rowid"]),
    Target(name: "b", columns: ["id", "a", "t", "u"], keys: ["id"], more: ["oid"]),
    Target(name: "w", columns: ["k", "l", "v"], keys: ["k, l"]),
    Target(name: "descending", columns: ["id", "v"], keys: ["id"], more: ["rowid"]),
    Target(name: "short", columns: ["id", "v"], keys: ["id"], more: ["rowid"]),
    Target(name: "word", columns: ["k", "v"], keys: ["k"]),
    Target(name: "st", columns: ["id", "i", "r", "t", "o"], keys: ["id"]),
    Target(name: "loose", columns: ["x", "y"]),
    Target(
      name: "d", columns: ["id", "n", "f", "c", "x", "e"], keys: ["id", "x"], more: ["g", "h"]),
    Target(name: "main.log", columns: ["what", "count"]),
    Target(name: "other.o", columns: ["id", "t", "u"], keys: ["id"]),
    Target(name: "tt", columns: ["id", "t", "u"], keys: ["id"], more: ["_rowid_"]),
  ]

  mutating func write() -> Write {
    let target = one(of: Self.targets)
    let list = returned(target)
    let statement =
      switch number(5) {
      case 0, 1: insert(target)
      case 2, 3: update(target)
      default: "DELETE FROM \(target.name) WHERE \(expression(target.columns, depth: 1))"
      }
    return Write(
      sql: "\(statement) RETURNING \(list)", select: "SELECT \(list) FROM \(target.name)")
  }

  private mutating func returned(_ target: Target) -> String {
    guard number(5) > 0 else { return "*" }
    let columns = target.columns + target.more
    return (0...number(4)).map { index in
      number(2) == 0 ? one(of: columns) : "\(expression(columns, depth: 2)) AS e\(index)"
    }.joined(separator: ", ")
  }

  private mutating func value() -> String {
    one(of: ["1", "2", "7", "11", "'x'", "'k'", "'12'", "1.5", "9e999", "x'00'", "NULL", "''"])
  }

  private mutating func insert(_ target: Target) -> String {
    let verb = one(of: ["INSERT", "INSERT", "INSERT OR REPLACE", "INSERT OR IGNORE", "REPLACE"])
    guard number(8) > 0 else { return "\(verb) INTO \(target.name) DEFAULT VALUES" }
    var columns = target.columns.filter { _ in number(3) > 0 }
    if columns.isEmpty { columns = target.columns }
    let rows: String
    if number(4) == 0 {
      rows = select(depth: 1, width: columns.count)
    } else {
      let row = { (random: inout RandomQuery) in
        "(\(columns.map { _ in random.value() }.joined(separator: ", ")))"
      }
      rows = "VALUES " + (0...number(2)).map { _ in row(&self) }.joined(separator: ", ")
    }
    var sql = "\(verb) INTO \(target.name)(\(columns.joined(separator: ", "))) \(rows)"
    // After a SELECT without WHERE, SQLite would parse ON CONFLICT as a join condition.
    if rows.hasPrefix("VALUES"), !target.keys.isEmpty, number(2) == 0 {
      let updated = one(of: target.columns)
      let known = target.columns + target.columns.map { "excluded.\($0)" }
      sql +=
        " ON CONFLICT (\(one(of: target.keys))) DO "
        + (number(5) == 0 ? "NOTHING" : "UPDATE SET \(updated) = \(expression(known, depth: 1))")
    }
    return sql
  }

  private mutating func update(_ target: Target) -> String {
    let verb = one(of: ["UPDATE", "UPDATE", "UPDATE OR IGNORE", "UPDATE OR REPLACE"])
    let (from, others) = source(depth: 0)
    let joins = number(4) == 0
    let name = String(target.name.split(separator: ".").last ?? "")
    let known = target.columns.map { "\(name).\($0)" } + (joins ? others : [])
    let sets = (0...number(2)).map { _ in
      "\(one(of: target.columns)) = \(number(2) == 0 ? value() : expression(known, depth: 1))"
    }
    return "\(verb) \(target.name) SET \(sets.joined(separator: ", "))"
      + (joins ? " FROM \(from)" : "")
      + (number(2) == 0 ? " WHERE \(expression(known, depth: 1))" : "")
  }
}
