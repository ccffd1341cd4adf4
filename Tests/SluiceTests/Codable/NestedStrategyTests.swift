import Foundation
import Sluice
import SluiceExtras
import SluiceTesting
import TestSupport
import Testing

@Suite(.tags(.reliability)) struct `arrays and nested values` {
  let db: Connection
  init() throws { db = try Connection() }

  struct Box: Codable, Equatable {
    var numbers: [Int] = []
    var matrix: [[Double]] = [[], [1.5]]
    var names: [String: [String?]] = ["a": ["x", nil], "b": []]
    var pets: [Pet] = [Pet(name: "Rex", age: 3)]
    var dates: [Date] = [Date(timeIntervalSince1970: 2.5)]
    var data: [Data] = [Data([1, 2])]
    var ids: [UUID] = [UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255))]
    var links: [URL] = [URL(filePath: "/a")]
    var sums: [Decimal] = [1.5]
  }

  private static let names = [
    "numbers", "matrix", "names", "pets", "dates", "data", "ids", "links", "sums",
  ]
  private static let select = "SELECT \(names.map { ":\($0) AS \($0)" }.joined(separator: ", "))"

  @Test func `nested values are stored as JSON and round-trip`() throws {
    let statement = try db.prepare(sql: Self.select).bind(encoding: Box())
    #expect(
      try statement.rows()[0].values == [
        "[]", "[[],[1.5]]", #"{"a":["x",null],"b":[]}"#, #"[{"age":3,"name":"Rex"}]"#,
        #"["1970-01-01 00:00:02.500"]"#, #"["AQI="]"#,
        #"["00010203-0405-0607-0809-0A0B0C0D0EFF"]"#, #"["file:///a"]"#, "[1.5]",
      ])
    #expect(try statement.first(Box.self) == Box())
  }

  @Test func `dates in JSON follow the date strategy`() throws {
    let expected: [(DateStrategy, DatabaseValue)] = [
      (.timeIntervalSince1970, "[2.5]"), (.millisecondsSince1970, "[2500]"),
      (.iso8601, #"["1970-01-01T00:00:02.500Z"]"#),
      (.timeIntervalSinceReferenceDate, "[-978307197.5]"),
    ]
    let dates = ["a": [Date(timeIntervalSince1970: 2.5)]]
    for (strategy, json) in expected {
      let statement = try db.prepare(sql: "SELECT :a AS a")
      statement.codingStrategies.dates = strategy
      #expect(try statement.bind(encoding: dates).first(.column(.value)) == json)
      #expect(try statement.first([String: [Date]].self) == dates)
    }
    for json in ["[true]", "[null]", #"["x"]"#, "[[]]", "[1e300]"] {
      #expect(throws: DecodingError.self, "\(json)") {
        try db.first([String: [Date]].self, "SELECT \(json) AS a")
      }
    }
  }

  @Test func `nested values are stored as binary property lists and round-trip`() throws {
    var box = Box()
    // A property list has no null.
    box.names = ["a": ["x"], "b": []]
    let statement = try db.prepare(sql: Self.select)
    statement.codingStrategies.nested = .propertyList
    try statement.bind(encoding: box)
    #expect(try statement.first(Box.self) == box)
    let numbers = try #require(try statement.first(.column(.bytes)))
    // The header, an empty array, the offset table, and the trailer.
    #expect(
      numbers == Array("bplist00".utf8) + [0xa0, 8] + [0, 0, 0, 0, 0, 0, 1, 1]
        + [0, 0, 0, 0, 0, 0, 0, 1] + [0, 0, 0, 0, 0, 0, 0, 0] + [0, 0, 0, 0, 0, 0, 0, 9])
    let dates = try #require(try statement.first(.column(.bytes, at: 4)))
    let list = try unsafe PropertyListSerialization.propertyList(
      from: Data(dates), format: nil)
    let read = list as? [Date]
    #expect(read == box.dates)
  }

  struct Tree: Codable, Equatable {
    var children: [Tree]
    static func deep(_ depth: Int) -> Tree {
      (0..<depth).reduce(Tree(children: [])) { tree, _ in Tree(children: [tree]) }
    }
  }

  @Test func `a deeply nested value round-trips`() throws {
    let tree = ["a": Tree.deep(50)]
    for strategy in [NestedStrategy.json, .propertyList] {
      let statement = try db.prepare(sql: "SELECT :a AS a")
      statement.codingStrategies.nested = strategy
      #expect(try statement.bind(encoding: tree).first([String: Tree].self) == tree)
    }
  }

  private static let garbage: [DatabaseValue] = [
    "", "{", "[", "[1", "[[[[", "nul", "\0", "{\"a\":}", "[1]x", .blob([]), .blob([0xff, 0xfe]),
    .blob(Array("bplist00".utf8)), 5, .real(.infinity),
    .text(String(repeating: "[", count: 100_000)),
    .text(String(repeating: #"{"children":["#, count: 10_000)), .null,
  ]

  @Test(arguments: [NestedStrategy.json, .propertyList], garbage)
  func `decoding invalid nested data throws a decoding error`(
    _ strategy: NestedStrategy, _ value: DatabaseValue
  ) throws {
    let decoder = RowDecoder(CodingStrategies(nested: strategy))
    func read<T: Decodable & SendableMetatype>(_ type: T.Type) throws {
      _ = try db.query(
        .decoding([String: T].self, by: decoder), sql: "SELECT ? AS a", parameters: .value(value))
    }
    #expect(throws: DecodingError.self) { try read([String].self) }
    #expect(throws: DecodingError.self) { try read(Tree.self) }
    #expect(throws: DecodingError.self) { try read([String: Int].self) }
  }

  @Test func `decoding self-referencing or damaged property lists does not crash`() throws {
    let decoder = RowDecoder(CodingStrategies(nested: .propertyList))
    var random = SeededGenerator(seed: 1)
    let statement = try db.prepare(sql: "SELECT :a AS a")
    try StatementEncoder(CodingStrategies(nested: .propertyList))
      .encode(["a": Tree.deep(3)], to: statement)
    let good = try #require(try statement.first(.column(.bytes)))
    // An array that contains itself.
    var lists = [Hostile.propertyList([Hostile.array([0])])]
    #expect(throws: DecodingError.self) {
      try db.query(
        .decoding([String: Tree].self, by: decoder), sql: "SELECT ? AS a",
        parameters: .bytes(lists[0]))
    }
    for _ in 0..<2000 {
      lists.append(Hostile.damaged(good, &random))
    }
    for list in lists {
      // Each list decodes to a value or throws a decoding error.
      do {
        _ = try db.query(
          .decoding([String: Tree].self, by: decoder), sql: "SELECT ? AS a",
          parameters: .bytes(list))
      } catch is DecodingError {}
    }
  }

  @Test func `a property list with values of all kinds is read as it was written`() throws {
    struct Everything: Codable, Equatable {
      var texts = ["", "a", "\u{e9}", "\u{1F600}", String(repeating: "x", count: 300), "a\u{301}"]
      var integers: [Int64] = [0, 1, 255, 256, 65_535, 65_536, 4_294_967_296, -1, .min, .max]
      var large = [UInt64.max, UInt64(Int64.max) + 1]
      var reals = [0.5, -1e300, .infinity, .leastNonzeroMagnitude]
      var floats: [Float] = [0.25, -3e38]
      var flags = [true, false]
      var date = Date(timeIntervalSinceReferenceDate: 0.123456789)
      var blobs = [Data(), Data([0, 255]), Data(repeating: 7, count: 300)]
      var keyed = ["\u{e9}": [1], "e\u{301}x": [], "Z": [2, 3], "": [4]]
      var many = Array(0..<70_000)
      var none: Int?
    }
    db.codingStrategies.nested = .propertyList
    struct Holder: Codable, Equatable { var content = Everything() }
    let stored = try #require(try db.parameters(encoding: Holder())["content"])
    #expect(try db.first(Holder.self, "SELECT \(stored) AS content") == Holder())
    guard case .blob(let bytes) = try db.select(.value, stored) else {
      Issue.record("It is no blob")
      return
    }
    // Other readers of Foundation accept it, too.
    let list = try unsafe PropertyListSerialization.propertyList(
      from: Data(bytes), format: nil)
    #expect((list as? [String: Any])?.count == 10)
    let sizes = [0, 14, 15, 250, 260]
    for size in sizes {
      db.codingStrategies.nested = .propertyList
      let list = (0..<size).map { ["\($0)": $0] }
      struct List: Codable, Equatable { var list: [[String: Int]] }
      let stored = try #require(try db.parameters(encoding: List(list: list))["list"])
      #expect(try db.first(List.self, "SELECT \(stored) AS list")?.list == list)
    }
  }

  @Test func `equal values inside of a property list are stored once`() throws {
    let text = String(repeating: "x", count: 1000)
    let stored = try StatementEncoder(CodingStrategies(nested: .propertyList))
      .parameter(for: Array(repeating: text, count: 100))
    guard case .blob(let bytes) = try db.select(.value, stored) else {
      Issue.record("It is no blob")
      return
    }
    #expect(bytes.count < 2000)
  }
}
