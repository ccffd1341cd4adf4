/// The bits that a text is held in, by which it is known again at a glance.
///
/// The same bits are the same text, as long as one of the two is alive. The same text may have other bits.
struct TextBits: Equatable {
  private let words: (UInt64, UInt64)

  /// Those of no text.
  init() { words = (0, 0) }

  @inline(__always)
  init(_ text: String) {
    guard MemoryLayout<String>.size == MemoryLayout<(UInt64, UInt64)>.size else {
      words = (0, 0)
      return
    }
    words = unsafe unsafeBitCast(text, to: (UInt64, UInt64).self)
  }

  /// Whether both are the bits of one text.
  @inline(__always)
  static func == (first: Self, second: Self) -> Bool {
    // No text has a second word of zeros, which tells where it is and how.
    first.words == second.words && first.words.1 != 0
  }
}
