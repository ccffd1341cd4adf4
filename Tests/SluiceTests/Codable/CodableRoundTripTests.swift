import Foundation
import Sluice
import SluiceTesting
import TestSupport
import Testing

@Suite(.tags(.coding)) struct `random Codable values` {
  let db: Connection
  init() throws { db = try Connection() }

  @Test func `random values of many types round-trip with random strategies`() throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededGenerator(seed: seed)
    let dates: [DateStrategy] = [
      .sqlite, .iso8601, .millisecondsSince1970, .timeIntervalSinceReferenceDate, .julianDay,
      .custom(
        encode: { .text("\($0.timeIntervalSinceReferenceDate)") },
        decode: { value in
          guard case .text(let text) = value, let seconds = Double(text) else { throw NoDate() }
          return Date(timeIntervalSinceReferenceDate: seconds)
        }),
    ]
    let columns = "abcdefghijklmnopqrstuvw".map(String.init)
    let select = columns.map { ":\($0) AS \($0)" }.joined(separator: ", ")
    let asWritten = try db.prepare(sql: "SELECT \(select), :isOn AS isOn")
    let snakeCase = try db.prepare(sql: "SELECT \(select), :is_on AS is_on")
    for _ in 0..<1000 {
      let isSnakeCase = Bool.random(using: &random)
      let statement = isSnakeCase ? snakeCase : asWritten
      let strategies = CodingStrategies(
        dates: try #require(dates.randomElement(using: &random)),
        data: Bool.random(using: &random) ? .blob : .base64,
        uuids: [.text, .lowercaseText, .bytes].randomElement(using: &random) ?? .text,
        nested: Bool.random(using: &random) ? .json : .propertyList,
        keys: isSnakeCase ? .snakeCase : .asWritten)
      statement.codingStrategies = strategies
      let value = Random(using: &random)
      #expect(
        try statement.bind(encoding: value).first(Random.self) == value,
        "seed \(seed), \(strategies)")
    }
  }

  private struct NoDate: Error {}

  enum Size: String, Codable, CaseIterable { case small, large }
  enum Shape: Codable, Equatable {
    case circle(radius: Double)
    case none
  }

  struct Random: Codable, Equatable {
    var a: Int64
    var b: Double
    var c: String
    var d: Data
    var e: UUID
    var f: Date
    var g: [Int]
    var h: [String: [Date]]
    var i: Bool?
    var j: Int8?
    var k: [Data]?
    var l: Int16
    var m: Int32
    var n: Int
    var o: UInt8
    var p: UInt16
    var q: UInt32
    var r: UInt64
    var s: Float
    var t: URL
    var u: Decimal
    var v: Size?
    var w: Shape
    var isOn: Bool

    init(using random: inout SeededGenerator) {
      a = .random(in: .min ... .max, using: &random)
      let bits = Double(bitPattern: random.next())
      b = bits.isFinite ? bits : 0
      c = String(Self.scalars(&random))
      d = Self.data(&random)
      e = UUID()
      f = Self.date(&random)
      g = (0..<Int.random(in: 0...5, using: &random)).map { _ in
        .random(in: .min ... .max, using: &random)
      }
      h = ["1": [Self.date(&random)], "2\(c)": []]
      i = [nil, true, false].randomElement(using: &random) ?? nil
      j = Bool.random(using: &random) ? nil : .random(in: .min ... .max, using: &random)
      k = Bool.random(using: &random) ? nil : [Self.data(&random)]
      l = Self.integer(&random)
      m = Self.integer(&random)
      n = Self.integer(&random)
      o = Self.integer(&random)
      p = Self.integer(&random)
      q = Self.integer(&random)
      r = UInt64((Self.integer(&random) as Int64) & .max)
      s = Float.random(in: -1e30...1e30, using: &random)
      t = URL(filePath: "/\(Self.integer(&random) as UInt8)/a b?ü")
      u = Decimal(Self.integer(&random) as Int64) / 1000
      v = Bool.random(using: &random) ? nil : Size.allCases.randomElement(using: &random)
      w = Bool.random(using: &random) ? .none : .circle(radius: Double(s))
      isOn = .random(using: &random)
    }

    /// Returns a random integer; in half of the cases, it is one of the two limits.
    private static func integer<T: FixedWidthInteger>(_ random: inout SeededGenerator) -> T {
      switch random.next() & 3 {
      case 0: .min
      case 1: .max
      default: .random(in: .min ... .max, using: &random)
      }
    }

    private static func date(_ random: inout SeededGenerator) -> Date {
      Date(
        timeIntervalSinceReferenceDate: Double(
          Int64.random(in: -63_000_000_000_000...252_000_000_000_000, using: &random)) / 1000)
    }

    private static func data(_ random: inout SeededGenerator) -> Data {
      Data((0..<Int.random(in: 0...20, using: &random)).map { _ in UInt8(random.next() & 255) })
    }

    private static func scalars(_ random: inout SeededGenerator) -> String.UnicodeScalarView {
      var text = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 0...20, using: &random) {
        let number = UInt32.random(in: 0...0x2ff, using: &random)
        if let scalar = Unicode.Scalar(number) { text.append(scalar) }
      }
      return text
    }
  }
}
