import SluiceCore

/// A request, as a server reads it.
///
/// The code is independent of the client's code, so that a mistake in one of them fails a test.
enum FakeRequest: Equatable {
  case leader
  case client(UInt64)
  case open(String)
  case prepare(String)
  case execute(UInt32, [DatabaseValue])
  case query(UInt32, [DatabaseValue])
  case finalize(UInt32)
  case executeSQL(String, [DatabaseValue])
  case querySQL(String, [DatabaseValue])
  case interrupt
  case add(UInt64, String)
  case assign(UInt64, UInt64)
  case remove(UInt64)
  case dump(String)
  case members
  case transfer(UInt64)
  case describe
  case weight(UInt64)

  /// Reads a message without its header; nil if it has another form than the protocol demands.
  init?(type: UInt8, body: [UInt8]) {
    var bytes = FakeBytes(body)
    guard let request = Self.read(type, &bytes), bytes.isAtEnd else { return nil }
    self = request
  }

  private static func read(_ type: UInt8, _ bytes: inout FakeBytes) -> FakeRequest? {
    switch type {
    case 0: bytes.expect(0).map { .leader }
    case 1: bytes.number().map { .client($0) }
    case 3:
      bytes.text().flatMap { name in
        bytes.expect(0).flatMap { bytes.text() }.map { _ in .open(name) }
      }
    case 4: bytes.expect(0).flatMap { bytes.text() }.map { .prepare($0) }
    case 5: bytes.statement().flatMap { id in bytes.values().map { .execute(id, $0) } }
    case 6: bytes.statement().flatMap { id in bytes.values().map { .query(id, $0) } }
    case 7: bytes.statement().map { .finalize($0) }
    case 8:
      bytes.expect(0).flatMap { bytes.text() }.flatMap { sql in
        bytes.values().map { .executeSQL(sql, $0) }
      }
    case 9:
      bytes.expect(0).flatMap { bytes.text() }.flatMap { sql in
        bytes.values().map { .querySQL(sql, $0) }
      }
    case 10: bytes.expect(0).map { .interrupt }
    case 12: bytes.number().flatMap { id in bytes.text().map { .add(id, $0) } }
    case 13: bytes.number().flatMap { id in bytes.number().map { .assign(id, $0) } }
    case 14: bytes.number().map { .remove($0) }
    case 15: bytes.text().map { .dump($0) }
    case 16: bytes.expect(1).map { .members }
    case 17: bytes.number().map { .transfer($0) }
    case 18: bytes.expect(0).map { .describe }
    case 19: bytes.number().map { .weight($0) }
    default: nil
    }
  }
}

/// The bytes of a request, of which the first ones are removed as they are read.
private struct FakeBytes {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func number() -> UInt64? {
    guard rest.count >= 8 else { return nil }
    defer { rest.removeFirst(8) }
    return rest.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  mutating func expect(_ number: UInt64) -> Void? {
    self.number() == number ? () : nil
  }

  /// The database 0, and a statement of it.
  mutating func statement() -> UInt32? {
    guard let number = number(), number & 0xffff_ffff == 0 else { return nil }
    return UInt32(number >> 32)
  }

  mutating func text() -> String? {
    guard let end = rest.firstIndex(of: 0) else { return nil }
    let text = String(validating: rest[rest.startIndex..<end], as: UTF8.self)
    return skip((end - rest.startIndex + 8) / 8 * 8) ? text : nil
  }

  mutating func blob() -> [UInt8]? {
    guard let count = number().flatMap({ Int(exactly: $0) }), count <= rest.count else {
      return nil
    }
    let bytes = Array(rest.prefix(count))
    return skip((count + 7) / 8 * 8) ? bytes : nil
  }

  mutating func values() -> [DatabaseValue]? {
    guard let count = rest.first.map(Int.init) else { return [] }
    let types = Array(rest.dropFirst().prefix(count))
    guard count > 0, types.count == count, skip((count + 8) / 8 * 8) else { return nil }
    var values: [DatabaseValue] = []
    for type in types {
      guard let value = value(of: type) else { return nil }
      values.append(value)
    }
    return values
  }

  private mutating func value(of type: UInt8) -> DatabaseValue? {
    switch type {
    case 1: number().map { .integer(Int64(bitPattern: $0)) }
    case 2: number().map { .real(Double(bitPattern: $0)) }
    case 3: text().map { .text($0) }
    case 4: blob().map { .blob($0) }
    case 5: expect(0).map { .null }
    default: nil
    }
  }

  /// Removes bytes, if there are as many.
  private mutating func skip(_ count: Int) -> Bool {
    guard count <= rest.count else { return false }
    rest.removeFirst(count)
    return true
  }
}
