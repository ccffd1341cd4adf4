import Foundation
import Sluice
import Testing

@Suite struct DatabaseValueCodableTests {
  static let values: [DatabaseValue] = [
    0, .integer(.max), .integer(.min), 3.0, 0.1, -1e300, "", "a\0b", "ä🙂'\"\\", .blob([]),
    .blob([0, 255]), .null,
  ]

  private func decode(_ text: String) throws -> DatabaseValue {
    try JSONDecoder().decode(DatabaseValue.self, from: Data(text.utf8))
  }

  @Test(arguments: values) func `a DatabaseValue round-trips through JSON`(value: DatabaseValue)
    throws
  {
    let data = try JSONEncoder().encode(value)
    #expect(try JSONDecoder().decode(DatabaseValue.self, from: data) == value)
  }

  @Test func `arrays of DatabaseValue round-trip through JSON and property lists`() throws {
    let data = try JSONEncoder().encode(Self.values)
    #expect(try JSONDecoder().decode([DatabaseValue].self, from: data) == Self.values)
    let some = Array(Self.values.dropLast())
    let list = try PropertyListEncoder().encode(some)
    #expect(try PropertyListDecoder().decode([DatabaseValue].self, from: list) == some)
  }

  @Test func `a DatabaseValue is encoded under the name of its storage class`() throws {
    func text(_ value: DatabaseValue) throws -> String {
      String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
    }
    #expect(try text(3) == #"{"integer":3}"#)
    #expect(try text(3.0) == #"{"real":3}"#)
    #expect(try text("x") == #"{"text":"x"}"#)
    #expect(try text(.blob([0, 255])) == #"{"blob":[0,255]}"#)
    #expect(try text(.null) == #"{"null":null}"#)
    #expect(try decode(#"{"real":3}"#) == .real(3))
  }

  @Test(arguments: [
    "{}", "null", "3", "[]", #"{"odd":3}"#, #"{"integer":1,"real":2}"#, #"{"integer":"x"}"#,
    #"{"integer":9223372036854775808}"#, #"{"integer":1.5}"#, #"{"blob":[256]}"#, #"{"text":null}"#,
    #"{"integer":1,"null":null}"#,
  ])
  func `decoding JSON that is not a DatabaseValue throws a decoding error`(text: String) {
    #expect(throws: DecodingError.self) { try decode(text) }
  }
}
