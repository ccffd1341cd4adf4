import Foundation
import Sluice
import Testing

@Suite struct `E3 random values` {
  let db: Connection
  init() throws { db = try Connection() }

  @Test func `random values of all types come back by each strategy`() throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SplitMix(seed: seed)
    let dates: [DateStrategy] = [
      .sqlite, .iso8601, .millisecondsSince1970, .timeIntervalSinceReferenceDate, .julianDay,
    ]
    let columns = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"]
    let statement = try db.prepare(
      sql: "SELECT \(columns.map { ":\($0) AS \($0)" }.joined(separator: ", "))")
    for _ in 0..<500 {
      let strategies = CodingStrategies(
        dates: try #require(dates.randomElement(using: &random)),
        data: Bool.random(using: &random) ? .blob : .base64,
        uuids: Bool.random(using: &random) ? .text : .bytes,
        nested: Bool.random(using: &random) ? .json : .propertyList,
        keys: Bool.random(using: &random) ? .asWritten : .snakeCase)
      statement.codingStrategies = strategies
      let value = Random(using: &random)
      #expect(
        try statement.bind(encoding: value).first(Random.self) == value,
        "seed \(seed), \(strategies)")
    }
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

    init(using random: inout SplitMix) {
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
    }

    private static func date(_ random: inout SplitMix) -> Date {
      Date(
        timeIntervalSinceReferenceDate: Double(
          Int64.random(in: -63_000_000_000_000...252_000_000_000_000, using: &random)) / 1000)
    }

    private static func data(_ random: inout SplitMix) -> Data {
      Data((0..<Int.random(in: 0...20, using: &random)).map { _ in UInt8(random.next() & 255) })
    }

    private static func scalars(_ random: inout SplitMix) -> String.UnicodeScalarView {
      var text = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 0...20, using: &random) {
        let number = UInt32.random(in: 0...0x2ff, using: &random)
        if let scalar = Unicode.Scalar(number) { text.append(scalar) }
      }
      return text
    }
  }
}
