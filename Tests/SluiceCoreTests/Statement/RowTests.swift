import SluiceCore
import TestSupport
import Testing

@Suite(.inEachThreadingMode) struct RowTests {
  let db: Connection
  init() throws { db = try Connection.inTestedMode() }

  /// Passes the only row of `sql` to `body` and returns the result.
  private func row<T>(_ sql: String, _ body: (borrowing Row) throws -> T) throws -> T {
    var values: [T] = []
    try db.execute(sql: sql) { values.append(try body($0)) }
    return try #require(values.first)
  }

  @Test func `a row can be read by index, name, subscript and dynamic member`() throws {
    let values = try row("SELECT 5000000000 AS n, 'x' AS s") { row in
      let bySubscript: Int = try row[0]
      let byName: Int? = try row["n"]
      let byMember: Int64 = try row.n
      let text: String = try row.s
      return (
        [
          try row.value(at: 0), try row.value(named: "n"), .integer(try row.get(.int64, at: 0)),
          .integer(try row.get(.int64, named: "n")),
          .integer(try row.optional(.int64, at: 0) ?? 0),
          .integer(try row.optional(.int64, named: "n") ?? 0), .integer(Int64(bySubscript)),
          .integer(Int64(byName ?? 0)), .integer(byMember), .integer(try row.integer(at: 0)),
          .integer(try row.integer(named: "n")),
        ], text
      )
    }
    #expect(values.0 == Array(repeating: 5_000_000_000, count: 11))
    #expect(values.1 == "x")
  }

  @Test func `a dynamic member refers to a column, never to an internal member of the row`() throws
  {
    let columns = ["count", "statement", "generation", "position", "columns", "isEmpty", "source"]
    let sql = columns.enumerated().map { "\($0 + 10) AS \"\($1)\"" }.joined(separator: ", ")
    let found = try row("SELECT \(sql)") { row in
      [
        try row.count, try row.statement, try row.generation, try row.position, try row.columns,
        try row.isEmpty,
      ] as [Int]
    }
    #expect(found == Array(10..<16))
  }

  @Test(arguments: [
    "indices", "columnNames", "index", "value", "values", "get", "optional", "integer", "real",
    "text", "blob", "storageClass", "isNull", "mismatch", "withUTF8", "withBytes",
  ])
  func `a row's subscript reads a column that has the name of a row member`(_ name: String) throws {
    let found: Int = try row("SELECT 7 AS [\(name)]") { row in try row[name] }
    #expect(found == 7)
  }

  @Test func `the indices and column names of a row follow the column order`() throws {
    let (count, names, values) = try row("SELECT 1 AS a, 'b' AS b, NULL AS c") { row in
      (row.indices.count, row.columnNames, try row.indices.map { try row.value(at: $0) })
    }
    #expect(count == 3)
    #expect(names == ["a", "b", "c"])
    #expect(values == [1, "b", .null])
  }

  @Test func `a duplicate column name refers to its first column`() throws {
    let (index, value, names) = try row("SELECT 1 AS a, 2 AS b, 3 AS a, 4 AS b") { row in
      let seen = [
        try row.index(named: "b"), try row.index(named: "a"), try row.index(named: "b"),
        try row.index(named: "b"), try row.index(named: "a"),
      ]
      return (seen, try row.value(named: "a"), row.columnNames)
    }
    #expect(index == [1, 0, 1, 1, 0])
    #expect(value == 1)
    #expect(names == ["a", "b", "a", "b"])
  }

  @Test func `columns are found by name in any order in each row`() throws {
    let statement = try db.prepare(
      sql: "SELECT 1 AS a, 2 AS b, 3 AS c UNION ALL SELECT 4, 5, 6")
    let values = try statement.map { row in
      try ["c", "a", "b", "b", "c", "c", "a"].map { try row.value(named: $0) }
    }
    #expect(values == [[3, 1, 2, 2, 3, 3, 1], [6, 4, 5, 5, 6, 6, 4]])
  }

