import Foundation
import Sluice
import Testing

extension `decoding errors` {
  struct Tree: Decodable {
    var found: [String] = []
    private enum Keys: CodingKey { case a, b, deep }
    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Keys.self)
        .nestedContainer(keyedBy: Keys.self, forKey: .a)
      found += container.allKeys.map(\.stringValue).sorted()
      if container.contains(.b) { found.append(try container.decodeNil(forKey: .b) ? "nil" : "b") }
      let object = try container.nestedContainer(keyedBy: Keys.self, forKey: .deep)
      found += try object.decode([String].self, forKey: .a)
      var list = try object.nestedUnkeyedContainer(forKey: .b)
      if try list.decodeNil() { found.append("nil in \(list.count ?? -1) at \(list.currentIndex)") }
      found.append(
        try list.nestedContainer(keyedBy: Keys.self).superDecoder(forKey: .a).singleValueContainer()
          .decode(String.self))
      var inner = try list.nestedUnkeyedContainer()
      while !inner.isAtEnd { found.append(try inner.decode(String.self)) }
      found.append(try list.superDecoder().singleValueContainer().decode(String.self))
    }
  }

  @Test func `nested containers decode at any depth and report the coding path of an error`()
    throws
  {
    func tree(_ json: String) throws -> Tree? { try db.first(Tree.self, "SELECT \(json) AS a") }
    let whole = #"{"b":null,"deep":{"a":["x"],"b":[null,{"a":"y"},["z","zz"],"s"]}}"#
    let found = try tree(whole)
    #expect(found?.found == ["b", "deep", "nil", "x", "nil in 4 at 1", "y", "z", "zz", "s"])
    for (json, place) in [
      (#"{"deep":1}"#, ["a", "deep"]),
      (#"{"deep":{"a":[1]}}"#, ["a", "deep", "a", "Index 0"]),
      (#"{"deep":{"a":[],"b":1}}"#, ["a", "deep", "b"]),
      (#"{"deep":{"a":[],"b":[null,1]}}"#, ["a", "deep", "b", "Index 1"]),
      (#"{"deep":{"a":[],"b":[null,{"a":1}]}}"#, ["a", "deep", "b", "Index 1", "a"]),
      (#"{"deep":{"a":[],"b":[null,{"a":"y"},1]}}"#, ["a", "deep", "b", "Index 2"]),
      (#"{"deep":{"a":[],"b":[null,{"a":"y"},[1]]}}"#, ["a", "deep", "b", "Index 2", "Index 0"]),
      (#"{"deep":{"a":[],"b":[null,{"a":"y"},[],1]}}"#, ["a", "deep", "b", "Index 3"]),
    ] {
      #expect(path { try tree(json) } == place, "\(json)")
    }
  }

  struct Numbers: Decodable, Equatable {
    var int: Int?
    var byte: Int8?
    var wide: UInt64?
    var huge: Int128?
    var real: Double?
    var list: [Int]?
    var named: [String: [Int]]?
    var date: Date?
    var inner: [Numbers]?
  }

  @Test(arguments: [
    (#"{"int":1.5}"#, ["a", "int"]), (#"{"byte":300}"#, ["a", "byte"]),
    (#"{"int":9223372036854775808}"#, ["a", "int"]), (#"{"wide":-1}"#, ["a", "wide"]),
    (#"{"huge":0.5}"#, ["a", "huge"]), (#"{"real":1e999}"#, ["a", "real"]),
    (#"{"list":[1,2.5]}"#, ["a", "list", "Index 1"]),
    (#"{"named":{"x":[],"y":[1.5]}}"#, ["a", "named", "y", "Index 0"]),
    (#"{"date":1e999}"#, ["a", "date"]),
    (
      #"{"inner":[{},{"inner":[{"byte":-129}]}]}"#,
      ["a", "inner", "Index 1", "inner", "Index 0", "byte"]
    ),
  ])
  func `decoding a nested number out of range throws an error with its coding path`(
    _ json: String, _ place: [String]
  ) throws {
    #expect(path { try db.first([String: Numbers].self, "SELECT \(json) AS a") } == place)
    let list = "[\(json)]"
    #expect(
      path { try db.first([String: [Numbers]].self, "SELECT \(list) AS a") }
        == ["a", "Index 0"] + place.dropFirst())
  }

  @Test(arguments: ["[1.5]", "[1e999]", "[9223372036854775808]"])
  func `decoding a number out of range in a JSON array throws an error with column and index`(
    _ json: String
  )
    throws
  {
    struct Scores: Decodable { var list: [Int] }
    #expect(path { try db.first(Scores.self, "SELECT \(json) AS list") } == ["list", "Index 0"])
    let path = path { try db.first(.decoding(Scores.self), "SELECT \(json) AS list") }
    #expect(path == ["list", "Index 0"])
  }

  struct Lenient: Decodable {
    var numbers: [Int] = []
    var others: [String] = []
    init(from decoder: any Decoder) throws {
      var list = try decoder.container(keyedBy: Keys.self).nestedUnkeyedContainer(forKey: .a)
      while !list.isAtEnd {
        if let inner = try? list.decode([Int].self) {
          numbers += inner
        } else {
          others.append(try list.decode([String: String].self)["b"] ?? "")
        }
      }
    }
    private enum Keys: CodingKey { case a }
  }

  @Test func `a value that fails to decode can be decoded as another type`() throws {
    let found = try db.first(Lenient.self, "SELECT \(#"[[1,2],{"b":"x"},[3]]"#) AS a")
    #expect(found?.numbers == [1, 2, 3])
    #expect(found?.others == ["x"])
  }

  @Test func `an error that a nested type throws is rethrown unchanged`() throws {
    struct Odd: Error {}
    struct Part: Decodable { init(from decoder: any Decoder) throws { throw Odd() } }
    #expect(throws: Odd.self) { try db.first([String: [Part]].self, "SELECT \("[1]") AS a") }
  }

  @Test func `decoding nested data in the wrong format throws an error that names the strategy`()
    throws
  {
    func message(_ sql: String, _ nested: NestedStrategy) throws -> String? {
      let statement = try db.prepare(sql: sql)
      statement.codingStrategies.nested = nested
      do { _ = try statement.first([String: [String]].self) } catch DecodingError.dataCorrupted(
        let context)
      {
        #expect(context.codingPath.map(\.stringValue) == ["e"])
        #expect((context.underlyingError as? SQLiteError)?.code == .mismatch)
        return context.debugDescription
      }
      return nil
    }
    #expect(
      try message("SELECT x'62706c697374ff' AS e", .json)
        == "Column 0 (e) is BLOB, and not UTF-8; the strategy `nested: .json` reads JSON")
    for sql in ["SELECT x'41' AS e", "SELECT '[1' AS e", "SELECT '' AS e"] {
      #expect(
        try message(sql, .json)
          == "Column 0 (e) is not JSON, as the strategy `nested: .json` requires")
    }
    let found = try message("SELECT '[]' AS e", .propertyList)
    #expect(
      found?.hasPrefix(
        "Column 0 (e) is not a binary property list, as the strategy `nested: .propertyList` requires"
      )
        == true)
  }

  struct Decoders: Decodable {
    var found: [String] = []
    private enum Keys: CodingKey { case a, b }
    init(from decoder: any Decoder) throws {
      let value = try decoder.container(keyedBy: Keys.self)
        .nestedContainer(keyedBy: Keys.self, forKey: .a)
      var list = try value.superDecoder(forKey: .a).unkeyedContainer()
      found.append(try list.decode(String.self))
      let last = try list.superDecoder().singleValueContainer()
      if last.decodeNil() {
        found.append("nil")
      } else {
        found.append(try last.decode(String.self))
      }
      let inner = try value.superDecoder(forKey: .b).container(keyedBy: Keys.self)
      found.append(try inner.decode(String.self, forKey: .b))
    }
  }

  @Test func `super decoders of a nested value decode and report the coding path of an error`()
    throws
  {
    func decoders(_ json: String) throws -> Decoders? {
      try db.first(Decoders.self, "SELECT \(json) AS a")
    }
    #expect(try decoders(#"{"a":["x","y"],"b":{"b":"z"}}"#)?.found == ["x", "y", "z"])
    #expect(try decoders(#"{"a":["x",null],"b":{"b":"z"}}"#)?.found == ["x", "nil", "z"])
    for (json, place) in [
      (#"{"a":1}"#, ["a", "a"]),
      (#"{"a":[1]}"#, ["a", "a", "Index 0"]),
      (#"{"a":["x",1]}"#, ["a", "a", "Index 1"]),
      (#"{"a":["x","y"],"b":[]}"#, ["a", "b"]),
      (#"{"a":["x","y"],"b":{"b":1}}"#, ["a", "b", "b"]),
    ] {
      #expect(path { try decoders(json) } == place, "\(json)")
    }
  }
}
