import Foundation
import Sluice
import Testing

class Animal: Encodable {
  var name = "Rex"
}

final class Dog: Animal {
  private enum Keys: CodingKey { case tricks }
  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Keys.self)
    try container.encode(["sit"], forKey: .tricks)
    try super.encode(to: container.superEncoder())
  }
}

struct Parts: Encodable {
  private enum Keys: CodingKey { case address, numbers, inner }
  private enum AddressKeys: CodingKey { case street, lines, note, more }
  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Keys.self)
    var address = container.nestedContainer(keyedBy: AddressKeys.self, forKey: .address)
    var numbers = container.nestedUnkeyedContainer(forKey: .numbers)
    try address.encode("x", forKey: .street)
    try numbers.encode(1)
    var lines = address.nestedUnkeyedContainer(forKey: .lines)
    try lines.encodeNil()
    try lines.encode(Date(timeIntervalSince1970: 0))
    try address.encodeNil(forKey: .note)
    var more = address.superEncoder(forKey: .more).singleValueContainer()
    try more.encode(true)
    try numbers.encode(2)
    var inner = container.superEncoder(forKey: .inner).singleValueContainer()
    try inner.encode("i")
  }
}

/// A value that encodes nothing.
struct Nothing: Encodable {
  func encode(to encoder: any Encoder) {}
}

/// Expects an encoding error with this path, and with an underlying error of this code.
func expectInvalid(
  _ path: [String], _ code: ResultCode?, _ location: SourceLocation = #_sourceLocation,
  _ body: () throws -> some Any
) {
  do {
    _ = try body()
    Issue.record("It was encoded", sourceLocation: location)
  } catch EncodingError.invalidValue(_, let context) {
    #expect(context.codingPath.map(\.stringValue) == path, sourceLocation: location)
    if let code {
      #expect(
        (context.underlyingError as? SQLiteError)?.code == code, "\(context)",
        sourceLocation: location)
    }
  } catch { Issue.record("\(error)", sourceLocation: location) }
}
