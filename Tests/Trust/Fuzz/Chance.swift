import Sluice
import SluiceTesting

/// Random values and texts, with a preference for edge cases.
extension SeededGenerator {
  mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

  mutating func one<T>(of items: [T]) -> T { items[below(items.count)] }

  mutating func isOne(in count: Int) -> Bool { below(count) == 0 }

  mutating func value() -> DatabaseValue {
    switch below(6) {
    case 0: .null
    case 1: .integer(integer())
    case 2: .real(real())
    case 3: .blob(bytes())
    default: .text(text())
    }
  }

  mutating func integer() -> Int64 {
    switch below(4) {
    case 0: Int64(below(7)) - 3
    case 1: Int64(truncatingIfNeeded: next())
    // Next to the limits of the integers of Swift, of C and of SQLite's row format.
    case 2: (Int64(1) << Int64(below(63))) &+ Int64(below(3)) &- 1
    default: 0 &- (Int64(1) << Int64(below(63))) &+ Int64(below(3)) &- 1
    }
  }

  mutating func real() -> Double {
    switch below(4) {
    case 0:
      one(of: [
        0, -0.0, 1.5, .infinity, -.infinity, .leastNonzeroMagnitude, .pi, 9.3e18, -9.3e18, 1e300,
      ])
    case 1: Double(integer())
    case 2: Double(below(2000)) / 8
    default: { $0.isNaN ? 0.1 : $0 }(Double(bitPattern: next()))
    }
  }

  mutating func text() -> String {
    switch below(4) {
    case 0:
      one(of: [
        "", "a", "\0", "a\0b", "it's", "1", " 12", "1e5", "0x10", "ü", "e\u{301}", "\u{feff}", "👩‍👩‍👧",
      ])
    case 1: String(integer())
    case 2:
      String((0..<below(20)).map { _ in Character(Unicode.Scalar(UInt8(below(128)))) })
    default: String(decoding: bytes(), as: UTF8.self)
    }
  }

  mutating func bytes() -> [UInt8] {
    let count = isOne(in: 30) ? below(3000) : below(24)
    return (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
  }

  /// Returns the bytes with a few of them changed, removed, doubled or added.
  mutating func mutated(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    for _ in 0...below(4) {
      guard !bytes.isEmpty else { return self.bytes() }
      let index = below(bytes.count)
      let end = min(bytes.count, index + 1 + below(8))
      switch below(6) {
      case 0: bytes[index] ^= 1 << UInt8(below(8))
      case 1: bytes[index] = one(of: [0, 1, 0x7f, 0x80, 0xff, UInt8(truncatingIfNeeded: next())])
      case 2: bytes.removeSubrange(index..<end)
      case 3: bytes.insert(contentsOf: bytes[index..<end], at: below(bytes.count))
      case 4: bytes.insert(UInt8(truncatingIfNeeded: next()), at: index)
      default: bytes.removeLast(bytes.count - end)
      }
    }
    return bytes
  }
}

extension DatabaseValue {
  /// Returns whether both values are the same bit by bit, which `==` does not require for text and numbers.
  func isSame(as other: DatabaseValue) -> Bool {
    switch (self, other) {
    case (.text(let text), .text(let other)): text.utf8.elementsEqual(other.utf8)
    case (.real(let real), .real(let other)): real.bitPattern == other.bitPattern
    default: self == other
    }
  }
}

func areSame(_ first: [[DatabaseValue]], _ second: [[DatabaseValue]]) -> Bool {
  first.elementsEqual(second) { $0.elementsEqual($1) { $0.isSame(as: $1) } }
}
