import SluiceCore
import SluiceTesting
import TestSupport

/// A database with a random schema and random rows.
struct DumpRandomDatabase {
  private var random: SeededGenerator
  private let connection: Connection
  /// Whether the `sqlite3` shell can dump the database without loss.
  private let isForShell: Bool
  private var tables: [(name: String, columns: [String])] = []
  private var names: [String]

  /// Fills an empty database.
  static func fill(_ connection: Connection, seed: Int, isForShell: Bool = false) throws {
    var database = DumpRandomDatabase(connection, seed, isForShell)
    try database.fill()
  }

  private init(_ connection: Connection, _ seed: Int, _ isForShell: Bool) {
    self.connection = connection
    self.isForShell = isForShell
    random = SeededGenerator(seed: UInt64(seed))
    names = [
      "plain", "two words", "it's", "a\"b", "select", "[x]", "`y`", "é\u{301}\"\u{301}", "😀", "a;b",
      "--", "/*", "%s", "TABLE", "x'00'", "123", "a.b", "sqlite", "end", "tab\tname",
    ]
    names.shuffle(using: &random)
  }

  private mutating func fill() throws {
    // Page sizes differ, because an R*Tree adapts its nodes to them.
    if chance(3) {
      try run("PRAGMA page_size = \([512, 1024, 8192].randomElement(using: &random)!)")
    }
    if !isForShell, chance(3) {
      try run("PRAGMA encoding = '\(chance(2) ? "UTF-16le" : "UTF-16be")'")
    }
    for _ in 0..<Int.random(in: 0...4, using: &random) { try addTable() }
    if !isForShell {
      if chance(2) {
        try run("PRAGMA user_version = \(Int32.random(in: .min ... .max, using: &random))")
      }
      if chance(3) {
        try run("PRAGMA application_id = \(Int32.random(in: .min ... .max, using: &random))")
      }
    }
    if chance(2) { try addVirtualTables() }
    for table in tables { try addObjects(to: table) }
    if chance(3) { try run("ANALYZE") }
  }
}

// Chance.
extension DumpRandomDatabase {
  private mutating func chance(_ count: Int) -> Bool {
    Int.random(in: 0..<count, using: &random) == 0
  }

  private mutating func pick<T>(_ values: T...) -> T { values.randomElement(using: &random)! }

  private func quoted(_ name: String) -> String {
    String(String.UnicodeScalarView(name.unicodeScalars.flatMap { $0 == "\"" ? [$0, $0] : [$0] }))
      .withQuotes
  }

  private func run(_ sql: String) throws { try connection.execute(sql: sql) }
}

extension String {
  fileprivate var withQuotes: String { "\"\(self)\"" }
}

