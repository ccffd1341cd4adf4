/// The representation of a string in memory, which serves to recognize its text quickly.
///
/// While two strings are alive, the same representation means the same text. The same text can have different
/// representations.
@usableFromInline package struct StringIdentity: Equatable {
  @usableFromInline let words: (UInt64, UInt64)

  /// Creates an identity that no text has, and that does not even equal itself.
  init() { words = (0, 0) }

  @inlinable @inline(__always)
  package init(_ text: String) {
    guard MemoryLayout<String>.size == MemoryLayout<(UInt64, UInt64)>.size else {
      words = (0, 0)
      return
    }
    words = unsafe unsafeBitCast(text, to: (UInt64, UInt64).self)
  }

  /// Returns whether both contain the same representation, and are identities of a text.
  @inlinable @inline(__always)
  package static func == (first: Self, second: Self) -> Bool {
    // The last eight bytes of a string's representation are never all zero, because they contain the location
    // and form of the text.
    first.words == second.words && first.words.1 != 0
  }
}

/// The part of a name that is compared first: its length, and up to 16 of its bytes.
struct NameKey: Hashable {
  private let count: Int
  private var first: UInt64 = 0
  private var last: UInt64 = 0

  /// A key that no name has.
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

  /// The key of the name with ASCII letters in lower case.
  @inline(__always)
  var withoutCase: NameKey {
    var key = self
    key.first = Self.withoutCase(first)
    key.last = Self.withoutCase(last)
    return key
  }

  /// Returns eight bytes with ASCII letters in lower case.
  @inline(__always)
  private static func withoutCase(_ bytes: UInt64) -> UInt64 {
    let high: UInt64 = 0x8080_8080_8080_8080
    // Adding to seven bits sets the eighth bit of each byte from "A" on, and of each byte after "Z".
    let low = bytes & ~high
    let fromA = low &+ 0x3F3F_3F3F_3F3F_3F3F
    let afterZ = low &+ 0x2525_2525_2525_2525
    return bytes | (fromA & ~afterZ & ~bytes & high) >> 2
  }

  /// Whether the key covers the whole name, so that equal keys mean equal names.
  @inline(__always)
  var isWhole: Bool { count <= 16 }
}
