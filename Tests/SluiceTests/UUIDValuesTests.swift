import Foundation
import Sluice
import SluiceTesting
import TestSupport
import Testing

@Suite struct UUIDValuesTests {
  let db: Connection
  init() throws { db = try Connection() }

  @Test func `a UUID round-trips as text and as bytes`() throws {
    for id in [UUID(), UUID(), UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))] {
      #expect(try db.select(.uuidString, .uuidString(id)) == id)
      #expect(try db.select(.uuidBytes, .uuidBytes(id)) == id)
      #expect(try db.select(.value, .uuidString(id)) == .text(id.uuidString))
    }
  }

  @Test func `a UUID is stored in the chosen representation`() throws {
    let id = try #require(UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"))
    #expect(
      try db.select(.value, .uuidString(id)) == "00112233-4455-6677-8899-AABBCCDDEEFF")
    #expect(
      try db.select(.value, .uuidBytes(id))
        == .blob([0, 17, 34, 51, 68, 85, 102, 119, 136, 153, 170, 187, 204, 221, 238, 255]))
    #expect(
      try db.select(.uuidString, "00112233-4455-6677-8899-aabbccddeeff") == id)
    #expect(
      try db.select(.value, .uuid(id, as: .lowercaseText)) == "00112233-4455-6677-8899-aabbccddeeff"
    )
    #expect(try db.select(.value, .uuid(id, as: .text)) == .text(id.uuidString))
    #expect(try db.select(.uuidBytes, .uuid(id, as: .bytes)) == id)
    #expect(try db.select(.value, .uuid(nil, as: .lowercaseText)) == .null)
  }

  @Test(
    arguments: [
      "", "x", "00112233-4455-6677-8899-AABBCCDDEEF", "00112233-4455-6677-8899-AABBCCDDEEFG",
      "00112233445566778899AABBCCDDEEFF", "00112233-4455-6677-8899-AABBCCDDEEFF0", 7, nil,
      "00112233-4455-6677-8899-AABBCCDDEEFF\0", "00112233-4455-6677-8899-AABBCCDDEEFF\0x",
    ] as [DatabaseValue])
  func `reading a value that is not the text of a UUID throws a mismatch`(value: DatabaseValue) {
    #expect(failure { try db.select(.uuidString, .value(value)) }?.code == .mismatch)
  }

  @Test func `damaged UUID text is accepted or rejected as by Foundation`() throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededGenerator(seed: seed)
    let characters = Array("0123456789abcdefABCDEF-gGxX +{}@`/:\t".utf8)
    for _ in 0..<2000 {
      var text = Array(UUID().uuidString.utf8)
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        let index = text.indices.randomElement(using: &random) ?? 0
        text[index] = characters.randomElement(using: &random) ?? 0
      }
      let string = String(decoding: text, as: UTF8.self)
      #expect(
        (try? db.select(.uuidString, .string(string))) == UUID(uuidString: string),
        "seed \(seed), \(string)")
    }
  }

  @Test(arguments: [0, 1, 15, 17, 32])
  func `reading a blob that is not 16 bytes long as a UUID throws a mismatch`(
    count: Int
  ) {
    let bytes = [UInt8](repeating: 1, count: count)
    let error = failure { try db.select(.uuidBytes, .bytes(bytes)) }
    #expect(error?.code == .mismatch)
    #expect(error?.message == "Column 0 (?) is not the 16 bytes of a UUID")
    #expect(failure { try db.select(.uuidBytes, nil) }?.code == .mismatch)
  }

  @Test func `an optional UUID round-trips as NULL or as bytes`() throws {
    let id = UUID()
    let sql = "SELECT ?"
    #expect(
      try db.first(
        .column(.optional(.uuidBytes)), sql: sql,
        parameters: .uuidBytes(nil)) == .some(nil))
    #expect(
      try db.first(
        .column(.optional(.uuidBytes)), sql: sql, parameters: .uuidBytes(id))
        == id)
  }
}
