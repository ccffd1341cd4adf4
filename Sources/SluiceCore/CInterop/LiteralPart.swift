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
