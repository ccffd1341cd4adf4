import Foundation
import Sluice
import TestSupport
import Testing

@Suite(.tags(.values)) struct `JSON values` {
  let db: Connection
  init() throws { db = try Connection() }

  struct Settings: Codable, Equatable {
    var title: String
    var size: Int
    var tags: [String: [Double]]
    var link: URL?
    var parts: [Settings] = []
  }

  static let settings = Settings(
    title: "a/\"b\" ü\n", size: .max, tags: ["z": [1.5, -2], "a": []],
    link: URL(string: "https://x/y"),
    parts: [Settings(title: "", size: .min, tags: [:], link: nil)])

  @Test func `a value round-trips as JSON`() throws {
    #expect(try db.select(.json(Settings.self), .json(Self.settings)) == Self.settings)
    #expect(try db.select(.json(), .json([1, 2, 3])) == [1, 2, 3])
    #expect(try db.select(.json(String.self), .json("x")) == "x")
    #expect(try db.select(.optional(.json(Int.self)), .json(Int?.none)) == .some(nil))
  }

  @Test func `JSON is stored as text with sorted keys, which SQL functions can query`() throws {
    let value = ["b": "x/y", "a": "1"]
    #expect(try db.select(.value, .json(value)) == #"{"a":"1","b":"x/y"}"#)
    #expect(
      try db.first(.column(.string), sql: "SELECT json_extract(?, '$.b')", parameters: .json(value))
        == "x/y")
  }

  @Test func `a JSON value uses the given encoder and decoder`() throws {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .secondsSince1970
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .secondsSince1970
    let date = Date(timeIntervalSince1970: 12)
    #expect(try db.select(.value, .json([date], encoder: encoder)) == "[12]")
    #expect(try db.select(.json([Date].self, decoder: decoder), "[12]") == [date])
  }

  @Test func `JSON is also read from blobs and numbers`() throws {
    #expect(try db.select(.json([Int].self), .bytes(Array("[1]".utf8))) == [1])
    #expect(try db.select(.json(Int.self), 7) == 7)
    #expect(try db.select(.json(Double.self), 7.5) == 7.5)
  }

  @Test(arguments: [
    ("[1", "The given data was not valid JSON."),
    ("[1]", "Expected to decode Dictionary<String, Any> but found an array instead."),
    (#"{"title":""}"#, #"There is no "size""#),
    (
      #"{"title":"","size":1,"tags":{},"parts":[{"title":7}]}"#,
      "Expected to decode String but found number instead. (at .parts[0].title)"
    ),
    (#"{"title":"","size":1.5,"tags":{}}"#, "The number does not fit into Int (at .size)"),
    (
      #"{"title":"","size":1,"tags":{"z":[1,1e999]}}"#,
      "The number does not fit into Double (at .tags.z[1])"
    ),
    (
      #"{"title":"","size":1,"tags":{},"parts":[{"title":"","size":9223372036854775808}]}"#,
      "The number does not fit into Int (at .parts[0].size)"
    ),
  ])
  func `reading JSON that does not match the type throws an error with the reason`(
    json: String, reason: String
  ) {
    let error = failure { try db.select(.json(Settings.self), .string(json)) }
    #expect(error?.code == .mismatch)
    #expect(error?.message == "Column 0 (?) is not the JSON of Settings: \(reason)")
  }

  @Test func `a top-level JSON number out of range throws, and the decoder's strategies apply`()
    throws
  {
    func message<T: Decodable & SendableMetatype>(_ type: T.Type, _ json: String) -> String? {
      let decoder = JSONDecoder()
      decoder.dateDecodingStrategy = .secondsSince1970
      decoder.keyDecodingStrategy = .convertFromSnakeCase
      return failure { try db.select(.json(type, decoder: decoder), .string(json)) }?.message
    }
    let start = "Column 0 (?) is not the JSON of "
    #expect(message(Int8.self, "300") == start + "Int8: The number does not fit into Int8")
    #expect(
      message([Int?].self, "[null, 1.5]")
        == start + "Array<Optional<Int>>: The number does not fit into Int (at [1])")
    #expect(message(Date.self, "12") == nil)
    #expect(message([Date].self, "[12]") == nil)
    #expect(
      message([UInt8].self, "[") == start + "Array<UInt8>: The given data was not valid JSON.")
  }

  @Test(arguments: ["", "x", "\0", "1e999", nil, .blob([0xff])] as [DatabaseValue])
  func `reading a value that is not JSON throws a mismatch`(value: DatabaseValue) {
    #expect(failure { try db.select(.json(Int.self), .value(value)) }?.code == .mismatch)
  }

  @Test func `reading JSON that is nested 100,000 levels deep throws`() {
    let deep = String(repeating: "[", count: 100_000)
    #expect(failure { try db.select(.json([Int].self), .string(deep)) }?.code == .mismatch)
  }

  @Test func `storing a value that JSON cannot represent throws an error with its coding path`() {
    let error = failure { try db.select(.value, .json(["x": [1, .infinity]])) }
    #expect(error?.code == .mismatch)
    #expect(error?.message.hasSuffix("directly in JSON. (at .x[1])") == true)
  }

  @Test func `an error that the type's own initializer throws is rethrown`() {
    struct Odd: Error {}
    struct Even: Decodable {
      init(from decoder: any Decoder) throws { throw Odd() }
    }
    #expect(throws: Odd.self) { try db.select(.json(Even.self), "1") }
  }
}