// Tables.
extension DumpRandomDatabase {
  private mutating func addTable() throws {
    guard let name = names.popLast() else { return }
    var columns: [String] = []
    var parts: [String] = []
    let isStrict = chance(4)
    let types =
      isStrict
      ? ["INT", "INTEGER", "REAL", "TEXT", "BLOB", "ANY"]
      : ["", "", "INTEGER", "REAL", "NUMERIC", "TEXT", "BLOB", "VARCHAR(10)", "DATE"]
    let key = Int.random(in: 0..<8, using: &random)
    switch key {
    case 0...1: parts.append("\"the id\" INTEGER PRIMARY KEY")
    case 2: parts.append("\"the id\" INTEGER PRIMARY KEY AUTOINCREMENT")
    case 3: parts.append("\"the id\" INTEGER PRIMARY KEY DESC")
    default: break
    }
    if key < 4 { columns.append("the id") }
    let usesHidden = chance(6) && !(isForShell && SQLiteVersion.shellRepeatsRowid)
    let hidden = ["rowid", "_rowid_", "oid"].prefix(
      usesHidden ? Int.random(in: 1...3, using: &random) : 0)
    for column in Array(hidden)
      + ["a", "b \"c\"", "d'"].prefix(Int.random(in: 1...3, using: &random))
    {
      columns.append(column)
      let type = types.randomElement(using: &random)!
      let extra = pick(
        "", "", "", " DEFAULT 'x;y'", " DEFAULT (1 + 2)", " COLLATE NOCASE", " UNIQUE")
      parts.append("\(quoted(column)) \(type)\(extra)")
    }
    let stored = columns
    if chance(4) {
      let type = isStrict ? "ANY" : ""
      parts.append("g1 \(type) GENERATED ALWAYS AS (typeof(\(quoted(stored.last!)))) VIRTUAL")
      parts.append("g2 \(type) AS (\(quoted(stored.last!)) || '!') STORED")
    }
    let isWithoutRowid = key > 5
    if isWithoutRowid {
      parts.append("PRIMARY KEY(\(stored.suffix(2).map(quoted).joined(separator: ",")))")
    }
    if chance(5) { parts.append("CHECK (\(quoted(stored.last!)) IS NOT 77)") }
    if let other = tables.last, chance(3) {
      parts.append(
        "FOREIGN KEY(\(quoted(stored.last!))) REFERENCES \(quoted(other.name))(\(quoted(other.columns.last!)))"
      )
    }
    let options = [isWithoutRowid ? "WITHOUT ROWID" : "", isStrict ? "STRICT" : ""].filter {
      !$0.isEmpty
    }
    let comment = chance(5) ? " -- a; comment\n" : ""
    try run(
      "CREATE TABLE \(quoted(name))(\(comment)\(parts.joined(separator: ", "))) \(options.joined(separator: ", "))"
    )
    tables.append((name, stored))
    let hasHiddenRowid = !isWithoutRowid && key > 2 && hidden.count < 3
    let rowid =
      hasHiddenRowid && !isForShell
      ? ["rowid", "_rowid_", "oid"].first { !hidden.contains($0) } : nil
    try addRows(name, stored, rowid: rowid)
    if chance(4), !isWithoutRowid {
      try run(
        "ALTER TABLE \(quoted(name)) ADD COLUMN added \(isStrict ? "TEXT" : "INTEGER") DEFAULT '12'"
      )
      tables[tables.count - 1].columns.append("added")
      try addRows(name, stored + ["added"], rowid: rowid)
    }
    if key == 2, chance(3) { try run("UPDATE sqlite_sequence SET seq = seq + 100") }
    if key == 2, chance(6), !(isForShell && SQLiteVersion.shellOmitsEmptySequence) {
      try run("DELETE FROM sqlite_sequence")
    }
    if key == 2, !isForShell, chance(6) {
      // The shell dumps such sequences, but cannot load them.
      try run("DROP TABLE \(quoted(name))")
      tables.removeLast()
      try run("INSERT INTO sqlite_sequence VALUES ('gone', 7)")
    }
  }

  private mutating func addRows(_ table: String, _ columns: [String], rowid: String?) throws {
    let count = pick(0, 1, 3, 10, 40, 200)
    for number in 0..<count {
      var (names, values, parameters): ([String], [String], [SQLParameter]) = ([], [], [])
      if let rowid, chance(number == 0 ? 2 : 10) {
        names.append(rowid)
        values.append("?")
        parameters.append(SQLParameter(.integer(pick(-5, 0, 7, 100, Int64(number), 1 << 40))))
      }
      for column in columns {
        names.append(quoted(column))
        let (value, isCast) = value()
        values.append(isCast ? "CAST(? AS TEXT)" : "?")
        parameters.append(SQLParameter(value))
      }
      let sql =
        "INSERT INTO \(quoted(table))(\(names.joined(separator: ","))) VALUES (\(values.joined(separator: ",")))"
      do { try connection.execute(sql: sql, parameters: SQLParameters(parameters)) } catch let error
        as SQLiteError
        where error.code.primary == .constraint || error.code == .mismatch || error.code == .full
      {
        // A random value can violate a constraint.
      }
    }
    if chance(4), let last = columns.last {
      try run("DELETE FROM \(quoted(table)) WHERE typeof(\(quoted(last))) = 'integer'")
    }
  }
}

// Values.
extension DumpRandomDatabase {
  /// Returns a value, and whether its bytes are text.
  private mutating func value() -> (DatabaseValue, isCast: Bool) {
    switch Int.random(in: 0..<12, using: &random) {
    case 0: (.null, false)
    case 1: (.integer(pick(0, 1, -1, .min, .max, 77, 1 << 53, -(1 << 31))), false)
    case 2...3:
      (
        .integer(
          Int64(truncatingIfNeeded: random.next()) >> Int64.random(in: 0..<63, using: &random)),
        false
      )
    case 4...6: (.real(real()), false)
    case 7...8: (.text(text()), false)
    case 9 where !isForShell: (.blob(bytes()), true)
    default: (.blob(bytes()), false)
    }
  }

  private mutating func real() -> Double {
    let decimal = (Double.random(in: -1e6...1e6, using: &random) * 100).rounded() / 100
    guard !isForShell else { return pick(decimal, 0.5, 3, -1e10) }
    let bits = Double(bitPattern: random.next())
    return pick(
      decimal, Double.random(in: -1...1, using: &random), bits.isNaN ? 0.1 : bits,
      pick(
        0, -0.0, .infinity, -.infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 1e16,
        0x1p53, 0.1, -3))
  }

