import SluiceCore
import TestSupport
import Testing

@Suite struct BindingTests {
  let db: Connection

  init() throws {
    db = try Connection()
    try db.execute(sql: "CREATE TABLE t(a, b)")
  }

  private func stored() throws -> [[DatabaseValue]] {
    try db.query(.values, sql: "SELECT a, b FROM t").map(\.values)
  }

  @Test func `each form of binding stores the same row`() throws {
    let numbered = try db.prepare(sql: "INSERT INTO t VALUES (?, ?)")
    let named = try db.prepare(sql: "INSERT INTO t VALUES (:a, @b)")
    let pair: KeyValuePairs<String, SQLParameter> = ["a": .int(33), "@b": .string("lulu")]
    let dictionary: [String: SQLParameter] = [":a": 33, "b": "lulu"]
    try numbered.bind(33, "lulu").execute()
    try numbered.bind([33, "lulu"]).execute()
    try numbered.bind(SQLParameters([DatabaseValue.integer(33), "lulu"].lazy)).execute()
    try numbered.bind(33, toParameter: 1).bind("lulu", toParameter: 2).execute()
    try named.bind(.int(33), .string("lulu")).execute()
    try named.bind(SQLParameters(dictionary)).execute()
    try named.bind(SQLParameters(pair)).execute()
    try named.bind(33, toParameter: ":a").bind("lulu", toParameter: "@b").execute()
    try named.bind(33, toParameter: "a").bind("lulu", toParameter: "b").execute()
    try db.execute(sql: numbered.sql, parameters: 33, "lulu")
    try db.execute(sql: numbered.sql, parameters: [33, "lulu"])
    try db.execute(sql: named.sql, parameters: [":a": 33, "@b": "lulu"])
    #expect(try stored() == Array(repeating: [33, "lulu"], count: 12))
  }

  @Test func `bind assigns any number of values to parameters in order`() throws {
    func values(_ count: Int) throws -> Statement {
      try db.prepare(
        sql: "VALUES (" + Array(repeating: "?", count: count).joined(separator: ",") + ")")
    }
    func expect(_ statement: Statement) throws {
      let values = try statement.first(.values)?.values
      #expect(values == (1...statement.parameterCount).map { .integer(Int64($0)) })
    }
    try expect(values(1).bind(1))
    try expect(values(2).bind(1, 2))
    try expect(values(3).bind(1, 2, 3))
    try expect(values(4).bind(1, 2, 3, 4))
    try expect(values(5).bind(1, 2, 3, 4, 5))
    try expect(values(6).bind(1, 2, 3, 4, 5, 6))
    try expect(values(7).bind(1, 2, 3, 4, 5, 6, 7))
    try expect(values(9).bind(1, 2, 3, 4, 5, 6, 7, 8, 9))
    #expect(failure { try values(7).bind(1, 2, 3, 4, 5, 6, 7, 8) }?.code == .range)
  }

  /// Short text is bound from a buffer of the statement, up to the 64th parameter.
  @Test func `text of any length is bound in full at any parameter`() throws {
    let lengths = [0, 1, 7, 8, 15, 16, 63, 64, 65, 127, 1000]
    for pattern in ["x", "é", "\u{0}"] {
      let texts = lengths.flatMap { length in
        (0..<12).map { String(repeating: pattern, count: length) + "\($0)" }
      }
      let statement = try db.prepare(
        sql: "VALUES (" + Array(repeating: "?", count: texts.count).joined(separator: ",") + ")")
      for texts in [texts, texts.reversed(), texts] {
        let values = try statement.bind(SQLParameters(texts)).first(.values)?.values
        #expect(values == texts.map { .text($0) })
      }
    }
  }

  @Test func `bound text outlives the string that was bound`() throws {
    let statement = try db.prepare(sql: "SELECT ?1 || ?2 FROM (VALUES (1), (2))")
    do {
      let short = [1, 2].map { "short \($0)" }
      try statement.bind(.string(short[0]), .string(short[1]))
    }
    let other = try db.prepare(sql: "SELECT ?1 || ?2")
    #expect(try other.bind("SHORT 1", "SHORT 2").first(.column(.string)) == "SHORT 1SHORT 2")
    for _ in 0..<2 {
      #expect(try statement.query(.column(.string)) == Array(repeating: "short 1short 2", count: 2))
    }
    // After a schema change, SQLite transfers the bindings to a recompiled statement.
    try db.execute(sql: "CREATE TABLE other(a)")
    #expect(try statement.first(.column(.string)) == "short 1short 2")
    #expect(try statement.expandedSQL.contains("'short 1' || 'short 2'"))
  }

  @Test func `a parameter that occurs twice in the SQL is bound once`() throws {
    try db.execute(sql: "INSERT INTO t VALUES (:x, :x)", parameters: ["x": 5])
    try db.execute(sql: "INSERT INTO t VALUES (?1, ?1)", parameters: 6)
    #expect(try stored() == [[5, 5], [6, 6]])
  }

