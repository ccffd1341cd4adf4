/// Finds places by hashes: a table of open addressing.
///
/// A place can have several hashes. Who asks compares what lies there.
struct StatementIndex {
  /// In each word the upper half of a hash, and one more than the place; 0 where there is nothing.
  private var words: [UInt64] = []
  private var count = 0

  private var mask: Int { words.count - 1 }

  /// The place with this hash that is the right one.
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
    // At least half of it stays empty, so that what is not there is soon known.
    if (count + 1) * 2 > words.count { grow() }
    count += 1
    add(Self.word(place, hash))
  }

  mutating func remove(_ place: Int, _ hash: UInt64) {
    var hole = home(hash)
    while words[hole] != Self.word(place, hash) { hole = (hole + 1) & mask }
    count -= 1
    // What follows moves up, unless it would stand before its home.
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
  /// A hash that takes eight bytes at a time; who makes two texts collide gains a comparison.
  var quickHash: UInt64 {
    var text = self
    return text.withUTF8 { bytes in
      let bytes = UnsafeRawBufferPointer(bytes)
      var hash = UInt64(truncatingIfNeeded: bytes.count)
      guard bytes.count >= 8 else {
        for index in bytes.indices { hash.mix(UInt64(unsafe bytes[index])) }
        return hash
      }
      // The last eight bytes can be some of those before them.
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
  /// A hash of where the parts are.
  var quickHash: UInt64 {
    var hash = UInt64(truncatingIfNeeded: count)
    // Behind the last part, all are at the same place.
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
