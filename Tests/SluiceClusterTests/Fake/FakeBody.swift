import SluiceCore

/// A value with the type that a node sends.
enum FakeValue: Sendable {
  case plain(DatabaseValue)
  case unixTime(Int64)
  case isoTime(String)
  case boolean(UInt64)
  /// Bytes with any type.
  case raw(UInt8, [UInt8])
}

/// The parts of a body.
enum FakeBody {
  static func number(_ number: UInt64, _ count: Int = 8) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
  }

  static func padded(_ bytes: [UInt8]) -> [UInt8] {
    bytes + [UInt8](repeating: 0, count: (8 - bytes.count % 8) % 8)
  }

  static func text(_ text: String) -> [UInt8] { padded(Array(text.utf8) + [0]) }

  static func names(_ names: [String]) -> [UInt8] {
    number(UInt64(names.count)) + names.flatMap(text)
  }

  static func row(_ values: [FakeValue]) -> [UInt8] {
    let encoded = values.map(encode)
    var types = [UInt8](repeating: 0, count: (values.count + 1) / 2)
    for (index, value) in encoded.enumerated() {
      types[index / 2] |= value.type << (index % 2 == 0 ? 0 : 4)
    }
    return padded(types) + encoded.flatMap(\.bytes)
  }

  private static func encode(_ value: FakeValue) -> (type: UInt8, bytes: [UInt8]) {
    switch value {
    case .plain(.integer(let value)): (1, number(UInt64(bitPattern: value)))
    case .plain(.real(let value)): (2, number(value.bitPattern))
    case .plain(.text(let value)): (3, text(value))
    case .plain(.blob(let value)): (4, number(UInt64(value.count)) + padded(value))
    case .plain(.null): (5, number(0))
    case .unixTime(let value): (9, number(UInt64(bitPattern: value)))
    case .isoTime(let value): (10, text(value))
    case .boolean(let value): (11, number(value))
    case .raw(let type, let bytes): (type, bytes)
    }
  }
}