  private mutating func text() -> String {
    if chance(100) { return String(repeating: "it's long\n", count: 9_000) }
    var scalars: [Unicode.Scalar] = [
      "a", "B", "'", "\"", " ", "\n", ";", "é", "😀", "\u{301}", "0", "9", ".", "-", "\\",
    ]
    scalars +=
      isForShell
      ? [] : ["\0", "\r", "\u{1b}", "\t", "\u{feff}", "\u{ffff}", "\u{fffe}", "\u{fffd}", "\u{7f}"]
    if chance(6) {
      return pick("", "12", "-1.50", "1e3", " 7", "NULL", "x'41'", "infinity", "\r\n")
    }
    var text = String.UnicodeScalarView()
    for _ in 0..<Int.random(in: 1...12, using: &random) {
      text.append(scalars.randomElement(using: &random)!)
    }
    return String(text)
  }

  private mutating func bytes() -> [UInt8] {
    if chance(6) { return [] }
    if chance(100) { return [UInt8](repeating: 0xa7, count: 80_000) }
    // UTF-16 has an even number of bytes.
    return (0..<2 * Int.random(in: 1...12, using: &random)).map { _ in
      UInt8.random(in: 0...255, using: &random)
    }
  }
}

// Objects that refer to tables.
extension DumpRandomDatabase {
  private mutating func addObjects(to table: (name: String, columns: [String])) throws {
    let (name, column) = (quoted(table.name), quoted(table.columns.last!))
    func unused(_ prefix: String) -> String { quoted("\(prefix) \(table.name)") }
    if chance(3) {
      try run("CREATE INDEX \(unused("i1")) ON \(name)(\(column) COLLATE NOCASE DESC)")
    }
    if chance(4) {
      try run(
        "CREATE INDEX \(unused("i2")) ON \(name)(typeof(\(column))) WHERE \(column) IS NOT NULL")
    }
    if chance(3) {
      try run("CREATE VIEW \(unused("v")) AS SELECT *, 'a;b' AS \"x;y\" FROM \(name)")
    }
    if chance(3) {
      try run(
        """
        CREATE TRIGGER \(unused("t")) AFTER INSERT ON \(name) WHEN new.\(column) = 'end;' BEGIN
          -- A comment; with a semicolon.
          UPDATE \(name) SET \(column) = CASE WHEN 1 THEN 'a;' ELSE ';end' END WHERE 0;
          SELECT CASE WHEN 1 THEN 2 END;
        END
        """)
    }
  }

  private mutating func addVirtualTables() throws {
    if SQLiteLibrary.has(.fts5) {
      let form = Int.random(in: 0..<3, using: &random)
      if form == 1 { try run("CREATE TABLE doc(body, more)") }
      let content = ["", ", content = 'doc'", ", content = ''"][form]
      try run("CREATE VIRTUAL TABLE words USING fts5(body, more\(content))")
      for _ in 0..<pick(0, 5, 50) {
        let (body, more) = (words(), words())
        if form == 1 {
          try connection.execute(sql: "INSERT INTO doc VALUES (?, ?)", parameters: body, more)
        }
        try connection.execute(
          sql: "INSERT INTO words(rowid, body, more) VALUES (?, ?, ?)",
          parameters: form == 1
            ? connection.lastInsertRowid : Int64.random(in: 1...1_000_000_000, using: &random),
          body, more)
      }
      if chance(2) { try run("INSERT INTO words(words) VALUES ('optimize')") }
    }
    if try connection.first(
      .column(.int), sql: "SELECT 1 FROM pragma_module_list WHERE name = 'fts4'") != nil
    {
      try run("CREATE VIRTUAL TABLE old USING fts4(body)")
      for _ in 0..<pick(0, 5, 30) {
        try connection.execute(sql: "INSERT INTO old VALUES (?)", parameters: words())
      }
    }
    if try connection.first(
      .column(.int), sql: "SELECT 1 FROM pragma_module_list WHERE name = 'rtree'") != nil
    {
      try run("CREATE VIRTUAL TABLE boxes USING rtree(id, x0, x1, y0, y1, +label)")
      for id in 0..<pick(0, 5, 300) {
        let (x, y) = (
          Double.random(in: -100...100, using: &random),
          Double.random(in: -100...100, using: &random)
        )
        try connection.execute(
          sql: "INSERT INTO boxes VALUES (?, ?, ?, ?, ?, ?)", parameters: id, x, x + 1, y, y + 0.1,
          words())
      }
    }
  }

  private mutating func words() -> String {
    let words = ["sluice", "water", "it's", "the", "quick", "élan", "fox"]
    return (0..<Int.random(in: 0...8, using: &random)).map { _ in
      words.randomElement(using: &random)!
    }
    .joined(separator: " ")
  }
}
