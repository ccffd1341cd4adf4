import CSluice

/// A value as SQLite stores it.
///
/// Two values are equal if they are stored identically: `.integer(1)` does not equal `.real(1)`, and two texts
/// are equal if their UTF-8 bytes are equal. Unlike in SQL, `.null` equals `.null`.
public enum DatabaseValue: Sendable {
  /// A signed integer of up to 64 bits.
  case integer(Int64)
  /// A floating-point number.
  case real(Double)
  /// Text, in which a NUL is an ordinary character.
  case text(String)
  /// Bytes.
  case blob([UInt8])
  /// The NULL of SQL.
  case null
}

extension DatabaseValue {
  /// The storage class of this value.
  public var storageClass: StorageClass {
    switch self {
    case .integer: .integer
    case .real: .real
    case .text: .text
    case .blob: .blob
    case .null: .null
    }
  }

  /// Whether this value is NULL.
  public var isNull: Bool { storageClass == .null }
}

extension DatabaseValue: Hashable {
  public static func == (first: DatabaseValue, second: DatabaseValue) -> Bool {
    switch (first, second) {
    case (.integer(let first), .integer(let second)): first == second
    case (.real(let first), .real(let second)): first == second
    case (.text(let first), .text(let second)): first.isIdentical(to: second)
    case (.blob(let first), .blob(let second)): first == second
    case (.null, .null): true
    default: false
    }
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(storageClass)
    switch self {
    case .integer(let value): hasher.combine(value)
    case .real(let value): hasher.combine(value)
    // Identical text is also equal in Swift, and so has the same hash.
    case .text(let value): hasher.combine(value)
    case .blob(let value): hasher.combine(value)
    case .null: break
    }
  }
}

extension String {
  /// Returns whether both strings have the same UTF-8 bytes, which `==` does not require.
  ///
  /// For `==`, strings are equal if their characters are canonically equivalent.
  func isIdentical(to other: String) -> Bool {
    var (first, second) = (self, other)
    return first.withUTF8 { first in
      second.withUTF8 { second in
        unsafe areIdentical(first, second)
      }
    }
  }
}

/// Returns whether both buffers have the same bytes.
func areIdentical(
  _ first: UnsafeBufferPointer<UInt8>, _ second: UnsafeBufferPointer<UInt8>
) -> Bool {
  guard first.count == second.count else { return false }
  return unsafe first.baseAddress == second.baseAddress
    || sluice_compare(first.baseAddress, second.baseAddress, first.count) == 0
}

extension DatabaseValue: CustomStringConvertible {
  /// The value as an SQL literal, such as `42`, `'it''s'`, `x'00ff'` or `NULL`.
  public var description: String {
    switch self {
    case .integer(let value): "\(value)"
    case .real(let value): value.isInfinite ? (value < 0 ? "-9e999" : "9e999") : "\(value)"
    case .text(let value): value.quoted("'")
    case .blob(let value): "x'\(value.map(Self.hexadecimal).joined())'"
    case .null: "NULL"
    }
  }

  static func hexadecimal(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }
}

/// A value is encoded together with its storage class, as in `{"real": 3}` or `{"blob": [0, 255]}`, so that
/// decoding restores it exactly.
extension DatabaseValue: Codable {
  private enum CodingKeys: String, CodingKey {
    case integer
    case real
    case text
    case blob
    case null
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .integer(let value): try container.encode(value, forKey: .integer)
    case .real(let value): try container.encode(value, forKey: .real)
    case .text(let value): try container.encode(value, forKey: .text)
    case .blob(let value): try container.encode(value, forKey: .blob)
    case .null: try container.encodeNil(forKey: .null)
    }
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    guard let key = container.allKeys.first, container.allKeys.count == 1 else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath,
          debugDescription: "Expected one key: integer, real, text, blob or null"))
    }
    self =
      switch key {
      case .integer: .integer(try container.decode(Int64.self, forKey: key))
      case .real: .real(try container.decode(Double.self, forKey: key))
      case .text: .text(try container.decode(String.self, forKey: key))
      case .blob: .blob(try container.decode([UInt8].self, forKey: key))
      case .null: .null
      }
  }
}

extension DatabaseValue: ExpressibleByIntegerLiteral {
  public init(integerLiteral value: Int64) { self = .integer(value) }
}

extension DatabaseValue: ExpressibleByFloatLiteral {
  public init(floatLiteral value: Double) { self = .real(value) }
}

extension DatabaseValue: ExpressibleByStringLiteral {
  public init(stringLiteral value: String) { self = .text(value) }
}

extension DatabaseValue: ExpressibleByBooleanLiteral {
  /// Creates the integer 1 for `true` or 0 for `false`, because SQLite has no Boolean type.
  public init(booleanLiteral value: Bool) { self = .integer(value ? 1 : 0) }
}

extension DatabaseValue: ExpressibleByNilLiteral {
  public init(nilLiteral: ()) { self = .null }
}

/// The storage class of a value: the kind of data that SQLite stores.
///
/// The corresponding C values are `SQLITE_INTEGER`, `SQLITE_FLOAT`, `SQLITE_TEXT`, `SQLITE_BLOB`
/// and `SQLITE_NULL`.
public enum StorageClass: String, Hashable, Sendable, CaseIterable {
  /// A signed integer of up to 64 bits.
  case integer = "INTEGER"
  /// A floating-point number of 64 bits.
  case real = "REAL"
  /// Text in the encoding of the database.
  case text = "TEXT"
  /// Bytes, exactly as they were passed.
  case blob = "BLOB"
  /// The NULL of SQL.
  case null = "NULL"

  init(_ type: Int32) {
    self =
      switch type {
      case SQLITE_INTEGER: .integer
      case SQLITE_FLOAT: .real
      case SQLITE_TEXT: .text
      case SQLITE_BLOB: .blob
      default: .null
      }
  }
}
