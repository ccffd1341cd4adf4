/// The parts of a literal of SQL, between which there are its values.
///
/// The same parts are the same SQL, so a statement is found by them without making its text.
@usableFromInline struct LiteralParts: Sendable {
  /// How many values there are, at most 4: one less than parts.
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

  /// Those of no SQL.
  static var none: LiteralParts { LiteralParts(count: -1) }

  /// Adds a part behind the last value; false if there is one already.
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

  /// Whether both are the parts of the same SQL.
  @inline(__always)
  func isSame(as other: LiteralParts) -> Bool {
    // Behind the last part, all are empty.
    count == other.count && first == other.first && second == other.second
      && (count < 2
        || third == other.third
          && (count < 3 || fourth == other.fourth && fifth == other.fifth))
  }
}

/// A part of a literal, which is known again by the place where the program has its bytes.
///
/// Only the compiler makes a `StaticString`, and the bytes of one stay where they are as long as the process
/// runs: the same place and length are the same text.
@usableFromInline struct LiteralPart: Equatable, Sendable {
  @usableFromInline let start: UInt
  @usableFromInline let count: Int

  /// No text.
  @inlinable @inline(__always)
  init() {
    start = 0
    count = 0
  }

  /// Nil for a literal that is no bytes in memory, but a character.
  @inlinable @inline(__always)
  init?(_ literal: StaticString) {
    guard literal.hasPointerRepresentation else { return nil }
    count = literal.utf8CodeUnitCount
    // Without bytes, the place says nothing.
    start = count == 0 ? 0 : unsafe UInt(bitPattern: literal.utf8Start)
  }

  @inlinable var isEmpty: Bool { count == 0 }

  /// The text that lies there.
  var text: String {
    guard let start = unsafe UnsafePointer<UInt8>(bitPattern: start) else { return "" }
    return unsafe String(
      decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }
}
