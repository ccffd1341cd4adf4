import Foundation
import Sluice
import SluiceExtras
import SluiceTesting
import TestSupport
import Testing

@Suite(.tags(.values)) struct `property lists` {
  let db: Connection
  init() throws { db = try Connection() }

  struct Photo: Codable, Equatable {
    var title: String
    var size: Int
    var pixels: Data
    var taken: Date
    var scale: Double
    var isShared: Bool
    var places: [String: [UInt64]]
    var note: String?
  }

  static let photo = Photo(
    title: "ü and 🙂", size: .min, pixels: Data([0, 255]), taken: Date(timeIntervalSince1970: 1.5),
    scale: -0.25, isShared: true, places: ["a": [0, .max], "ü": Array(0..<300)], note: nil)

  @Test func `a value round-trips as a property list`() throws {
    #expect(try db.select(.propertyList(Photo.self), .propertyList(Self.photo)) == Self.photo)
    #expect(try db.select(.propertyList(), .propertyList([[1], []])) == [[1], []])
    let many = (0..<70_000).map { "\($0 % 100)" }
    #expect(try db.select(.propertyList(), .propertyList(many)) == many)
  }

  @Test func `a property list is stored in binary format`() throws {
    let stored = try #require(try db.select(.bytes, .propertyList([1])))
    #expect(stored.starts(with: "bplist00".utf8))
  }

  @Test func `decoding a property list of another type throws with the coding path`() {
    let error = failure { try db.select(.propertyList([Int].self), .propertyList(["x"])) }
    #expect(error?.code == .mismatch)
    #expect(
      error?.message
        == "Column 0 (?) is not the property list of Array<Int>: Expected to decode Int"
        + " but found a string instead. (at [0])")
  }

  @Test func `storing a value that is neither an array nor a dictionary throws`() {
    let error = failure { try db.select(.value, .propertyList(5)) }
    #expect(error?.code == .mismatch)
    #expect(error?.message.hasPrefix("Int cannot be encoded as a property list: ") == true)
  }

  @Test(
    arguments: [
      "", "x", "bplist00", .text("bplist00" + String(repeating: "\0", count: 32)), 7, nil,
      "<?xml version=\"1.0\"?><plist version=\"1.0\"><array/></plist>",
      .text(String(repeating: "<array>", count: 100_000)),
    ] as [DatabaseValue])
  func `reading a value that is not a binary property list throws`(value: DatabaseValue) {
    #expect(failure { try db.select(.propertyList([Int].self), .value(value)) }?.code == .mismatch)
  }

  /// A value that decodes nested arrays to any depth.
  struct Nest: Decodable {
    init(from decoder: any Decoder) throws {
      var list = try decoder.unkeyedContainer()
      while !list.isAtEnd { _ = try list.decode(Nest.self) }
    }
  }

  @Test func `reading an array that contains itself throws`() {
    let list = Hostile.propertyList([Hostile.array([0])])
    let error = failure { try db.select(.propertyList(Nest.self), .bytes(list)) }
    #expect(error?.message.hasSuffix("An object is referenced twice or contains itself") == true)
  }

  @Test func `reading nested arrays that double in number at each level throws`() {
    let list = Hostile.propertyList(
      (1...40).map { Hostile.array([$0, $0]) } + [Hostile.array([])])
    #expect(failure { try db.select(.propertyList(Nest.self), .bytes(list)) }?.code == .mismatch)
  }

  @Test func `reading arrays that are nested too deeply throws`() {
    let list = Hostile.propertyList(
      (1...10_000).map { Hostile.array([$0]) } + [Hostile.array([])])
    let error = failure { try db.select(.propertyList(Nest.self), .bytes(list)) }
    #expect(error?.message.hasSuffix("It is nested too deeply or is too large") == true)
  }

  @Test func `reading a property list with one wrong byte returns a value or throws a mismatch`()
    throws
  {
    let list = try #require(
      try db.first(.column(.bytes), "SELECT \(.propertyList(["a", "b"]))"))
    for index in list.indices {
      for byte: UInt8 in [0x00, 0x0f, 0x33, 0x70, 0x80, 0xb1, 0xd1, 0xff] {
        var damaged = list
        damaged[index] = byte
        do {
          _ = try db.first(.column(.propertyList([String].self)), "SELECT \(damaged)")
        } catch {
          #expect((error as? SQLiteError)?.code == .mismatch, "\(error)")
        }
      }
    }
  }

  @Test func `reading a property list that references a long string too often throws`() {
    let text =
      [0x5f, 0x12] + Hostile.bytes(of: 1_000_000) + [UInt8](repeating: 65, count: 1_000_000)
    let list = Hostile.propertyList([
      Hostile.array([Int](repeating: 1, count: 100_000)), text,
    ])
    #expect(
      failure { try db.select(.propertyList([String].self), .bytes(list)) }?.code == .mismatch)
  }

  @Test func `reading a randomly damaged property list returns a value or throws a mismatch`()
    throws
  {
    let list = try #require(try db.select(.bytes, .propertyList(Self.photo)))
    var random = SeededGenerator(seed: 1)
    for _ in 0..<3_000 {
      let damaged = Hostile.damaged(list, &random)
      do { _ = try db.select(.propertyList(Photo.self), .bytes(damaged)) } catch {
        #expect((error as? SQLiteError)?.code == .mismatch)
      }
    }
  }
}
