/// The text parts of an SQL literal, with one interpolated value between adjacent parts.
///
/// Equal parts mean equal SQL, so a statement can be found by its parts without building the text.
@usableFromInline struct LiteralParts: Sendable {
  /// The number of values, at most 4; there is one more part than values.
  @usableFromInline var count: Int
  @usableFromInline var first: LiteralPart
  @usableFromInline var second: LiteralPart
  @usableFromInline var third: LiteralPart
  @usableFromInline var fourth: LiteralPart
  @usableFromInline var fifth: LiteralPart

  @inlinable @inline(__always)
  init(count: Int = 0) {
    self.count = count
    first = LiteralPart()
    second = LiteralPart()
    third = LiteralPart()
    fourth = LiteralPart()
    fifth = LiteralPart()
  }

  /// A placeholder that does not equal the parts of any literal.
  static var none: LiteralParts { LiteralParts(count: -1) }

  /// Adds the part after the last value and returns true; returns false if this part has already been added, or
  /// if there is no room for it.
  @inlinable @inline(__always)
  mutating func add(_ part: LiteralPart) -> Bool {
    switch count {
    case 0: Self.fill(&first, part)
    case 1: Self.fill(&second, part)
    case 2: Self.fill(&third, part)
    case 3: Self.fill(&fourth, part)
    case 4: Self.fill(&fifth, part)
    default: false
    }
  }

  @inlinable @inline(__always)
  static func fill(_ place: inout LiteralPart, _ part: LiteralPart) -> Bool {
    guard place.isEmpty else { return false }
    place = part
    return true
  }

  /// The SQL, with `?` for each value.
  var text: String {
    [first, second, third, fourth, fifth].prefix(count + 1).map(\.text).joined(separator: "?")
  }

  /// Returns whether both are the parts of the same SQL.
  @inline(__always)
  func isSame(as other: LiteralParts) -> Bool {
    // All unused parts are empty, so comparing some of them does no harm.
    count == other.count && first == other.first && second == other.second
      && (count < 2
        || third == other.third
          && (count < 3 || fourth == other.fourth && fifth == other.fifth))
  }
}

/// A part of a literal, identified by the address of its bytes in the program.
///
/// Only the compiler creates a `StaticString`, and its bytes keep their address as long as the process runs.
/// Equal addresses and lengths therefore imply equal text.
@usableFromInline struct LiteralPart: Equatable, Sendable {
  @usableFromInline let start: UInt
  @usableFromInline let count: Int

  /// Creates an empty part.
  @inlinable @inline(__always)
  init() {
    start = 0
    count = 0
  }

  /// Creates a part, or returns nil for a literal that is stored as a single character, without bytes in
  /// memory.
  @inlinable @inline(__always)
  init?(_ literal: StaticString) {
    guard literal.hasPointerRepresentation else { return nil }
    count = literal.utf8CodeUnitCount
    // Empty literals can have different addresses, so all of them are stored with the address 0.
    start = count == 0 ? 0 : unsafe UInt(bitPattern: literal.utf8Start)
  }

  @inlinable var isEmpty: Bool { count == 0 }

  /// The text of the part.
  var text: String {
    guard let start = unsafe UnsafePointer<UInt8>(bitPattern: start) else { return "" }
    return unsafe String(
      decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }
}
