/// A hash table with open addressing that maps hashes to places in the statement cache.
///
/// A place can have two hashes: a hash of its SQL text, and a hash of the literal that last requested it. Because
/// hashes can collide, the caller compares the content of each place found.
struct StatementIndex {
  /// The slots of the table; an empty slot is 0.
  ///
  /// The upper half of any other slot is the upper half of a hash; the lower half is the place plus one.
  private var words: [UInt64] = []
  private var count = 0

  private var mask: Int { words.count - 1 }

  /// Returns the place with this hash for which `isRight` returns true, or nil if there is none.
  @inline(__always)
  func place(_ hash: UInt64, where isRight: (Int) -> Bool) -> Int? {
    guard !words.isEmpty else { return nil }
    var position = home(hash)
    while words[position] != 0 {
      let word = words[position]
      if word >> 32 == hash >> 32, isRight(Int(word & 0xffff_ffff) - 1) {
        return Int(word & 0xffff_ffff) - 1
      }
      position = (position + 1) & mask
    }
    return nil
  }

  mutating func insert(_ place: Int, _ hash: UInt64) {
    // At least half of the slots remain empty, so that an unsuccessful search ends soon.
    if (count + 1) * 2 > words.count { grow() }
    count += 1
    add(Self.word(place, hash))
  }

  mutating func remove(_ place: Int, _ hash: UInt64) {
    var hole = home(hash)
    while words[hole] != Self.word(place, hash) { hole = (hole + 1) & mask }
    count -= 1
    // Later entries move back into the hole, unless that would place them before their home position.
    var next = (hole + 1) & mask
    while words[next] != 0 {
      if (next - home(words[next])) & mask >= (next - hole) & mask {
        words[hole] = words[next]
        hole = next
      }
      next = (next + 1) & mask
    }
    words[hole] = 0
  }

  @inline(__always)
  private func home(_ hash: UInt64) -> Int { Int(hash >> 32) & mask }

  private static func word(_ place: Int, _ hash: UInt64) -> UInt64 {
    hash & ~0xffff_ffff | UInt64(place + 1)
  }

  private mutating func add(_ word: UInt64) {
    var position = home(word)
    while words[position] != 0 { position = (position + 1) & mask }
    words[position] = word
  }

  private mutating func grow() {
    let old = words
    words = Array(repeating: 0, count: max(16, old.count * 2))
    for word in old where word != 0 { add(word) }
  }
}

extension String {
  /// A hash that is computed from eight bytes at a time; crafted collisions only cause extra comparisons.
  var quickHash: UInt64 {
    var text = self
    return text.withUTF8 { bytes in
      let bytes = UnsafeRawBufferPointer(bytes)
      var hash = UInt64(truncatingIfNeeded: bytes.count)
      guard bytes.count >= 8 else {
        for index in bytes.indices { hash.mix(UInt64(unsafe bytes[index])) }
        return hash
      }
      // The last eight bytes can overlap the eight bytes read before them.
      let last = bytes.count - 8
      var offset = 0
      while offset < last {
        hash.mix(unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        offset += 8
      }
      hash.mix(unsafe bytes.loadUnaligned(fromByteOffset: last, as: UInt64.self))
      return hash
    }
  }
}

extension LiteralParts {
  /// A hash of the addresses of the parts.
  var quickHash: UInt64 {
    var hash = UInt64(truncatingIfNeeded: count)
    // Unused parts all have the address 0, so the hash can include them.
    hash.mix(UInt64(first.start))
    hash.mix(UInt64(second.start))
    guard count > 1 else { return hash }
    hash.mix(UInt64(third.start))
    hash.mix(UInt64(fourth.start))
    hash.mix(UInt64(fifth.start))
    return hash
  }
}

extension UInt64 {
  @inline(__always)
  fileprivate mutating func mix(_ word: UInt64) {
    self = (self ^ word) &* 0x9e37_79b9_7f4a_7c15
    self ^= self >> 29
  }
}
