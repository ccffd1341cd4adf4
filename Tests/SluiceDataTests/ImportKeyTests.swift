import Foundation
import Sluice
import SluiceData
import TestSupport
import Testing

@Suite(.tags(.reliability)) struct `importing with a key` {
  private let connection: Connection

  init() throws { connection = try Connection() }

  /// Imports text into the table `t`, and returns the lines and reasons of the refused rows.
  private func importText(
    _ text: String, as format: DataFormat = .csv, key: String...,
    types: [String: StorageClass] = [:]
  ) throws -> [String] {
    var refused: [String] = []
    let result = try connection.importRows(
      from: [Array(text.utf8)], as: format, into: "t", key: key, types: types,
      refusals: .handle { refused.append("\($0.line) \($0.error.message)") })
    #expect(result.refusedCount == refused.count)
    return refused
  }

  private func rows(_ sql: String = "SELECT * FROM t") throws -> [[DatabaseValue]] {
    try connection.query(.values, sql: sql).map(\.values)
  }

  private var types: [String] {
    get throws { try connection.columns(of: "t").map { $0.declaredType ?? "" } }
  }

  @Test(arguments: [
    ("id,n\n1,a\n,b\n2,c\n", DataFormat.csv, 3),
    ("id\tn\n1\ta\n\tb\n2\tc\n", .tsv, 3),
    ("{\"id\":1,\"n\":\"a\"}\n{\"id\":null,\"n\":\"b\"}\n{\"id\":2,\"n\":\"c\"}\n", .jsonLines, 2),
    (
      "[{\"id\":1,\"n\":\"a\"},\n{\"id\":null,\"n\":\"b\"},\n{\"id\":2,\"n\":\"c\"}]", .jsonArray, 2
    ),
  ])
  func `a row whose key is NULL is refused`(text: String, format: DataFormat, line: Int) throws {
    for table in [
      "", "CREATE TABLE t(id INTEGER PRIMARY KEY, n)", "CREATE TABLE t(id INTEGER UNIQUE, n)",
      "CREATE TABLE t(id INT PRIMARY KEY, n ANY) STRICT, WITHOUT ROWID",
    ] {
      try connection.execute(sql: table)
      for _ in 0..<2 {
        #expect(
          try importText(text, as: format, key: "id") == ["\(line) The key column \"id\" is NULL"])
      }
      #expect(try rows() == [[1, "a"], [2, "c"]])
      #expect(
        failure {
          try connection.importRows(from: [Array(text.utf8)], as: format, into: "t", key: ["id"])
        }?.code == .constraintNotNull)
      try connection.execute(sql: "DROP TABLE t")
    }
  }

  @Test func `each column of a composite key must not be NULL`() throws {
    try connection.execute(sql: "CREATE TABLE t(a INTEGER, b INTEGER, v TEXT, UNIQUE(a, b))")
    for _ in 0..<2 {
      #expect(
        try importText("a,b,v\n1,,x\n1,2,y\n,2,z\n", key: "a", "b")
          == ["2 The key column \"b\" is NULL", "4 The key column \"a\" is NULL"])
    }
    #expect(try rows() == [[1, 2, "y"]])
  }

  @Test(arguments: [
    ("1.10,a\n1.1,b\n2.0,c\n", "TEXT", 3), ("1.5,a\n2,b\n", "REAL", 2),
    ("1.0,a\n1,b\n", "TEXT", 2), ("1e3,a\n1000,b\n2.5,c\n", "TEXT", 3), ("2.50,a\n", "TEXT", 1),
    ("-0,a\n0,b\n", "TEXT", 2), ("1,a\n2,b\n1,c\n", "INTEGER", 2), ("1.0,a\n9e999,b\n", "REAL", 2),
    ("0.10000000000000001,a\n0.1,b\n", "TEXT", 2), ("1e16,a\n10000000000000000,b\n", "TEXT", 2),
  ])
  func `a new table keeps different keys apart`(text: String, type: String, count: Int) throws {
    #expect(try importText("v,n\n" + text, key: "v") == [])
    #expect(try types == [type, "TEXT"])
    #expect(try rows().count == count)
  }

  @Test func `a column outside the key is a number although its text is not`() throws {
    #expect(try importText("k,v\n1,1.10\n2,1.1\n", key: "k") == [])
    #expect(try types == ["INTEGER", "REAL"])
  }

  /// Numbers that a column stores as the number of another line, and one that each column stores exactly.
  @Test(arguments: [
    "(id INTEGER UNIQUE, n)", "(id NUMERIC UNIQUE, n)", "(id REAL UNIQUE, n)",
    "(id DATE UNIQUE, n)", "(id ANY UNIQUE, n)", "(id INTEGER PRIMARY KEY, n)",
    "(id INTEGER PRIMARY KEY, n TEXT) STRICT", "(id REAL, n, PRIMARY KEY(id)) WITHOUT ROWID",
  ])
  func `text that a column stores as another number is refused as a key`(table: String) throws {
    for other in [
      "01", "+1", " 1", "1 ", "1e0", "1.0", "1.", "1.00", "10e-1", "\t1", "0.1e1", "+1.0",
    ] {
      try connection.execute(sql: "CREATE TABLE t\(table)")
      let refused = try importText("id,n\n1,a\n\(other),b\n", key: "id")
      #expect(refused.count == 1 && refused[0].hasPrefix("3 The key column \"id\" does not store"))
      #expect(try rows("SELECT n FROM t") == [["a"]], "\(other)")
      try connection.execute(sql: "DROP TABLE t")
    }
  }

  @Test(arguments: [
    ("INTEGER", "12345678901234567890", "12345678901234567891"),
    ("REAL", "9007199254740992", "9007199254740993"),
    ("NUMERIC", "0.10000000000000001", "0.1"), ("REAL", "1.10", "1.1"), ("INTEGER", "-0", "0"),
    ("REAL", "0.0", "-0.0"), ("REAL", "1e400", "9e999"), ("NUMERIC", "1e-400", "0"),
  ])
  func `numbers that a column cannot tell apart never merge`(
    type: String, first: String, second: String
  ) throws {
    try connection.execute(sql: "CREATE TABLE t(id \(type) UNIQUE, n)")
    let refused = try importText("id,n\n\(first),a\n\(second),b\n", key: "id")
    #expect(try rows().count == 2 - refused.count)
    #expect(!refused.isEmpty)
  }

  @Test func `keys are stored exactly, and are found again`() throws {
    let keys = [
      "1", "-7", "9223372036854775807", "0", "abc", "0x10", "1_0", "1e", "nan", "2.5", "-0.25",
      "1e+300", "9e999", "\"\"",
    ]
    for type in ["INTEGER", "NUMERIC", "TEXT", ""] {
      try connection.execute(sql: "CREATE TABLE t(id \(type) UNIQUE, n)")
      for value in ["a", "b"] {
        let text = keys.map { "\($0),\(value)\n" }.joined()
        #expect(try importText("id,n\n" + text, key: "id") == [], "\(type)")
        #expect(try rows("SELECT n FROM t") == keys.map { _ in [.text(value)] })
      }
      try connection.execute(sql: "DROP TABLE t")
    }
    // Whole numbers can have a point if all of them have one.
    try connection.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, n)")
    #expect(try importText("id,n\n1.0,a\n2.0,b\n", key: "id") == [])
    #expect(try importText("id,n\n1,c\n3,d\n", key: "id") == [])
    #expect(try rows() == [[1, "c"], [2, "b"], [3, "d"]])
  }

  @Test func `a key of text can differ in case and in zeros`() throws {
    try connection.execute(sql: "CREATE TABLE t(id TEXT COLLATE NOCASE UNIQUE, n)")
    #expect(try importText("id,n\n01,a\n1,b\nx,c\nX,d\n", key: "id") == [])
    // The collation of the table makes the keys equal.
    #expect(try rows() == [["01", "a"], ["1", "b"], ["x", "d"]])
  }

  @Test func `JSON numbers that a column does not store exactly are refused as keys`() throws {
    try connection.execute(sql: "CREATE TABLE t(id REAL UNIQUE, n)")
    let large = "{\"id\": 9007199254740993}\n{\"id\": 9007199254740992}\n"
    #expect(try importText(large, as: .jsonLines, key: "id").count == 1)
    try connection.execute(sql: "DROP TABLE t; CREATE TABLE t(id TEXT UNIQUE, n)")
    let reals = "{\"id\": 0.1234567890123456}\n{\"id\": 0.5}\n{\"id\": 3}\n"
    #expect(try importText(reals, as: .jsonLines, key: "id").count == 1)
    #expect(try rows("SELECT id FROM t") == [["0.5"], ["3"]])
  }

  @Test(arguments: ["id INTEGER PRIMARY KEY", "id TEXT NOT NULL UNIQUE"])
  func `a row with an existing key updates it although the row lacks required columns`(
    key: String
  ) throws {
    try connection.execute(
      sql: """
        CREATE TABLE t(
          \(key), n TEXT, must TEXT NOT NULL, size INTEGER DEFAULT 0 CHECK(size > 0),
          code TEXT DEFAULT 'x' UNIQUE);
        INSERT INTO t VALUES (1, 'old', 'kept', 5, 'a'), (2, 'old', 'kept', 6, 'x');
        """)
    for text in [
      "id,n\n1,new\n3,no\n2,new\n",
      "{\"n\":\"json\",\"id\":1}\n{\"id\":3,\"n\":\"no\"}\n{\"id\":2}\n",
    ] {
      let format: DataFormat = text.hasPrefix("id") ? .csv : .jsonLines
      let refused = try importText(text, as: format, key: "id")
      #expect(refused.count == 1)
      #expect(refused[0].hasSuffix("NOT NULL constraint failed: t.must"))
    }
    #expect(
      try rows("SELECT n, must, size, code FROM t")
        == [["json", "kept", 5, "a"], ["new", "kept", 6, "x"]])
    // A constraint of the updated row still refuses it.
    #expect(
      try importText("id,size\n1,0\n2,7\n", key: "id") == ["2 CHECK constraint failed: size > 0"])
    #expect(try importText("id,must\n1,\n", key: "id").count == 1)
  }

  @Test func `a key is compared as its unique index compares it`() throws {
    try connection.execute(
      sql: """
        CREATE TABLE t(a TEXT COLLATE NOCASE, n TEXT, must TEXT NOT NULL);
        CREATE UNIQUE INDEX i ON t(a COLLATE BINARY);
        INSERT INTO t VALUES ('a', '1', 'x'), ('A', '2', 'x');
        """)
    #expect(try importText("a,n\nA,new\n", key: "a") == [])
    #expect(try rows("SELECT a, n FROM t") == [["a", "1"], ["A", "new"]])
  }

  @Test func `a refused row changes nothing, even with FAIL`() throws {
    try connection.execute(
      sql: """
        CREATE TABLE log(a);
        CREATE TABLE t(id INTEGER PRIMARY KEY, n TEXT UNIQUE ON CONFLICT FAIL);
        CREATE TRIGGER before BEFORE INSERT ON t BEGIN INSERT INTO log VALUES (NEW.id); END;
        CREATE TRIGGER after AFTER INSERT ON t WHEN NEW.n = 'bad' BEGIN SELECT RAISE(FAIL, 'bad'); END;
        """)
    #expect(
      try importText("id,n\n1,a\n2,a\n3,bad\n4,b\n")
        == ["3 UNIQUE constraint failed: t.n", "4 bad"])
    #expect(try rows() == [[1, "a"], [4, "b"]])
    #expect(try rows("SELECT a FROM log") == [[1], [4]])
  }
}
