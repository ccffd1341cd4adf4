import Foundation
import Sluice
import TestSupport
import Testing

@Suite(.tags(.coding)) struct `decoding errors` {
  let db: Connection
  init() throws { db = try .withPeople() }

  @Test func `decoding a missing column throws keyNotFound unless the property is optional`() throws
  {
    do {
      _ = try db.query(Person.self, sql: "SELECT id, tags FROM person")
      Issue.record("It has no name")
    } catch DecodingError.keyNotFound(let key, let context) {
      #expect(key.stringValue == "name")
      #expect(context.codingPath.isEmpty)
      #expect((context.underlyingError as? SQLiteError)?.code == .range)
    }
    // An optional property needs no column.
    let found = try db.first(Person.self, sql: "SELECT id, name, '[]' AS tags FROM person")
    #expect(found == Person(id: 1, name: "Ada", tags: []))
  }

  @Test(arguments: ["name", "tags", "id"])
  func `decoding NULL throws valueNotFound for a property that is not optional`(_ column: String)
    throws
  {
    let columns = ["id", "name", "tags"].map { $0 == column ? "NULL AS \($0)" : $0 }
    do {
      _ = try db.query(
        Person.self, sql: "SELECT \(columns.joined(separator: ", ")) FROM person")
      Issue.record("It has no \(column)")
    } catch DecodingError.valueNotFound(_, let context) {
      #expect(context.codingPath.map(\.stringValue) == [column])
      #expect((context.underlyingError as? SQLiteError)?.code == .mismatch)
    }
  }

  struct Wrong: Sendable {
    let name: String
    let literal: String
    let isOtherType: Bool
    let decode: @Sendable (borrowing Row) throws -> Void

    init<T: Decodable & SendableMetatype>(
      _ type: T.Type, _ literal: String, isOtherType: Bool
    ) {
      name = "\(literal) as \(type)"
      self.literal = literal
      self.isOtherType = isOtherType
      decode = { row in _ = try row.decode([String: T].self) }
    }
  }

  enum Kind: String, Codable { case small, large }

  @Test(arguments: [
    Wrong(Int.self, "'x'", isOtherType: true), Wrong(Int.self, "x'00'", isOtherType: true),
    Wrong(Int.self, "3.5", isOtherType: false), Wrong(Int8.self, "300", isOtherType: false),
    Wrong(UInt8.self, "-1", isOtherType: false), Wrong(Int32.self, "1<<40", isOtherType: false),
    Wrong(UInt64.self, "-1", isOtherType: false), Wrong(Bool.self, "2", isOtherType: false),
    Wrong(Bool.self, "'x'", isOtherType: true), Wrong(Double.self, "'x'", isOtherType: true),
    Wrong(Double.self, "9007199254740993", isOtherType: false),
    Wrong(Float.self, "1e300", isOtherType: false),
    Wrong(String.self, "CAST(x'ff' AS TEXT)", isOtherType: false),
    Wrong(String.self, "x'ff'", isOtherType: false),
    Wrong(Date.self, "'x'", isOtherType: false), Wrong(Date.self, "x'00'", isOtherType: true),
    Wrong(UUID.self, "'x'", isOtherType: false), Wrong(UUID.self, "x'00'", isOtherType: false),
    Wrong(UUID.self, "5", isOtherType: true), Wrong(URL.self, "'a b'", isOtherType: false),
    Wrong(Decimal.self, "'x'", isOtherType: false), Wrong(Data.self, "5", isOtherType: true),
    Wrong(Kind.self, "'medium'", isOtherType: false), Wrong([UInt8].self, "5", isOtherType: true),
  ])
  func `decoding a value that cannot be converted throws an error with its coding path`(
    _ wrong: Wrong
  ) throws {
    let statement = try db.prepare(sql: "SELECT \(wrong.literal) AS a")
    do {
      try statement.forEachRow { row in
        var read = false
        do { try wrong.decode(row) } catch DecodingError.typeMismatch(_, let context) {
          read = true
          #expect(wrong.isOtherType, "\(wrong.name)")
          expect(context)
        } catch DecodingError.dataCorrupted(let context) {
          read = true
          #expect(!wrong.isOtherType, "\(wrong.name)")
          expect(context)
        }
        #expect(read, "\(wrong.name)")
      }
    }

    func expect(_ context: DecodingError.Context) {
      #expect(context.codingPath.map(\.stringValue) == ["a"], "\(wrong.name)")
      #expect(!context.debugDescription.isEmpty)
    }
  }

  struct Parts: Decodable {
    let street: String
    let numbers: [Int]
    let inner: String
    private enum Keys: CodingKey { case address, numbers, inner }
    private enum AddressKeys: CodingKey { case street }
    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Keys.self)
      street = try container.nestedContainer(keyedBy: AddressKeys.self, forKey: .address)
        .decode(String.self, forKey: .street)
      var list = try container.nestedUnkeyedContainer(forKey: .numbers)
      var numbers: [Int] = []
      while !list.isAtEnd { numbers.append(try list.decode(Int.self)) }
      self.numbers = numbers
      inner = try container.superDecoder(forKey: .inner).singleValueContainer()
        .decode(String.self)
    }
  }

  @Test func `nested containers decode single parts and report the path of an error`() throws {
    func parts(_ address: String, _ numbers: String) throws -> Parts? {
      try db.first(
        Parts.self, "SELECT \(address) AS address, \(numbers) AS numbers, 'i' AS inner")
    }
    let found = try parts(#"{"street":"x"}"#, "[1,2]")
    #expect(found?.street == "x")
    #expect(found?.numbers == [1, 2])
    #expect(found?.inner == "i")
    #expect(path { try parts(#"{"street":1}"#, "[]") } == ["address", "street"])
    #expect(path { try parts(#"{}"#, "[]") } == ["address"])
    #expect(path { try parts(#"{"street":"x"}"#, #"[1,"x"]"#) } == ["numbers", "Index 1"])
    #expect(path { try parts("[", "[]") } == ["address"])
  }

  @Test func `a decoding error inside a nested value has the full coding path`() throws {
    func pet(_ json: String) -> [String]? {
      path {
        try db.first(Person.self, "SELECT 1 AS id, 'a' AS name, '[]' AS tags, \(json) AS pet")
      }
    }
    #expect(pet(#"{"name":"a","age":"b"}"#) == ["pet", "age"])
    #expect(pet(#"{"name":"a"}"#) == ["pet"])
    #expect(pet("[]") == ["pet"])
    #expect(pet("{") == ["pet"])
    #expect(pet("") == ["pet"])
    #expect(
      path {
        try db.first(Person.self, #"SELECT 1 AS id, 'a' AS name, '["a",1]' AS tags"#)
      } == ["tags", "Index 1"])
  }

  func path(_ body: () throws -> some Any) -> [String]? {
    do {
      _ = try body()
      return nil
    } catch let error as DecodingError {
      switch error {
      case .keyNotFound(_, let context), .typeMismatch(_, let context),
        .valueNotFound(_, let context), .dataCorrupted(let context):
        return context.codingPath.map(\.stringValue)
      @unknown default: return nil
      }
    } catch { return nil }
  }

  @Test func `decoding errors for lists and objects name Array and Dictionary, not internal types`()
    throws
  {
    struct Lists: Decodable {
      enum Keys: CodingKey { case a }
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        _ = try container.nestedUnkeyedContainer(forKey: .a)
      }
    }
    struct Objects: Decodable {
      enum Keys: CodingKey { case a }
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        _ = try container.nestedContainer(keyedBy: Keys.self, forKey: .a)
      }
    }
    for sql in ["SELECT NULL AS a", "SELECT x'00' AS a", "SELECT '7' AS a"] {
      let list =
        "\(try #require(throws: DecodingError.self) { try db.first(Lists.self, sql: sql) })"
      let object =
        "\(try #require(throws: DecodingError.self) { try db.first(Objects.self, sql: sql) })"
      for text in [list, object, try array(sql), try dictionary(sql)] {
        for word in ["Keyed", "Unkeyed", "Sluice.", "ColumnDecoding"] {
          #expect(!text.contains(word), "\(sql): \(text)")
        }
      }
      guard !sql.contains("00") else { continue }
      #expect(list.contains("Array"), "\(list)")
      #expect(object.contains("Dictionary"), "\(object)")
    }
  }

  private func array(_ sql: String) throws -> String {
    "\(try #require(throws: DecodingError.self) { try db.first([String: [Int]].self, sql: sql) })"
  }

  private func dictionary(_ sql: String) throws -> String {
    "\(try #require(throws: DecodingError.self) { try db.first([String: [String: Int]].self, sql: sql) })"
  }
}
