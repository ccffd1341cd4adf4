import Foundation
import Sluice
import TestSupport
import Testing

@Suite(.tags(.values)) struct `JSON paths` {
  let db: Connection
  init() throws { db = try Connection() }

  private func found(_ path: JSONPath, in json: String) throws -> DatabaseValue? {
    try db.first(.column(.value), "SELECT \(json) ->> \(path)")
  }

  @Test(
    arguments: [
      ([], "$"), (["a"], #"$."a""#), (["a.b", "", "[0]"], #"$."a.b".""."[0]""#),
      (["a", 0, -1, .end], #"$."a"[0][#-1][#]"#), ([2_147_483_647], "$[2147483647]"),
      ([-2_147_483_648], "$[#-2147483648]"),
    ] as [(JSONPath, String)])
  func `a path is bound as text in SQLite's syntax`(path: JSONPath, text: String) throws {
    #expect(try db.first(.column(.string), "SELECT \(path)") == text)
  }

  @Test(arguments: [
    "a", "a.b", "a[0]", "", " ", "$", "#", "'", "*", "ä", "é\u{301}", "😀", "\u{7f}", "\u{2028}",
  ])
  func `a path finds the value of any key without quotation marks and escapes`(key: String) throws {
    let json = try #require(try db.select(.string, .json([key: [1, 2]])))
    #expect(try found([.key(key), 1], in: json) == 2)
    #expect(try found([.key(key + "x")], in: json) == .null)
    let changed = try db.first(
      .column(.json([String: [Int]].self)),
      "SELECT json_set(\(json), \([.key(key), .end] as JSONPath), 3)")
    #expect(changed == [key: [1, 2, 3]])
  }

  @Test(arguments: ["\"", "a\"b", "\\", "a\nb", "a\0b", "\u{1f}", #"a" || (SELECT 1) || ""#])
  func `a key that a path cannot express throws a mismatch`(key: String) {
    let error = failure { try db.execute("SELECT '{}' ->> \([.key(key)] as JSONPath)") }
    #expect(error?.code == .mismatch)
    #expect(error?.message.contains("json_each") == true)
  }

  @Test(arguments: [Int.min, -2_147_483_649, 2_147_483_648, 4_294_967_296, .max])
  func `an index that SQLite would truncate throws a range error`(index: Int) {
    let error = failure { try db.execute("SELECT '[1]' ->> \([.index(index)] as JSONPath)") }
    #expect(error?.code == .range)
    #expect(error?.message.contains("\(index)") == true)
  }

  @Test func `an index counts from the start, or from the end if it is negative`() throws {
    #expect(try found([0], in: "[1,2,3]") == 1)
    #expect(try found([-1], in: "[1,2,3]") == 3)
    #expect(try found([3], in: "[1,2,3]") == .null)
    #expect(try found([-4], in: "[1,2,3]") == .null)
    #expect(try found([.end], in: "[1,2,3]") == .null)
    #expect(try found(JSONPath(["a"]).appending(.index(-1)), in: #"{"a":[1,7]}"#) == 7)
  }

  @Test func `a value interpolated as JSONB is read as the same value`() throws {
    try db.execute(sql: "CREATE TABLE t(a)")
    let value = ["b": ["x/y", "ü\0\""], "a": []]
    try db.execute(
      "INSERT INTO t VALUES (\(jsonb: value)), (\(.json(value))), (\(jsonb: Int?.none))")
    let converter = ColumnValueConverter.json([String: [String]].self)
    #expect(
      try db.query(.column(.optional(converter)), sql: "SELECT json(a) FROM t")
        == [value, value, nil])
    let isBinary = SQLiteLibrary.has(.jsonb)
    #expect(
      try db.column("SELECT typeof(a) FROM t") == [isBinary ? "blob" : "text", "text", "null"])
    #expect(try db.column(#"SELECT a ->> '$."b"[0]' FROM t"#) == ["x/y", "x/y", .null])
  }

  @Test func `a value that JSON cannot represent throws as JSONB`() {
    #expect(failure { try db.execute("SELECT \(jsonb: Double.infinity)") }?.code == .mismatch)
  }

  @Test(
    arguments: [
      [0x4c, 0x17, 0x61, 0x13, 0x31], [0xff, 0x00],
      [0xff, 0xfe] + Array("{\"a\":1}".utf16).flatMap { [UInt8($0), 0] },
    ] as [[UInt8]])
  func `reading a blob that is not JSON text advises to select json`(bytes: [UInt8]) {
    let error = failure { try db.select(.json([String: Int].self), .bytes(bytes)) }
    #expect(error?.code == .mismatch)
    #expect(error?.message.hasSuffix("(to read JSONB, select json(column))") == true)
  }
}