  @Test(arguments: ["z", "", "\u{c4}", "a ", " a", "a\0"])
  func `each method of a row throws for an unknown column name`(name: String) throws {
    let codes = try row("SELECT 1 AS a") { row in
      [
        failure { try row.index(named: name) }, failure { try row.value(named: name) },
        failure { try row.get(.int, named: name) }, failure { try row.optional(.int, named: name) },
        failure { () throws -> Int in try row[name] },
        failure { () throws -> Int? in try row[name] },
        failure { () throws -> Int? in try row.nobody },
        failure { try row.integer(named: name) }, failure { try row.real(named: name) },
        failure { try row.text(named: name) }, failure { try row.blob(named: name) },
        failure { try row.withUTF8(named: name) { _ in } },
        failure { try row.withBytes(named: name) { _ in } },
      ].map { $0?.code }
    }
    #expect(codes == codes.map { _ in .range })
  }

  @Test func `the error for an unknown column contains its name and the SQL`() throws {
    let error = failure {
      try db.execute(sql: "SELECT 1 AS a") { _ = try $0.value(named: "nobody") }
    }
    #expect(error?.message.contains(#""nobody""#) == true)
    #expect(error?.sql == "SELECT 1 AS a")
  }

  @Test(arguments: [1] + impossibleIndexes)
  func `each method of a row throws for a column index out of range`(index: Int) throws {
    let codes = try row("SELECT 1 AS a") { row in
      [
        failure { try row.value(at: index) }, failure { try row.storageClass(at: index) },
        failure { try row.isNull(at: index) }, failure { try row.get(.int, at: index) },
        failure { try row.get(.string, at: index) }, failure { try row.optional(.int, at: index) },
        failure { () throws -> Int in try row[index] },
        failure { () throws -> Int? in try row[index] },
        failure { try row.integer(at: index) }, failure { try row.real(at: index) },
        failure { try row.text(at: index) }, failure { try row.blob(at: index) },
        failure { try row.withUTF8(at: index) { _ in } },
        failure { try row.withBytes(at: index) { _ in } },
      ].map { $0?.code }
    }
    #expect(codes == codes.map { _ in .range })
    let words = try row("SELECT 1 AS a") { row in row.mismatch(at: index, "is odd").message }
    #expect(words == "Column \(index) is odd")
    let statement = try db.prepare(sql: "SELECT 1")
    #expect(failure { try statement.query(.column(.int, at: index)) }?.code == .range)
    #expect(failure { try statement.first(.column(.optional(.int), at: index)) }?.code == .range)
  }

  @Test func `reading NULL throws for a nonoptional type and returns nil for an optional type`()
    throws
  {
    let codes = try row("SELECT NULL AS a") { row in
      [
        failure { try row.get(.int, at: 0) }, failure { try row.get(.int, named: "a") },
        failure { try row.get(.double, at: 0) }, failure { try row.get(.string, at: 0) },
        failure { try row.get(.bytes, at: 0) }, failure { try row.get(.bool, at: 0) },
        failure { try row.get(.uint64BitPattern, at: 0) },
        failure { () throws -> Int in try row[0] }, failure { () throws -> String in try row.a },
        failure { try row.integer(at: 0) }, failure { try row.real(at: 0) },
        failure { try row.text(at: 0) }, failure { try row.blob(at: 0) },
        failure { try row.withUTF8(at: 0) { _ in } }, failure { try row.withBytes(at: 0) { _ in } },
      ].map { $0?.code }
    }
    #expect(codes == codes.map { _ in .mismatch })
    let isNil = try row("SELECT NULL AS a") { row in
      let bySubscript: Int? = try row[0]
      let byName: String? = try row["a"]
      let byMember: [UInt8]? = try row.a
      return [
        try row.isNull(at: 0), try row.optional(.int, at: 0) == nil,
        try row.optional(.string, named: "a") == nil, bySubscript == nil, byName == nil,
        byMember == nil, try row.value(at: 0) == .null, try row.storageClass(at: 0) == .null,
      ]
    }
    #expect(isNil == Array(repeating: true, count: 8))
  }

  @Test func `a conversion error contains the column and the SQL but no value`() throws {
    let error = failure {
      try db.execute(sql: "SELECT 'secret' AS pay") { _ = try $0.get(.int, at: 0) }
    }
    #expect(error?.code == .mismatch)
    #expect(error?.message.contains("Column 0 (pay)") == true)
    #expect(error?.sql == "SELECT 'secret' AS pay")
    #expect(error?.message.contains("secret") == false)
  }

  @Test func `a row reports the storage class of each value`() throws {
    let classes = try row("SELECT 1, 1.0, '1', x'31', NULL") { row in
      try row.indices.map { try row.storageClass(at: $0) }
    }
    #expect(classes == StorageClass.allCases)
  }
}