  @Test func `rebinding a finished statement replaces all earlier values`() throws {
    let statement = try db.prepare(sql: "INSERT INTO t(a) VALUES (?)")
    try statement.bind(43).execute()
    try statement.bind(44).execute()
    try statement.reset()
    try statement.bind(45).execute()
    try statement.bind(.null).execute()
    #expect(try stored() == [[43, .null], [44, .null], [45, .null], [.null, .null]])
  }

  @Test func `bindings persist across runs until clearBindings removes them`() throws {
    let statement = try db.prepare(sql: "INSERT INTO t VALUES (?, ?)")
    try statement.bind(1, 2).execute()
    try statement.bind(3, toParameter: 1).execute()
    try statement.clearBindings()
    #expect(failure { try statement.execute() }?.code == .range)
    try statement.bind(4, toParameter: 1)
    #expect(failure { try statement.execute() }?.code == .range)
    try statement.bind(5, toParameter: 2).execute()
    #expect(try stored() == [[1, 2], [3, 2], [4, 5]])
  }

  @Test func `a rejected value leaves its parameter unbound`() throws {
    let statement = try db.prepare(sql: "INSERT INTO t(a) VALUES (?)")
    #expect(failure { try statement.bind(.double(.nan)) }?.code == .mismatch)
    #expect(failure { try statement.execute() }?.code == .range)
    try statement.bind(1)
    #expect(failure { try statement.bind(.uint64(.max)) }?.code == .range)
    #expect(failure { try statement.execute() }?.message == "Parameter 1 has no value")
    #expect(try stored().isEmpty)
  }

  @Test(arguments: [.nan, -.nan, .signalingNaN] as [Double])
  func `binding NaN throws an error with the number of the parameter`(nan: Double) throws {
    let statement = try db.prepare(sql: "SELECT ?, ?")
    for parameter in [SQLParameter.double(nan), .value(.real(nan)), SQLParameter(nan)] {
      let error = failure { try statement.bind(parameter, toParameter: 2) }
      #expect(error?.code == .mismatch)
      #expect(error?.message.contains("Parameter 2") == true)
    }
    #expect(failure { try statement.bind(.float(Float(nan)), toParameter: 1) }?.code == .mismatch)
  }

  @Test(
    arguments: [
      .infinity, -.infinity, 0, -0.0, 2.2250738585072014e-308, 1.7976931348623157e308, 0.1,
    ] as [Double])
  func `a real round-trips bit for bit`(real: Double) throws {
    let value = try db.value("SELECT ?", .double(real))
    guard case .real(let back) = value else {
      Issue.record("\(value) is not real")
      return
    }
    #expect(back.bitPattern == real.bitPattern)
  }

  @Test(arguments: [0, 1, -1, 5_000_000_000, .max, .min, 9_007_199_254_740_993] as [Int64])
  func `an integer round-trips unchanged`(integer: Int64) throws {
    #expect(try db.value("SELECT ?", .int64(integer)) == .integer(integer))
  }

  @Test func `a bound value preserves its storage class`() throws {
    let values: [DatabaseValue] = [7, 7.0, "7", .blob([55]), .null]
    for value in values {
      #expect(try db.value("SELECT ?", .value(value)) == value)
      #expect(
        try db.value("SELECT typeof(?)", .value(value))
          == .text(value.storageClass.rawValue.lowercased())
      )
    }
  }

  @Test(arguments: ["a\0b", "\0", "\0\0", "a\0"])
  func `text that contains a NUL is stored and read in full`(text: String)
    throws
  {
    try db.execute(sql: "INSERT INTO t VALUES (?, typeof(?1))", parameters: .string(text))
    #expect(try stored() == [[.text(text), "text"]])
    let read = try #require(try db.first(.column(.string), sql: "SELECT a FROM t"))
    #expect(read.unicodeScalars.count == text.unicodeScalars.count)
    #expect(
      try db.value("SELECT length(CAST(a AS BLOB)) FROM t") == .integer(Int64(text.utf8.count)))
  }

  @Test func `long text and text copied from a substring are bound in full`() throws {
    let long = String(repeating: "ä🙂", count: 100_000)
    #expect(try db.value("SELECT length(?)", .string(long)) == 200_000)
    let cut = String(long.dropFirst(3).prefix(5))
    #expect(try db.value("SELECT ?", .string(cut)) == .text(cut))
  }

  @Test func `binding rethrows the error of a parameter unchanged`() throws {
    let bad = SQLParameter { throw ForeignError() }
    #expect(throws: ForeignError()) { try db.execute(sql: "SELECT ?", parameters: bad) }
    #expect(throws: ForeignError()) { try db.prepare(sql: "SELECT :a").bind(["a": bad]) }
    let indexed = try db.prepare(sql: "SELECT ?")
    #expect(failure { try indexed.bind(bad, toParameter: 2) }?.code == .range)
  }
}
