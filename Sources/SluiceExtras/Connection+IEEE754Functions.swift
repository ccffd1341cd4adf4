public import SluiceCore

extension Connection {
  /// Adds SQL functions that split a real into a mantissa and an exponent, and combine these into a real.
  ///
  /// - `ieee754(X)` returns the text `ieee754(M,E)`, where X is M times 2 to the power of E.
  ///   `ieee754_mantissa(X)` and `ieee754_exponent(X)` return M and E. X can be a blob of 8 bytes.
  /// - `ieee754(M, E)` returns the real M times 2 to the power of E. If the number is too small or has too many
  ///   digits, it is rounded towards zero. If it is too large, the result is infinity, or a NaN, which becomes
  ///   NULL.
  /// - `ieee754_inc(X, N)` returns the Nth real after X.
  /// - `ieee754_to_blob(X)` returns the real as 8 bytes in big-endian order, and `ieee754_from_blob(X)` returns
  ///   the real for such bytes.
  ///
  /// The result for NULL is NULL.
  public func addIEEE754Functions() throws {
    try addRealFunction("ieee754") { .text("ieee754(\($0.mantissa),\($0.exponent))") }
    try addRealFunction("ieee754_mantissa") { .integer($0.mantissa) }
    try addRealFunction("ieee754_exponent") { .integer(Int64($0.exponent)) }
    try addBinaryFunction("ieee754", arity: 2) { values in
      .init(
        realOrNaN: try BinaryParts.real(
          mantissa: values.integer(at: 0), exponent: values.integer(at: 1)))
    }
    try addBinaryFunction("ieee754_inc", arity: 2) { values in
      let steps = UInt64(bitPattern: try values.integer(at: 1))
      return .init(realOrNaN: Double(bitPattern: try values.real(at: 0).bitPattern &+ steps))
    }
    try addBinaryFunction("ieee754_to_blob", arity: 1) { values in
      guard try [.integer, .real].contains(values.storageClass(at: 0)) else { return .null }
      let bits = try values.real(at: 0).bitPattern
      return .blob((0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * $0)) })
    }
    try addBinaryFunction("ieee754_from_blob", arity: 1) { values in
      guard try values.storageClass(at: 0) == .blob else { return .null }
      return try Double(bigEndian: values.blob(at: 0)).map { .init(realOrNaN: $0) } ?? .null
    }
  }

  private func addRealFunction(
    _ name: String, _ answer: @escaping (BinaryParts) -> DatabaseValue
  ) throws {
    try addBinaryFunction(name, arity: 1) { values in
      let isBlob = try values.storageClass(at: 0) == .blob
      let real = isBlob ? Double(bigEndian: try values.blob(at: 0)) : nil
      return answer(BinaryParts(try real ?? values.real(at: 0)))
    }
  }

  private func addBinaryFunction(
    _ name: String, arity: Int, _ function: @escaping ScalarFunction
  ) throws {
    // The functions are deterministic, but SQLite does not declare its own versions as deterministic. If these were
    // declared so, an index could use them, and programs with SQLite's versions could not read that index.
    try addFunction(name, arity: arity, options: .innocuous) { values in
      for index in values.indices where try values.storageClass(at: index) == .null { return .null }
      return try function(values)
    }
  }
}

extension DatabaseValue {
  /// Creates a real; NULL for a NaN, because SQLite has no NaN.
  fileprivate init(realOrNaN real: Double) { self = real.isNaN ? .null : .real(real) }
}

/// A real as an integer times a power of two.
///
/// If the real is not an integer, the mantissa is odd. Infinity and NaN are interpreted as if their exponent
/// bits, which mark them, were an ordinary exponent, so that these values can be restored. For the same reason,
/// an exponent that is too small for any real represents -0.
struct BinaryParts {
  let mantissa: Int64
  let exponent: Int

  private static let fractionMask: UInt64 = 1 << 52 - 1
  /// The exponent bias of a real whose fraction is interpreted as an integer.
  private static let bias = 1075

  init(_ real: Double) {
    guard real != 0 else {
      (mantissa, exponent) = real.sign == .plus ? (0, -Self.bias) : (-1, -3071)
      return
    }
    var exponent = Int(real.exponentBitPattern)
    var fraction = real.significandBitPattern
    // Subnormal reals have no implicit bit, and use the smallest exponent, which is 1.
    if exponent == 0 { fraction <<= 1 } else { fraction |= Self.fractionMask + 1 }
    let zeros = min(fraction.trailingZeroBitCount, max(Self.bias - exponent, 0))
    fraction >>= UInt64(zeros)
    exponent += zeros
    mantissa = real < 0 ? -Int64(fraction) : Int64(fraction)
    self.exponent = exponent - Self.bias
  }

  /// Returns the real with this mantissa and exponent, rounded towards zero.
  static func real(mantissa: Int64, exponent: Int64) -> Double {
    guard mantissa != 0 else { return 0 }
    // An exponent outside this range yields the same result as the nearest exponent in it.
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
  /// Creates a real from 8 bytes in big-endian order; nil for any other number of bytes.
  init?(bigEndian bytes: [UInt8]) {
    guard bytes.count == 8 else { return nil }
    self.init(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) })
  }
}
