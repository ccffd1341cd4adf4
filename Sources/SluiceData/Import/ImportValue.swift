import SluiceCore

/// A value in a row that is imported.
enum ImportValue {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  /// Text in a format that does not distinguish numbers from text.
  case untyped(String)
}

/// A number in text that can be stored as a number without losing the meaning of any character.
///
/// `007` and `+5` are not plain numbers: they may be codes or telephone numbers, whose characters must remain.
enum PlainNumber {
  case integer(Int64)
  /// A real; `isExact` is false if the text has more digits than a real can store, or is too large.
  case real(Double, isExact: Bool)

  init?(_ text: String) {
    var form = NumberForm()
    for byte in text.utf8 {
      guard form.take(byte) else { return nil }
    }
    switch form.place {
    case .zero where form.isNegative, .fraction, .exponent:
      guard let value = Double(text) else { return nil }
      // A number can be too small or too large for a real, and a column can lose the sign of zero. The text of an
      // infinity is what an export writes; others are codes.
      let isRepresented =
        value.isFinite ? value != 0 || form.digitCount == 0 : value.jsonText == text
      self = .real(value, isExact: form.digitCount <= 17 && isRepresented)
    case .zero, .whole:
      guard let integer = form.integer else { return nil }
      self = .integer(integer)
    default: return nil
    }
  }
}

/// The grammar of numbers, which is that of JSON, as a state machine.
private struct NumberForm {
  enum Place {
    case start, afterSign, zero, whole, afterPoint, fraction, afterE, afterExponentSign, exponent
  }

  private(set) var place = Place.start
  private(set) var isNegative = false
  /// The number of digits without leading zeros.
  private(set) var digitCount = 0
  /// The negative of the digits before the point; nil after an overflow.
  private var negative: Int64? = 0

  /// The digits before the point with the sign; nil if they exceed 64 bits.
  var integer: Int64? {
    guard let negative, isNegative || negative != .min else { return nil }
    return isNegative ? negative : -negative
  }

  /// Adds a character, and returns whether the text can still be a number.
  mutating func take(_ byte: UInt8) -> Bool {
    let digit = byte &- UInt8(ascii: "0")
    guard digit >= 10 else { return take(digit: digit) }
    switch (place, byte) {
    case (.start, UInt8(ascii: "-")): (place, isNegative) = (.afterSign, true)
    case (.zero, UInt8(ascii: ".")), (.whole, UInt8(ascii: ".")): place = .afterPoint
    case (.zero, _) where byte | 0x20 == UInt8(ascii: "e"),
      (.whole, _) where byte | 0x20 == UInt8(ascii: "e"),
      (.fraction, _) where byte | 0x20 == UInt8(ascii: "e"):
      place = .afterE
    case (.afterE, UInt8(ascii: "-")), (.afterE, UInt8(ascii: "+")): place = .afterExponentSign
    default: return false
    }
    return true
  }

  private mutating func take(digit: UInt8) -> Bool {
    switch place {
    case .start, .afterSign:
      place = digit == 0 ? .zero : .whole
      add(digit)
    case .zero: return false
    case .whole: add(digit)
    case .afterPoint, .fraction:
      place = .fraction
      if digitCount > 0 || digit > 0 { digitCount += 1 }
    case .afterE, .afterExponentSign, .exponent: place = .exponent
    }
    return true
  }

  private mutating func add(_ digit: UInt8) {
    if digitCount > 0 || digit > 0 { digitCount += 1 }
    guard let value = negative else { return }
    let (product, isTooLarge) = value.multipliedReportingOverflow(by: 10)
    let (difference, isTooLow) = product.subtractingReportingOverflow(Int64(digit))
    negative = isTooLarge || isTooLow ? nil : difference
  }
}

/// The type of a new column that can contain all values found for it.
struct ColumnGuess {
  private var (hasInteger, hasLargeInteger, hasReal) = (false, false, false)
  /// Whether there is text that is not a number, or text of a format that distinguishes both.
  private var hasText = false
  /// Whether there is a number of a format that distinguishes numbers from text.
  private var hasTypedNumber = false
  /// For a column of a key, the spelling of its numbers.
  private var spelling: KeySpelling?
  /// Whether rows with different text would have the same real as their key.
  private var mergesKeys = false

  /// Creates a guess for a column that can be a part of the key if `mayBeKey` is true.
  init(mayBeKey: Bool) { spelling = mayBeKey ? KeySpelling() : nil }

  mutating func add(_ value: ImportValue) {
    switch value {
    case .null: break
    case .integer(let value):
      add(value)
      hasTypedNumber = true
    case .real: (hasReal, hasTypedNumber) = (true, true)
    case .text: hasText = true
    case .untyped(let text):
      guard !hasText else { return }
      switch PlainNumber(text) {
      case .integer(let value):
        add(value)
        if spelling?.accepts(value) == false { mergesKeys = true }
      case .real(let value, isExact: true):
        hasReal = true
        if spelling?.accepts(value, text) == false { mergesKeys = true }
      case .real, nil: hasText = true
      }
    }
  }

  private mutating func add(_ integer: Int64) {
    hasInteger = true
    // A real cannot represent every greater integer.
    if integer.magnitude > 1 << 53 { hasLargeInteger = true }
  }

  /// Returns the type for a strict table, in which the column is a part of the key if `isKey` is true.
  func type(isKey: Bool) -> String {
    if hasText || hasReal && hasLargeInteger || isKey && mergesKeys {
      return hasTypedNumber ? "ANY" : "TEXT"
    }
    return hasReal ? "REAL" : hasInteger ? "INTEGER" : "TEXT"
  }
}
