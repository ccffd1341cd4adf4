import SluiceCore
import Testing

@Suite struct RoundTripTests {
  let db: Connection

  init() throws {
    db = try Connection()
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

  @Test func `10,000 random texts come back as they were`() throws {
    var generator = SeededGenerator(state: 1)
    let statement = try db.prepare(sql: "SELECT ?1, typeof(?1), length(CAST(?1 AS BLOB))")
    for _ in 0..<10_000 {
      let text = randomText(&generator)
      try statement.bind(.string(text))
      guard let row = try statement.step() else { throw Unrelated() }
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

  @Test func `10,000 random byte arrays come back as they were`() throws {
    var generator = SeededGenerator(state: 2)
    let insert = try db.prepare(sql: "INSERT INTO t VALUES (?) RETURNING a, typeof(a)")
    for _ in 0..<10_000 {
      let bytes = randomBytes(&generator)
      let back = try insert.bind(.bytes(bytes)).rows()[0].values
      guard back == [.blob(bytes), "blob"] else {
        Issue.record("Not the same: \(bytes)")
        return
      }
    }
    #expect(try db.value("SELECT count(*) FROM t") == 10_000)
  }

  @Test func `10,000 random byte arrays taken for text are text or refused`() throws {
    var generator = SeededGenerator(state: 3)
    let statement = try db.prepare(sql: "SELECT CAST(? AS TEXT)")
    var refused = 0
    for _ in 0..<10_000 {
      let bytes = randomBytes(&generator)
      try statement.bind(.bytes(bytes))
      guard let row = try statement.step() else { throw Unrelated() }
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

  @Test func `10,000 random numbers come back as they were`() throws {
    var generator = SeededGenerator(state: 4)
    let statement = try db.prepare(sql: "SELECT ?, ?")
    for _ in 0..<10_000 {
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
}
