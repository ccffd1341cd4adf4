import Foundation
import Sluice
import Synchronization
import TestSupport
import Testing

/// A value that encodes itself in parts.
private struct Steps: Encodable {
  let steps: (inout KeyedEncodingContainer<FreeKey>) throws -> Void

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: FreeKey.self)
    try steps(&container)
  }
}

/// A value that encodes itself in parts inside a column.
private struct Inside: Encodable {
  let a: Steps
  init(_ a: Steps) { self.a = a }
}

private struct FreeKey: CodingKey, ExpressibleByStringLiteral {
  let stringValue: String
  var intValue: Int? { nil }
  init(stringLiteral value: String) { stringValue = value }
  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

@Suite(.tags(.coding)) struct `encoding in parts` {
  let db: Connection
  init() throws { db = try Connection() }

  /// Returns the stored forms of a value, as properties and inside a column.
  private func stored(_ steps: Steps) throws -> [DatabaseValue] {
    let statement = try db.prepare(sql: "SELECT :a").bind(encoding: steps)
    let property = try statement.first(.column(.value))
    let parameter = try #require(try db.parameters(encoding: steps)["a"])
    let collected = try db.first(.column(.value), "SELECT \(parameter)")
    #expect(property == collected)
    let inside = try db.prepare(sql: "SELECT json_extract(:a, '$.a')").bind(encoding: Inside(steps))
    return [try #require(property), try #require(try inside.first(.column(.value)))]
  }

  private func expectLoss(_ steps: Steps, _ location: SourceLocation = #_sourceLocation) {
    let values: [(any Encodable, [String])] = [(steps, ["a"]), (Inside(steps), ["a", "a"])]
    for (value, path) in values {
      expectTwice(path, location) { try db.prepare(sql: "SELECT :a").bind(encoding: value) }
      expectTwice(path, location) { try db.parameters(encoding: value) }
    }
  }

  private func expectTwice(
    _ path: [String], _ location: SourceLocation, _ body: () throws -> some Any
  ) {
    do {
      _ = try body()
      Issue.record("It was encoded", sourceLocation: location)
    } catch EncodingError.invalidValue(_, let context) {
      #expect(
        context.debugDescription
          == "The value was encoded twice; an encoder accepts only one value",
        sourceLocation: location)
      #expect(context.codingPath.map(\.stringValue) == path, sourceLocation: location)
    } catch { Issue.record("\(error)", sourceLocation: location) }
  }

  @Test func `requesting a nested container again continues the existing container`() throws {
    let keyed = Steps { container in
      var one = container.nestedContainer(keyedBy: FreeKey.self, forKey: "a")
      try one.encode(1, forKey: "x")
      var two = container.nestedContainer(keyedBy: FreeKey.self, forKey: "a")
      try two.encode(2, forKey: "y")
      try one.encode(3, forKey: "z")
    }
    #expect(try stored(keyed) == [#"{"x":1,"y":2,"z":3}"#, #"{"x":1,"y":2,"z":3}"#])
    let list = Steps { container in
      var one = container.nestedUnkeyedContainer(forKey: "a")
      try one.encode(1)
      var two = container.nestedUnkeyedContainer(forKey: "a")
      #expect(two.count == 1)
      try two.encode(2)
    }
    #expect(try stored(list) == ["[1,2]", "[1,2]"])
  }

  private struct InOrder: Encodable {
    func encode(to encoder: any Encoder) throws {
      var values = encoder.unkeyedContainer()
      try values.encode(1)
      try values.encodeNil()
      var object = values.nestedContainer(keyedBy: FreeKey.self)
      try object.encode("x", forKey: "a")
      var list = values.nestedUnkeyedContainer()
      try list.encode(2)
      #expect(values.count == 4)
      var last = values.superEncoder().singleValueContainer()
      try last.encode("s")
    }
  }

  @Test func `an unkeyed container encodes parameters and nested containers in order`() throws {
    let statement = try Connection().prepare(sql: "VALUES (?), (?), (?), (?), (?)")
      .bind(encoding: InOrder())
    #expect(
      try statement.query(.column(.value)) == [1, .null, #"{"a":"x"}"#, "[2]", "s"])
  }

  @Test func `encoding one key twice in conflicting ways throws`() {
    expectLoss(
      Steps { container in
        var one = container.nestedContainer(keyedBy: FreeKey.self, forKey: "a")
        try one.encode(1, forKey: "x")
        var two = container.nestedUnkeyedContainer(forKey: "a")
        try two.encode(2)
      })
    expectLoss(
      Steps { container in
        var list = container.nestedUnkeyedContainer(forKey: "a")
        try list.encode(2)
        var one = container.superEncoder(forKey: "a").container(keyedBy: FreeKey.self)
        try one.encode(1, forKey: "x")
      })
    expectLoss(
      Steps { container in
        try container.encode(1, forKey: "a")
        var list = container.nestedUnkeyedContainer(forKey: "a")
        try list.encode(2)
      })
    expectLoss(
      Steps { container in
        var list = container.nestedUnkeyedContainer(forKey: "a")
        try list.encode(2)
        try container.encode(1, forKey: "a")
      })
    expectLoss(
      Steps { container in
        var list = container.nestedUnkeyedContainer(forKey: "a")
        try list.encode(2)
        try container.encodeNil(forKey: "a")
      })
    expectLoss(
      Steps { container in
        let encoder = container.superEncoder(forKey: "a")
        var value = encoder.singleValueContainer()
        try value.encode(1)
        var list = encoder.unkeyedContainer()
        try list.encode(2)
      })
    expectLoss(
      Steps { container in
        let encoder = container.superEncoder(forKey: "a")
        var list = encoder.unkeyedContainer()
        try list.encode(2)
        var value = encoder.singleValueContainer()
        try value.encode(1)
      })
    expectLoss(
      Steps { container in
        var value = container.superEncoder(forKey: "a").singleValueContainer()
        try value.encode(1)
        try value.encode(2)
      })
  }

  @Test func `encoding a key several times stores the last single value`() throws {
    let steps = Steps { container in
      try container.encode(1, forKey: "a")
      try container.encodeNil(forKey: "a")
      try container.encode("x", forKey: "a")
    }
    #expect(try stored(steps) == ["x", "x"])
  }

  @Test func `canonically equivalent keys are two parameters, but throw in a nested value`()
    throws
  {
    let steps = Steps { container in
      try container.encode(1, forKey: "\u{e9}")
      var list = container.nestedUnkeyedContainer(forKey: "e\u{301}")
      try list.encode(2)
      var other = container.nestedUnkeyedContainer(forKey: "\u{e9}x")
      try other.encode(3)
      var another = container.nestedUnkeyedContainer(forKey: "e\u{301}x")
      try another.encode(4)
    }
    let statement = try db.prepare(
      sql: "SELECT :\u{e9}, :e\u{301}, :\u{e9}x, :e\u{301}x"
    ).bind(encoding: steps)
    #expect(try statement.rows()[0].values == [1, "[2]", "[3]", "[4]"])
    expectInvalid(["a"], nil) { try db.parameters(encoding: Inside(steps)) }
  }

  @Test func `encoding a nested value reads each key a bounded number of times`() throws {
    struct Many: Encodable {
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CountedKey.self)
        for number in 0..<2000 { try container.encode(number, forKey: CountedKey(number)) }
      }
    }
    let statement = try db.prepare(sql: "SELECT count(*), sum(value) FROM json_each(:a)")
    try statement.bind(encoding: ["a": Many()])
    #expect(try statement.rows()[0].values == [2000, 1_999_000])
    #expect(CountedKey.count.withLock { $0 } < 20 * 2000)
  }

  private struct CountedKey: CodingKey {
    static let count = Mutex(0)
    let number: Int
    var intValue: Int? { nil }
    var stringValue: String {
      Self.count.withLock { $0 += 1 }
      return "key \(number)"
    }
    init(_ number: Int) { self.number = number }
    init?(stringValue: String) { nil }
    init?(intValue: Int) { nil }
  }

  @Test func `an encoding error contains the encoded value`() throws {
    let statement = try db.prepare(sql: "SELECT :a")
    try db.setLimit(.length, to: 100)
    let long = String(repeating: "x", count: 100)
    let error = #expect(throws: EncodingError.self) {
      try statement.bind(encoding: ["a": ["b": [long], "c": []]])
    }
    guard case .invalidValue(let value, let context) = error else { return }
    #expect(value as? [String: [String]] == ["b": [long], "c": []])
    #expect(context.codingPath.map(\.stringValue) == ["a"])
    #expect(!"\(try #require(error))".contains("NestedValue"))
  }
}
