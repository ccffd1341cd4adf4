extension DatabaseValue {
  /// SQL that gives this very value, to the last bit.
  var exactLiteral: String {
    switch self {
    case .text(let text) where text.utf8.contains(0): Self.literal(withNUL: text)
    case .real(let value): Self.literal(value)
    case .integer, .text, .blob, .null: description
    }
  }

  /// SQL ends at a NUL, wherever it stands.
  private static func literal(withNUL text: String) -> String {
    let parts = text.unicodeScalars.split(separator: "\0", omittingEmptySubsequences: false)
    return "(" + parts.map { String($0).quoted("'") }.joined(separator: "||char(0)||") + ")"
  }

  /// SQLite reads some decimals with an error in the last bit; whole numbers and powers of two it does
  /// not.
  private static func literal(_ value: Double) -> String {
    guard !value.isNaN else { return "NULL" }
    let magnitude = abs(value)
    let isShort = magnitude < 1e9 && (magnitude * 64).rounded() == magnitude * 64
    let isWhole = magnitude < 0x1p53 && magnitude.rounded() == magnitude
    if isShort || isWhole || value.isInfinite { return DatabaseValue.real(value).description }
    // The bits that are set, as a whole number, and the power of two that they have to be brought to.
    let width = magnitude.significandWidth
    var exponent = Int(magnitude.exponent) - width
    var literal = "\(value < 0 ? "-" : "")\(magnitude.significand * pow2(width))"
    while exponent != 0 {
      let step = min(62, abs(exponent))
      literal += (exponent < 0 ? "/" : "*") + "\(1 << step)"
      exponent += exponent < 0 ? step : -step
    }
    return "(\(literal))"
  }

  private static func pow2(_ exponent: Int) -> Double {
    Double(sign: .plus, exponent: exponent, significand: 1)
  }
}
