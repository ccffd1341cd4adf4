/// The bits that a text is held in, by which it is known again at a glance.
///
/// The same bits are the same text, as long as one of the two is alive. The same text may have other bits.
struct StringIdentity: Equatable {
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

/// The part of a name that is compared first: its length, and up to 16 of its bytes.
struct NameKey: Hashable {
  private let count: Int
  private var first: UInt64 = 0
  private var last: UInt64 = 0

  /// The key of no name.
  static let none = NameKey(count: -1)

  private init(count: Int) { self.count = count }

  @inline(__always)
  init(_ name: String) {
    var name = name
    self = name.withUTF8 { unsafe NameKey(UnsafeRawBufferPointer($0)) }
  }

  @inline(__always)
  private init(_ bytes: UnsafeRawBufferPointer) {
    count = bytes.count
    if count >= 8 {
      unsafe first = bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)
      unsafe last = bytes.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
    } else if count >= 4 {
      first = UInt64(unsafe bytes.loadUnaligned(fromByteOffset: 0, as: UInt32.self))
      last = UInt64(unsafe bytes.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self))
    } else if count > 0 {
      first = UInt64(unsafe bytes[0]) | UInt64(unsafe bytes[count / 2]) << 8
      last = UInt64(unsafe bytes[count - 1])
    }
  }

  /// Whether names with this key are the same, and not only alike.
  @inline(__always)
  var isWhole: Bool { count <= 16 }
}
