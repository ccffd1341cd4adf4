import SluiceCore
import TestSupport
import Testing

@Suite(.inEachThreadingMode) struct `float arrays in blobs` {
  @Test(
    arguments: [
      [], [0], [1.5, -2],
      [.infinity, -.infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude],
      Array(repeating: 0.1, count: 10_001),
    ] as [[Float]])
  func `an array of floats reads back unchanged`(_ values: [Float]) throws {
    let db = try Connection.inTestedMode()
    let read = try db.first(.column(.floats), sql: "SELECT ?", parameters: .floats(values))
    #expect(read == values)
  }

  @Test func `each float is stored as four little-endian bytes`() throws {
    let db = try Connection.inTestedMode()
    let bytes = try db.first(.column(.bytes), sql: "SELECT ?", parameters: .floats([1, -2.5]))
    #expect(bytes == [0, 0, 0x80, 0x3f, 0, 0, 0x20, 0xc0])
  }

  @Test func `a NaN preserves its bit pattern`() throws {
    let db = try Connection.inTestedMode()
    let nan = Float(bitPattern: 0xffc0_0001)
    let read = try db.first(.column(.floats), sql: "SELECT ?", parameters: .floats([nan]))
    #expect(read?.map(\.bitPattern) == [0xffc0_0001])
  }

  @Test(arguments: ["x'00'", "x'000000'", "x'0000000000'"])
  func `reading a blob as floats throws if its size is not a multiple of 4`(_ blob: String) throws {
    let db = try Connection.inTestedMode()
    let error = failure { try db.first(.column(.floats), sql: "SELECT \(blob) AS v") }
    #expect(error?.code == .mismatch)
    #expect(error?.message.contains("not a multiple of 4") == true)
  }

  @Test(arguments: ["'[1,2]'", "1", "1.5", "NULL", "'abcd'"])
  func `reading a value that is not a blob as floats throws`(_ value: String) throws {
    let db = try Connection.inTestedMode()
    let error = failure { try db.first(.column(.floats), sql: "SELECT \(value)") }
    #expect(error?.code == .mismatch)
  }

  @Test func `an optional float array reads NULL as nil`() throws {
    let db = try Connection.inTestedMode()
    let read = try db.query(.column(.optional(.floats)), sql: "VALUES (NULL), (x'0000803f')")
    #expect(read == [nil, [1]])
  }
}
