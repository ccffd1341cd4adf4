/// A real as an integer times a power of two.
///
/// The integer is odd, if the real is no integer. Infinity and NaN are taken for what their bits would
/// be if there were one more exponent, so they come back as well; and so does -0, which is a power of two
/// that is too small for a real.
struct BinaryParts {
  let mantissa: Int64
  let exponent: Int

  private static let fractionMask: UInt64 = 1 << 52 - 1
  /// What is to be subtracted from the exponent in the bits of a real, if its fraction is an integer.
  private static let bias = 1075

  init(_ real: Double) {
    guard real != 0 else {
      (mantissa, exponent) = real.sign == .plus ? (0, -Self.bias) : (-1, -3071)
      return
    }
    var exponent = Int(real.exponentBitPattern)
    var fraction = real.significandBitPattern
    // Below the least exponent, the reals go on with fewer digits.
    if exponent == 0 { fraction <<= 1 } else { fraction |= Self.fractionMask + 1 }
    let zeros = min(fraction.trailingZeroBitCount, max(Self.bias - exponent, 0))
    fraction >>= UInt64(zeros)
    exponent += zeros
    mantissa = real < 0 ? -Int64(fraction) : Int64(fraction)
    self.exponent = exponent - Self.bias
  }

  /// The real of a mantissa and an exponent, rounded towards zero.
  static func real(mantissa: Int64, exponent: Int64) -> Double {
    guard mantissa != 0 else { return 0 }
    // Beyond, it makes no difference.
    let exponent = Int(min(max(exponent, -10_000), 10_000))
    let surplus = UInt64.bitWidth - mantissa.magnitude.leadingZeroBitCount - 53
    var fraction = mantissa.magnitude >> surplus
    var biased = exponent + surplus + bias
    if biased <= 0 {
      fraction >>= 1 - biased
      biased = 0
    }
    return Double(
      sign: mantissa < 0 ? .minus : .plus, exponentBitPattern: UInt(min(biased, 0x7ff)),
      significandBitPattern: fraction & fractionMask)
  }
}

extension Double {
  /// The real that 8 bytes are, the most significant first; nil for another number of bytes.
  init?(bigEndian bytes: [UInt8]) {
    guard bytes.count == 8 else { return nil }
    self.init(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) })
  }
}
