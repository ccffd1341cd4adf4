import Foundation
import Sluice
import Testing

extension `E1 errors of decoding` {
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

  @Test func `containers inside of a nested value go as deep as it does, and say where they are`()
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

  @Test func `so do decoders inside of it`() throws {
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
