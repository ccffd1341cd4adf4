/// A whole number of any size, from 0 on, in groups of nine decimal digits.
struct LargeNumber: Equatable {
  /// The groups, the least significant first; the last of them is not 0.
  private var groups: [UInt32] = []
  private static let base: UInt64 = 1_000_000_000
  private static let groupSize = 9

  /// The number of these digits, the most significant first.
  init(digits: [UInt8]) {
    var end = digits.count
    while end > 0 {
      let start = max(end - Self.groupSize, 0)
      groups.append(digits[start..<end].reduce(0) { $0 * 10 + UInt32($1) })
      end = start
    }
    trim()
  }

  init(_ number: UInt64) {
    var rest = number
    while rest > 0 {
      groups.append(UInt32(rest % Self.base))
      rest /= Self.base
    }
  }

  var isZero: Bool { groups.isEmpty }

  /// The digits, the most significant first; none for 0.
  var digits: [UInt8] {
    var digits: [UInt8] = []
    for group in groups.reversed() {
      var divisor: UInt32 = 100_000_000
      while divisor > 0 {
        let digit = UInt8(group / divisor % 10)
        if digit != 0 || !digits.isEmpty { digits.append(digit) }
        divisor /= 10
      }
    }
    return digits
  }

  /// How many digits there are, without making them.
  var digitCount: Int {
    guard let last = groups.last else { return 0 }
    return (groups.count - 1) * Self.groupSize + String(last).utf8.count
  }

  /// The number with zeros behind it.
  func appendingZeros(_ count: Int) -> LargeNumber {
    guard !isZero, count > 0 else { return self }
    let (whole, rest) = count.quotientAndRemainder(dividingBy: Self.groupSize)
    var result =
      rest == 0 ? self : self * LargeNumber((0..<rest).reduce(1) { power, _ in power * 10 })
    result.groups.insert(contentsOf: repeatElement(0, count: whole), at: 0)
    return result
  }

  func power(_ exponent: Int) -> LargeNumber {
    var (result, square, rest) = (LargeNumber(1), self, exponent)
    while rest > 0 {
      if rest % 2 == 1 { result = result * square }
      rest /= 2
      if rest > 0 { square = square * square }
    }
    return result
  }

  static func + (first: Self, second: Self) -> Self {
    var (result, shorter) =
      first.groups.count < second.groups.count ? (second, first) : (first, second)
    var carry: UInt64 = 0
    for index in result.groups.indices {
      if carry == 0, index >= shorter.groups.count { return result }
      carry += UInt64(result.groups[index]) + UInt64(shorter.group(index))
      result.groups[index] = UInt32(carry % base)
      carry /= base
    }
    if carry > 0 { result.groups.append(UInt32(carry)) }
    return result
  }

  /// The difference of two numbers, of which the second is not larger.
  static func - (first: Self, second: Self) -> Self {
    var result = first
    var borrowed = false
    for index in result.groups.indices {
      let minuend = result.groups[index]
      let subtrahend = second.group(index) + (borrowed ? 1 : 0)
      borrowed = minuend < subtrahend
      result.groups[index] = (borrowed ? minuend + UInt32(base) : minuend) - subtrahend
    }
    result.trim()
    return result
  }

  static func * (first: Self, second: Self) -> Self {
    var result = first
    result.groups = Array(repeating: 0, count: first.groups.count + second.groups.count)
    for (place, factor) in first.groups.enumerated() {
      var carry: UInt64 = 0
      for (offset, group) in second.groups.enumerated() {
        // Less than the square of the base, which has 60 bits.
        carry += UInt64(factor) * UInt64(group) + UInt64(result.groups[place + offset])
        result.groups[place + offset] = UInt32(carry % base)
        carry /= base
      }
      result.groups[place + second.groups.count] = UInt32(carry)
    }
    result.trim()
    return result
  }

  static func < (first: Self, second: Self) -> Bool {
    guard first.groups.count == second.groups.count else {
      return first.groups.count < second.groups.count
    }
    return first.groups.reversed().lexicographicallyPrecedes(second.groups.reversed())
  }

  private func group(_ index: Int) -> UInt32 { index < groups.count ? groups[index] : 0 }

  private mutating func trim() {
    while groups.last == 0 { groups.removeLast() }
  }
}
