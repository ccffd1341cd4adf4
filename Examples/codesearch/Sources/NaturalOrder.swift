import Sluice

/// An order in which numbers in names are compared by value: `file2` comes before `file10`.
enum NaturalOrder {
  /// Compares two names in UTF-8; only identical names are equal.
  static func compare(_ first: Span<UInt8>, _ second: Span<UInt8>) -> SQLOrder {
    var left = 0
    var right = 0
    while left < first.count, right < second.count {
      let order: SQLOrder
      if isDigit(first[left]), isDigit(second[right]) {
        order = numbers(first, &left, second, &right)
      } else {
        order = SQLOrder(first[left], second[right])
        left += 1
        right += 1
      }
      if order != .same { return order }
    }
    let rest = SQLOrder(first.count - left, second.count - right)
    return rest == .same ? bytes(first, second) : rest
  }

  /// Compares the numbers that begin at `left` and `right`, and advances past them.
  private static func numbers(
    _ first: Span<UInt8>, _ left: inout Int, _ second: Span<UInt8>, _ right: inout Int
  ) -> SQLOrder {
    let one = digits(first, &left)
    let other = digits(second, &right)
    // Without leading zeros, a number with more digits is larger.
    guard one.count == other.count else { return SQLOrder(one.count, other.count) }
    for offset in 0..<one.count {
      let order = SQLOrder(first[one.lowerBound + offset], second[other.lowerBound + offset])
      if order != .same { return order }
    }
    return .same
  }

  /// Returns the range of the digits at `position`, without leading zeros, and advances past them.
  private static func digits(_ text: Span<UInt8>, _ position: inout Int) -> Range<Int> {
    while position < text.count, text[position] == UInt8(ascii: "0") { position += 1 }
    let start = position
    while position < text.count, isDigit(text[position]) { position += 1 }
    return start..<position
  }

  /// Compares the bytes of two names, to distinguish names that differ only in leading zeros.
  private static func bytes(_ first: Span<UInt8>, _ second: Span<UInt8>) -> SQLOrder {
    for index in 0..<min(first.count, second.count) where first[index] != second[index] {
      return SQLOrder(first[index], second[index])
    }
    return SQLOrder(first.count, second.count)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
