import SluiceCore
import TestSupport
import Testing

@Suite(.inEachThreadingMode) struct LendingTests {
  let db: Connection
  init() throws { db = try Connection.inTestedMode() }

  private func copy(_ span: Span<UInt8>) -> [UInt8] { span.indices.map { span[$0] } }

  private func row<T>(_ sql: String, _ body: (borrowing Row) throws -> T) throws -> T {
    var values: [T] = []
    try db.execute(sql: sql) { values.append(try body($0)) }
    return try #require(values.first)
  }

  @Test func `text and blobs are borrowed by index and by name`() throws {
    let lent = try row("SELECT 'a→🙂' AS t, x'00ff00' AS b") { row in
      [
        try row.withUTF8(at: 0) { copy($0) }, try row.withUTF8(named: "t") { copy($0) },
        try row.withBytes(at: 1) { copy($0) }, try row.withBytes(named: "b") { copy($0) },
      ]
    }
    let text = Array("a→🙂".utf8)
    #expect(lent == [text, text, [0, 255, 0], [0, 255, 0]])
  }

  @Test func `empty text and empty blobs are borrowed as empty spans`() throws {
    let counts = try row("SELECT '', x'', zeroblob(0)") { row in
      [
        try row.withUTF8(at: 0) { $0.count }, try row.withBytes(at: 1) { $0.count },
        try row.withBytes(at: 2) { $0.count },
      ]
    }
    #expect(counts == [0, 0, 0])
  }

  @Test func `a zeroblob and text that contains a NUL are borrowed in full`() throws {
    let lent = try row("SELECT zeroblob(100000), CAST(x'610062' AS TEXT)") { row in
      (try row.withBytes(at: 0) { $0.count }, try row.withUTF8(at: 1) { copy($0) })
    }
    #expect(lent.0 == 100_000)
    #expect(lent.1 == [0x61, 0, 0x62])
  }

  @Test func `text with invalid UTF-8 is borrowed unchanged`() throws {
    let lent = try row("SELECT CAST(x'61ff' AS TEXT)") { try $0.withUTF8(at: 0) { copy($0) } }
    #expect(lent == [0x61, 0xff])
  }

  @Test func `withUTF8 accepts only text, and withBytes accepts only blobs`() throws {
    let codes = try row("SELECT 1, 1.5, 'x', x'78', NULL") { row in
      (
        row.indices.map { index in failure { try row.withUTF8(at: index) { _ in } }?.code },
        row.indices.map { index in failure { try row.withBytes(at: index) { _ in } }?.code }
      )
    }
    #expect(codes.0 == [.mismatch, .mismatch, nil, .mismatch, .mismatch])
    #expect(codes.1 == [.mismatch, .mismatch, .mismatch, nil, .mismatch])
  }

  @Test func `the caller receives the result or the error of a borrowing closure`() throws {
    let (caught, value) = try row("SELECT 'x', x'78'") { row in
      var caught = 0
      do { try row.withUTF8(at: 0) { _ in throw ForeignError() } } catch is ForeignError {
        caught += 1
      }
      do { try row.withBytes(at: 1) { _ in throw ForeignError() } } catch is ForeignError {
        caught += 1
      }
      return (caught, try row.withUTF8(at: 0) { $0[0] })
    }
    #expect(caught == 2)
    #expect(value == 0x78)
  }

  @Test func `while bytes are borrowed, using the statement or closing the connection throws`()
    throws
  {
    let statement = try db.prepare(sql: "SELECT ?, x'78' UNION ALL SELECT 'z', x'7a'")
    try statement.bind("x")
    guard let row = try statement.step() else {
      Issue.record("There is a row")
      return
    }
    func moves() -> [ResultCode?] {
      [
        failure { try statement.step() }, failure { try statement.reset() },
        failure { try statement.execute() }, failure { try statement.bind("y") },
        failure { try statement.bind("y", toParameter: 1) }, failure { try statement.bind(["y"]) },
        failure { try statement.clearBindings() }, failure { try statement.rows() },
        failure { try statement.first(.values) }, failure { try statement.forEachRow { _ in } },
        failure { try db.close() },
      ].map { $0?.code }
    }
    let (codes, byte) = try row.withUTF8(at: 0) { span in (moves(), span[0]) }
    #expect(codes == codes.map { _ in .misuse })
    #expect(byte == 0x78)
    let nested = try row.withBytes(at: 1) { _ in
      try row.withUTF8(at: 0) { _ in }
      return moves()
    }
    #expect(nested == nested.map { _ in .misuse })
    let value = try row.value(at: 0)
    #expect(value == "x")
    #expect(try statement.step()?.value(at: 0) == "z")
  }

  @Test func `a statement can be reset after a borrowing closure throws`() throws {
    let statement = try db.prepare(sql: "SELECT 'x', x'78'")
    guard let row = try statement.step() else {
      Issue.record("There is a row")
      return
    }
    #expect(throws: ForeignError()) { try row.withUTF8(at: 0) { _ in throw ForeignError() } }
    #expect(failure { try row.withUTF8(at: 1) { _ in } }?.code == .mismatch)
    try statement.reset()
    try db.close()
  }

  @Test func `a row can be read while its bytes are borrowed`() throws {
    let same = try row("SELECT 'text', x'0102', 7, 1.5") { row in
      try row.withUTF8(at: 0) { text in
        try row.withBytes(at: 1) { bytes in
          for index in row.indices {
            _ = try (
              row.value(at: index), row.text(at: index == 1 ? 0 : index), row.blob(at: index)
            )
            _ = try (row.integer(at: index), row.real(at: index))
          }
          return (copy(text), copy(bytes))
        }
      }
    }
    #expect(same.0 == Array("text".utf8))
    #expect(same.1 == [1, 2])
  }

  @Test func `another statement can run while bytes are borrowed`() throws {
    let value = try row("SELECT 'x'") { row in
      try row.withUTF8(at: 0) { _ in try db.value("SELECT 2") }
    }
    #expect(value == 2)
  }
}
