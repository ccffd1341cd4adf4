import Foundation
import Sluice
import TestSupport
import Testing

@Suite struct DataTests {
  let db: Connection
  init() throws { db = try Connection() }

  @Test(arguments: [Data(), Data([0]), Data([0, 255, 0]), Data(repeating: 7, count: 100_000)])
  func `Data round-trips as a blob`(data: Data) throws {
    #expect(try db.select(.data, .data(data)) == data)
    #expect(try db.select(.value, .data(data)) == .blob([UInt8](data)))
    let row = try #require(
      try db.prepare(sql: "SELECT ?").bind(SQLParameter(data)).map { row -> Data in try row[0] }
        .first)
    #expect(row == data)
  }

  @Test func `empty Data is bound as an empty blob`() throws {
    #expect(
      try db.first(.column(.string), sql: "SELECT typeof(?)", parameters: .data(Data())) == "blob")
  }

  @Test func `a slice of Data binds only the bytes of the slice`() throws {
    let slice = Data([1, 2, 3, 4])[1...2]
    #expect(try db.select(.value, .data(slice)) == .blob([2, 3]))
  }

  @Test func `text can be read as Data of its UTF-8 bytes, but a number or NULL throws a mismatch`()
    throws
  {
    #expect(try db.select(.data, "é") == Data([0xc3, 0xa9]))
    #expect(failure { try db.select(.data, 7) }?.code == .mismatch)
    #expect(failure { try db.select(.data, nil) }?.code == .mismatch)
  }

  @Test func `text that is not valid UTF-8 can be read as Data`() throws {
    #expect(
      try db.first(.column(.data), sql: "SELECT CAST(x'61ff' AS TEXT)") == Data([0x61, 0xff]))
  }
}
