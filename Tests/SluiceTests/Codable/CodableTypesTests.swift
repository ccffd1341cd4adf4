import Foundation
import Sluice
import TestSupport
import Testing

@Suite(.tags(.coding)) struct `property types of Codable values` {
  let db: Connection
  init() throws { db = try Connection() }

  enum Size: String, Codable { case small, large }
  enum Level: Int8, Codable {
    case low = -1
    case high = 1
  }
  enum Shape: Codable, Equatable {
    case circle(radius: Double)
    case none
  }

  struct Celsius: Codable, Equatable, SQLValue {
    var degrees: Double
    init(_ degrees: Double) { self.degrees = degrees }
    init?(databaseValue: DatabaseValue) {
      guard let degrees = Double(databaseValue: databaseValue) else { return nil }
      self.init(degrees)
    }
    var databaseValue: DatabaseValue { .real(degrees) }
  }

  struct All: Codable, Equatable {
    var bool = true
    var int8 = Int8.min
    var int16 = Int16.min
    var int32 = Int32.min
    var int64 = Int64.min
    var int = Int.max
    var uint8 = UInt8.max
    var uint16 = UInt16.max
    var uint32 = UInt32.max
    var uint64 = UInt64(Int64.max)
    var uint = UInt(Int64.max)
    var float = Float(1.5)
    var double = -2.5
    var string = "a\0ü'"
    var data = Data([0, 255])
    var bytes: [UInt8] = [0, 255]
    var date = Date(timeIntervalSince1970: 1.5)
    var uuid = UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255))
    var url = URL(filePath: "/a b")
    var decimal = Decimal(string: "12345678901234567890.5") ?? 0
    var size = Size.large
    var level = Level.low
    var shape = Shape.circle(radius: 1)
    var nothing = Shape.none
    var celsius = Celsius(36.6)
    var value = DatabaseValue.blob([1])
    var array = [1, 2]
    var empty: [Int] = []
    var dictionary = ["a": [true]]
    var pet = Pet(name: "Rex", age: 3)
    var optional: Int?
    var optionalPet: Pet? = Pet(name: "Tom", age: 4)
    var dates = [Date(timeIntervalSince1970: 2)]
    var wrapped: Data? = Data()
    var doubleOptional: Int?? = .some(.none)
  }

  private static let names = [
    "bool", "int8", "int16", "int32", "int64", "int", "uint8", "uint16", "uint32", "uint64", "uint",
    "float", "double", "string", "data", "bytes", "date", "uuid", "url", "decimal", "size", "level",
    "shape", "nothing", "celsius", "value", "array", "empty", "dictionary", "pet", "optional",
    "optionalPet", "dates", "wrapped", "doubleOptional",
  ]

  private static let select =
    "SELECT \(names.map { ":\($0) AS \"\($0)\"" }.joined(separator: ", "))"

  @Test func `each property type is stored in the documented form and round-trips`() throws {
    let statement = try db.prepare(sql: Self.select).bind(encoding: All())
    let expected: [DatabaseValue] = [
      1, -128, -32768, -2_147_483_648, .integer(.min), .integer(.max), 255, 65535, 4_294_967_295,
      .integer(.max), .integer(.max), .real(1.5), .real(-2.5), "a\0ü'", .blob([0, 255]),
      .blob([0, 255]), "1970-01-01 00:00:01.500", "00010203-0405-0607-0809-0A0B0C0D0EFF",
      "file:///a%20b", "12345678901234567890.5", "large", -1, #"{"circle":{"radius":1}}"#,
      #"{"none":{}}"#, .real(36.6), .blob([1]), "[1,2]", "[]", #"{"a":[true]}"#,
      #"{"age":3,"name":"Rex"}"#, .null, #"{"age":4,"name":"Tom"}"#,
      #"["1970-01-01 00:00:02.000"]"#, .blob([]), .null,
    ]
    let stored = try statement.rows()[0].values
    for (index, name) in Self.names.enumerated() {
      #expect(stored[index] == expected[index], "\(name)")
    }
    var all = All()
    all.doubleOptional = nil
    #expect(try statement.first(All.self) == all)
  }

  @Test func `a column is converted to the property's type only if nothing is lost`() throws {
    struct Numbers: Decodable, Equatable {
      var a: Double
      var b: Int
      var c: Int8
      var d: String
      var e: Bool
      var f: UUID
      var g: Data
    }
    let id = All().uuid
    let found = try db.first(
      Numbers.self,
      """
      SELECT 3 AS a, 3.0 AS b, '42' AS c, 7 AS d, '1' AS e, \(.uuidBytes(id)) AS f, 'x' AS g
      """)
    #expect(
      found == Numbers(a: 3, b: 3, c: 42, d: "7", e: true, f: id, g: Data("x".utf8)))
  }

  @Test func `UUIDs as bytes and Data as Base64 round-trip, and invalid Base64 throws`() throws {
    struct Blobs: Codable, Equatable {
      var id: UUID
      var data: Data
    }
    let blobs = Blobs(id: All().uuid, data: Data([0, 255]))
    let statement = try db.prepare(sql: "SELECT :id AS id, :data AS data")
    statement.codingStrategies = CodingStrategies(data: .base64, uuids: .bytes)
    try statement.bind(encoding: blobs)
    #expect(
      try statement.rows()[0].values == [
        .blob([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255]), "AP8=",
      ])
    #expect(try statement.first(Blobs.self) == blobs)
    for sql in [
      "SELECT x'00' AS data, ? AS id", "SELECT 'AP8' AS data, ? AS id",
      "SELECT 'A\u{0}P8=' AS data, ? AS id",
    ] where !sql.contains("\0") {
      let wrong = try db.prepare(sql: sql).bind(.uuidBytes(blobs.id))
      wrong.codingStrategies = statement.codingStrategies
      #expect(throws: DecodingError.self) { try wrong.query(Blobs.self) }
    }
  }

  @Test func `a nested type can read the userInfo of its decoder and encoder`() throws {
    struct Marked: Codable {
      init() {}
      init(from decoder: any Decoder) throws {
        #expect(decoder.userInfo[.mark] as? Int == 7)
        #expect(decoder.codingPath.map(\.stringValue) == ["a"] || decoder.codingPath.isEmpty)
        _ = try decoder.unkeyedContainer()
      }
      func encode(to encoder: any Encoder) throws {
        #expect(encoder.userInfo[.mark] as? Int == 7)
        _ = encoder.unkeyedContainer()
      }
    }
    let info: [CodingUserInfoKey: any Sendable] = [.mark: 7]
    let statement = try db.prepare(sql: "SELECT :a AS a")
    for strategies in [CodingStrategies(), CodingStrategies(nested: .propertyList)] {
      let encoder = StatementEncoder(strategies, userInfo: info)
      try encoder.encode(["a": [Marked()]], to: statement)
      try encoder.encode(["a": Marked()], to: statement)
      let decoder = RowDecoder(strategies, userInfo: info)
      #expect(try statement.first(.decoding([String: Marked].self, by: decoder)) != nil)
    }
  }
}

extension CodingUserInfoKey {
  fileprivate static let mark = CodingUserInfoKey(rawValue: "mark")!
}
