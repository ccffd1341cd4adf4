import Foundation
import Sluice
import SluiceData
import SluiceTesting
import TestSupport
import Testing

@Suite(.tags(.statements)) struct `importing into tables` {
  private let connection: Connection

  init() throws { connection = try Connection() }

  private func rows(_ sql: String) throws -> [[DatabaseValue]] {
    try connection.query(.values, sql: sql).map(\.values)
  }

  private func importText(
    _ text: String, as format: DataFormat = .csv, into table: String = "t", key: [String] = [],
    types: [String: StorageClass] = [:], ignoresUnknownColumns: Bool = false,
    refusals: RefusalPolicy = .stop
  ) throws -> DataProgress {
    try connection.importRows(
      from: [Array(text.utf8)], as: format, into: table, key: key, types: types,
      ignoresUnknownColumns: ignoresUnknownColumns, refusals: refusals)
  }

  /// Returns the declared types of the columns.
  private func types(_ table: String = "t") throws -> [String] {
    try connection.columns(of: table).map { "\($0.name) \($0.declaredType ?? "")" }
  }

  @Test func `a new table has types that fit all values`() throws {
    let text = """
      id,zip,phone,price,big,huge,mixed,none,exact,word,minus
      1,00501,+1,1.50,9007199254740993,12345678901234567890,1,,0.12345678901234567890,1,-0
      -2,10,2,3,1.5,1,1.5,,1,x,1

      """
    #expect(try importText(text).rowCount == 2)
    #expect(
      try types() == [
        "id INTEGER", "zip TEXT", "phone TEXT", "price REAL", "big TEXT", "huge TEXT",
        "mixed REAL", "none TEXT", "exact TEXT", "word TEXT", "minus REAL",
      ])
    #expect(try connection.table(named: "t")?.isStrict == true)
    #expect(
      try rows("SELECT * FROM t")[0] == [
        1, "00501", "+1", 1.5, "9007199254740993", "12345678901234567890", 1.0, nil,
        "0.12345678901234567890", "1", .real(-0.0),
      ])
  }

  @Test func `a code that looks like a number that is too large remains text`() throws {
    #expect(try importText("a,b\n12E4567,1e400\n12E1,1e40\n").rowCount == 2)
    #expect(try types() == ["a TEXT", "b TEXT"])
    #expect(try rows("SELECT * FROM t")[0] == ["12E4567", "1e400"])
  }

  @Test(arguments: [
    // 17 significant digits identify a real.
    ("0.12345678901234567\n", "REAL"), ("0.123456789012345678\n", "TEXT"),
    ("-12345678901.234567\n", "REAL"), ("-12345678901.2345678\n", "TEXT"),
    // A real represents every integer up to 2^53.
    ("1.5\n9007199254740992\n", "REAL"), ("1.5\n9007199254740993\n", "TEXT"),
    ("1.5\n-9007199254740992\n", "REAL"), ("1.5\n-9007199254740993\n", "TEXT"),
    ("2.5\n9e999\n-9e999\n", "REAL"), ("9E999\n", "TEXT"), ("9e998\n", "TEXT"),
  ])
  func `a column is REAL if a real can store all its numbers`(text: String, type: String) throws {
    _ = try importText("a\n" + text)
    #expect(try types() == ["a \(type)"])
    let values = text.split(separator: "\n").map(String.init)
    #expect(
      try rows("SELECT a FROM t").map { $0[0] }
        == values.map { type == "REAL" ? .real(Double($0) ?? .nan) : .text($0) })
  }

  @Test(arguments: [true, false])
  func `an exported table with generated columns is imported again`(hasHeader: Bool) throws {
    try connection.execute(
      sql: """
        CREATE TABLE t(a INTEGER PRIMARY KEY, g AS (x + 1), x INTEGER, s AS (x * 2) STORED);
        INSERT INTO t(a, x) VALUES (1, 2), (2, 5);
        """)
    let before = try rows("SELECT * FROM t")
    let format = CSVFormat(hasHeader: hasHeader)
    for (format, key) in [
      (DataFormat.separated(format), []), (.separated(format), ["a"]), (.jsonLines, []),
    ] {
      var bytes: [UInt8] = []
      try connection.exportRows("SELECT * FROM t", as: format) { bytes += $0 }
      if key.isEmpty { try connection.execute(sql: "DELETE FROM t") }
      let result = try connection.importRows(from: [bytes], as: format, into: "t", key: key)
      #expect(result.rowCount == 2)
      #expect(try rows("SELECT * FROM t") == before)
    }
    #expect(failure { try importText("g\n1\n", key: ["g"]) }?.code == .misuse)
  }

  @Test func `a name with a NUL is refused with its column`() throws {
    let error = failure { try importText("a,b\0c\n1,2\n", into: "new") }
    #expect(error?.message == "The name of column 2 contains a NUL")
    let json = failure { try importText("{\"a\\u0000\": 1}", as: .jsonLines, into: "new") }
    #expect(json?.message == "The name of column 1 contains a NUL")
    #expect(
      failure { try importText("a,A\n1,2\n", into: "new") }?.message
        == "The columns \"a\" and \"A\" have the same name in SQL; pass other names")
  }

  @Test func `an array that is cut off is reported, however large its first element is`() throws {
    let text = "[" + String(repeating: "{\"a\":", count: 1_000_000)
    for table in ["new", "old"] {
      try connection.execute(sql: "CREATE TABLE IF NOT EXISTS old(a)")
      let chunks = stride(from: 0, to: text.utf8.count, by: 1 << 17).lazy.map {
        text.utf8.dropFirst($0).prefix(1 << 17)
      }
      let error = failure { try connection.importRows(from: chunks, as: .jsonArray, into: table) }
      #expect(
        error?.message
          == "Line 1: The data ends inside the array, whose element on line 1 is not complete")
    }
    // A complete row that is larger than the sample determines the types.
    let large = "[{\"a\": 1, \"b\": \"\(String(repeating: "x", count: 5_000_000))\"}]"
    #expect(try importText(large, as: .jsonArray, into: "new").rowCount == 1)
    #expect(try types("new") == ["a INTEGER", "b TEXT"])
  }

  @Test func `names that only Swift considers equal are different columns`() throws {
    try connection.execute(sql: "CREATE TABLE t(\"\u{e9}\", \"e\u{301}\", z)")
    let text = """
      {"\u{e9}": 1, "z": 3}
      {"e\u{301}": 2, "z": 4}
      {"\u{e9}": 5, "e\u{301}": 6}

      """
    #expect(try importText(text, as: .jsonLines).rowCount == 3)
    #expect(try rows("SELECT * FROM t") == [[1, nil, 3], [nil, 2, 4], [5, 6, nil]])
    let reader = try CSVReader(chunks: ["e\u{301},\u{e9}\n1,2\n".utf8])
    let row = try #require(try reader.next())
    #expect(row["\u{e9}"] == "2" && row["e\u{301}"] == "1")
  }

  @Test func `a new table from JSON has the keys in order, and numbers keep their types`() throws {
    let text = """
      {"id": 1, "name": "Ada", "tags": ["a", {"b": null}], "mixed": 1}
      {"id": 2, "ok": true, "price": 1.0, "mixed": "1", "NAME": "é\\u00e9\\ud83d\\ude00\\n"}

      """
    #expect(try importText(text, as: .jsonLines).rowCount == 2)
    #expect(
      try types() == [
        "id INTEGER", "name TEXT", "tags TEXT", "mixed ANY", "ok INTEGER", "price REAL",
      ])
    #expect(
      try rows("SELECT * FROM t") == [
        [1, "Ada", #"["a", {"b": null}]"#, 1, nil, nil], [2, "éé😀\n", nil, "1", 1, 1.0],
      ])
  }

  @Test func `the types and the key of a new table can be chosen`() throws {
    let text = "id,zip,photo\n1,5,AP8=\n2,6,\n1,7,AA==\n"
    let result = try importText(text, key: ["ID"], types: ["zip": .text, "Photo": .blob])
    #expect(result.rowCount == 3)
    #expect(try types() == ["id INTEGER", "zip TEXT", "photo BLOB"])
    #expect(
      try rows("SELECT rowid, * FROM t") == [[1, 1, "7", .blob([0])], [2, 2, "6", nil]])
    for (key, types) in [(["x"], [:]), ([], ["x": StorageClass.text]), ([], ["id": .null])] {
      let error = failure { try importText(text, into: "u", key: key, types: types) }
      #expect(error?.code == .misuse)
    }
    #expect(try connection.table(named: "u") == nil)
    #expect(failure { try importText(text, types: ["zip": .text]) }?.code == .misuse)
  }

  @Test func `an existing table keeps its types, defaults and generated columns`() throws {
    try connection.execute(
      sql: """
        CREATE TABLE t(a INTEGER, b DEFAULT 'x', c TEXT, d REAL, e AS (a + 1), f NUMERIC, g BLOB)
        """)
    _ = try importText("D,A,C,f,g\n1,0007,0007,1e2,AP8=\n0.1,x,,2024-01-01,\n")
    #expect(
      try rows("SELECT * FROM t") == [
        [7, "x", "0007", 1.0, 8, 100, .blob([0, 255])],
        ["x", "x", nil, 0.1, 1, "2024-01-01", nil],
      ])
    let unnamed = CSVFormat(hasHeader: false)
    _ = try importText("1,2,3,4,5,\n", as: .separated(unnamed), into: "t")
    #expect(try rows("SELECT a, b, c, d, f, g FROM t")[2] == [1, "2", "3", 4.0, 5, nil])
  }

  @Test func `reals are stored as the nearest real`() throws {
    try connection.execute(sql: "CREATE TABLE t(a REAL)")
    var random = SeededGenerator(seed: 26)
    let reals = (0..<500).map { _ in
      Double(bitPattern: random.next() & 0xbfff_ffff_ffff_ffff)
    }.filter(\.isFinite)
    _ = try importText("a\n" + reals.map { "\($0)\n" }.joined())
    #expect(try connection.query(.column(.double), sql: "SELECT a FROM t") == reals)
  }

  @Test func `a header that does not fit the table is refused as a whole`() throws {
    try connection.execute(sql: "CREATE TABLE t(a, b)")
    var refused = 0
    for (text, message) in [
      (
        "a,x\n1,2\n",
        "The table \"main\".\"t\" has no column \"x\"; add it, or ignore unknown columns"
      ), ("a,A\n1,2\n", "The column \"A\" occurs twice"),
    ] {
      let error = failure { try importText(text, refusals: .handle { _ in refused += 1 }) }
      #expect(error?.message == message)
    }
    #expect(refused == 0)
    _ = try importText("x,a,y\n1,2,3\n", ignoresUnknownColumns: true)
    #expect(try rows("SELECT * FROM t") == [["2", nil]])
    #expect(failure { try importText("a,a\n1,2\n", into: "new") }?.code == .misuse)
    #expect(failure { try importText("", into: "new") }?.code == .misuse)
    #expect(failure { try importText("", into: "t") } == nil)
    #expect(failure { try importText("a\n", into: "new") } == nil)
    #expect(try types("new") == ["a TEXT"])
  }

  @Test func `any name of a table or column is quoted`() throws {
    let (table, column) = ("drop \"table\"; --", "select 'x\"\u{301}")
    let text = "\"select 'x\"\"\u{301}\",order\n1,2\n"
    _ = try importText(text, into: table, key: ["order"])
    _ = try importText(text, into: table, key: ["order"])
    let found = try connection.columns(of: table).map(\.name)
    #expect(found == [column, "order"])
    #expect(
      try connection.integers("SELECT count(*) FROM \("drop \"\"table\"\"; --".quoted)") == [1])
  }

  @Test func `a row with an existing key updates that row`() throws {
    try connection.execute(
      sql: """
        CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, age INTEGER, UNIQUE(name));
        INSERT INTO t VALUES (1, 'Ada', 36), (2, 'Alan', 41)
        """)
    _ = try importText("id,name\n1,Lovelace\n3,Grace\n", key: ["id"])
    #expect(
      try rows("SELECT * FROM t") == [[1, "Lovelace", 36], [2, "Alan", 41], [3, "Grace", nil]])
    _ = try importText(
      "{\"name\": \"Alan\", \"age\": 42}\n{\"name\": \"Grace\"}", as: .jsonLines, key: ["name"])
    #expect(try rows("SELECT age FROM t") == [[36], [42], [nil]])
    #expect(
      failure { try importText("age\n1\n", key: ["id"]) }?.message
        == "The key column \"id\" is missing")
    #expect(failure { try importText("age\n1\n", key: ["age"]) }?.code == .misuse)
    #expect(failure { try importText("age\n1\n", key: ["x"]) }?.code == .misuse)
  }

  @Test func `an attached database can be the target`() throws {
    try connection.execute(sql: "ATTACH ':memory:' AS \"other \"\"one\"")
    try connection.importRows(
      from: [Array("a\n1\n".utf8)], as: .csv, into: "t", database: "other \"one")
    #expect(try rows("SELECT * FROM \"other \"\"one\".t") == [[1]])
    let error = failure {
      try connection.importRows(from: [[UInt8]](), as: .csv, into: "t", database: "none")
    }
    #expect(error?.code == .range)
  }

  @Test func `keys that JSON objects lack get their default values`() throws {
    try connection.execute(sql: "CREATE TABLE t(a INTEGER PRIMARY KEY, b DEFAULT 5)")
    let objects = (0..<300).map {
      $0 % 3 == 0 ? "{}" : $0 % 3 == 1 ? "{\"b\":null}" : "{\"b\":\($0)}"
    }
    let text = "[" + objects.joined(separator: ",") + "]"
    #expect(try importText(text, as: .jsonArray).rowCount == 300)
    #expect(try rows("SELECT b FROM t LIMIT 3") == [[5], [nil], [2]])
  }
}

extension String {
  /// The text, whose quotes are doubled already, as an SQL name.
  fileprivate var quoted: String { "\"\(self)\"" }
}
