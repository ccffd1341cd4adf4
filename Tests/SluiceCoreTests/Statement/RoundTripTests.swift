import SluiceCore
import SluiceTesting
import TestSupport
import Testing

@Suite(.tags(.reliability), .inEachThreadingMode) struct `round trips` {
  private static let count = rounds(2_000, long: 10_000)
  let db: Connection

  init() throws {
    db = try Connection.inTestedMode()
    try db.execute(sql: "CREATE TABLE t(a)")
  }

  private func randomText(_ generator: inout SeededGenerator) -> String {
    var scalars = String.UnicodeScalarView()
    for _ in 0..<Int.random(in: 0...20, using: &generator) {
      let limit: UInt32 = [0x2, 0x7f, 0x7ff, 0xffff, 0x10ffff].randomElement(using: &generator)!
      if let scalar = Unicode.Scalar(UInt32.random(in: 0...limit, using: &generator)) {
        scalars.append(scalar)
      }
    }
    return String(scalars)
  }

  private func randomBytes(_ generator: inout SeededGenerator) -> [UInt8] {
    (0..<Int.random(in: 0...20, using: &generator)).map { _ in
      Bool.random(using: &generator)
        ? UInt8.random(in: 0...127, using: &generator)
        : UInt8.random(in: 0...255, using: &generator)
    }
  }

  @Test func `random texts round-trip unchanged`() throws {
    var generator = SeededGenerator(seed: 1)
    let statement = try db.prepare(sql: "SELECT ?1, typeof(?1), length(CAST(?1 AS BLOB))")
    for _ in 0..<Self.count {
      let text = randomText(&generator)
      try statement.bind(.string(text))
      guard let row = try statement.step() else { throw ForeignError() }
      let utf8 = Array(text.utf8)
      let isSame =
        try Array(row.get(.string, at: 0).utf8) == utf8 && Array(row.text(at: 0).utf8) == utf8
        && row.blob(at: 0) == utf8 && row.value(at: 1) == "text"
        && row.value(at: 2) == .integer(Int64(utf8.count))
      guard isSame else {
        Issue.record("Not the same: \(utf8)")
        return
      }
      try statement.reset()
    }
  }

  @Test func `random byte arrays round-trip unchanged`() throws {
    var generator = SeededGenerator(seed: 2)
    let insert = try db.prepare(sql: "INSERT INTO t VALUES (?) RETURNING a, typeof(a)")
    for _ in 0..<Self.count {
      let bytes = randomBytes(&generator)
      let back = try insert.bind(.bytes(bytes)).rows()[0].values
      guard back == [.blob(bytes), "blob"] else {
        Issue.record("Not the same: \(bytes)")
        return
      }
    }
    #expect(try db.value("SELECT count(*) FROM t") == .integer(Int64(Self.count)))
  }

  @Test func `random byte arrays cast to text are read as valid UTF-8 or throw`() throws {
    var generator = SeededGenerator(seed: 3)
    let statement = try db.prepare(sql: "SELECT CAST(? AS TEXT)")
    var refused = 0
    for _ in 0..<Self.count {
      let bytes = randomBytes(&generator)
      try statement.bind(.bytes(bytes))
      guard let row = try statement.step() else { throw ForeignError() }
      let expected = String(validating: bytes, as: UTF8.self)
      let text = try? row.get(.string, at: 0)
      let code = failure { try row.text(at: 0) }?.code
      let isSame =
        try text.map { Array($0.utf8) } == expected.map { Array($0.utf8) }
        && code == (expected == nil ? .mismatch : nil) && row.blob(at: 0) == bytes
      guard isSame else {
        Issue.record("Not the same: \(bytes)")
        return
      }
      if expected == nil { refused += 1 }
      try statement.reset()
    }
    #expect(refused > 1000 && refused < 9999)
  }

  @Test func `random numbers round-trip unchanged`() throws {
    var generator = SeededGenerator(seed: 4)
    let statement = try db.prepare(sql: "SELECT ?, ?")
    for _ in 0..<Self.count {
      let integer = Int64.random(in: .min ... .max, using: &generator)
      let real = Double(bitPattern: UInt64.random(in: 0 ... .max, using: &generator))
      guard !real.isNaN else { continue }
      let back = try statement.bind(.int64(integer), .double(real)).rows()[0].values
      guard back == [.integer(integer), .real(real)] else {
        Issue.record("Not the same: \(integer), \(real)")
        return
      }
    }
  }

  @Test func `random texts pass unchanged through an array, a function and an aggregate`()
    throws
  {
    var generator = SeededGenerator(seed: 5)
    let texts = (0..<Self.count).map { _ in randomText(&generator) }
    try db.addFunction("same") { (text: String) in text }
    try db.addAggregateFunction("last", arity: 1) { Last() }
    let back = try db.query(
      .columns(.string, .string, .string),
      sql: """
        SELECT value, same(value), last(value) OVER (ORDER BY rowid ROWS CURRENT ROW)
        FROM array(?) ORDER BY rowid
        """, parameters: .array(texts))
    #expect(back.count == texts.count)
    let isSame = zip(texts, back).allSatisfy { text, columns in
      [columns.0, columns.1, columns.2].allSatisfy { $0.utf8.elementsEqual(text.utf8) }
    }
    #expect(isSame)
  }

  @Test func `a UTF-8 collation sorts random texts by their bytes`() throws {
    var generator = SeededGenerator(seed: 6)
    let texts = (0..<Self.count).map { _ in randomText(&generator) }
    var areWhole = true
    let known = Set(texts.map { Array($0.utf8) })
    try db.addCollation(
      "bytewise",
      comparingUTF8: { first, second in
        let (first, second) = (
          first.indices.map { first[$0] }, second.indices.map { second[$0] }
        )
        areWhole = areWhole && known.contains(first) && known.contains(second)
        return first.lexicographicallyPrecedes(second)
          ? .ascending : first == second ? .same : .descending
      })
    let sorted = try db.query(
      .column(.string), sql: "SELECT value FROM array(?) ORDER BY value COLLATE bytewise",
      parameters: .array(texts))
    #expect(areWhole)
    let expected = texts.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
    #expect(sorted.map { Array($0.utf8) } == expected)
  }
}

/// A window function that returns the last value it received.
private final class Last: SQLAggregateWindowFunction {
  private var kept = DatabaseValue.null
  func step(_ values: borrowing SQLFunctionArguments) throws { kept = try values[0] }
  func inverse(_ values: borrowing SQLFunctionArguments) throws { _ = try values[0] }
  func value() -> DatabaseValue { kept }
  func final() -> DatabaseValue { kept }
}
