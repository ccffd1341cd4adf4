public import SluiceCore

extension Connection {
  /// Adds SQL functions and a collation for exact decimal numbers.
  ///
  /// - `decimal(X)` and `decimal_exp(X)` return the number in the forms `-12.50` and `-1.25e+01`. A real, or a
  ///   blob that contains its 8 bytes, is converted exactly, so `decimal(0.1)` has 55 digits.
  /// - `decimal_add(X, Y)`, `decimal_sub(X, Y)` and `decimal_mul(X, Y)` return the sum, the difference and the
  ///   product. `decimal_cmp(X, Y)` returns -1, 0 or 1. If an argument is a real, these
  ///   functions use the decimal number that SQLite displays for it.
  /// - `decimal_sum(X)` is an aggregate function, and also a window function.
  /// - `decimal_pow2(N)` returns 2 to the power of N, an integer from -20000 to 20000, in the format of
  ///   `decimal_exp`.
  /// - The collation `decimal` orders text by the numbers that it contains.
  ///
  /// Numbers are text with any number of digits, and keep trailing zeros. Store them in columns without a numeric
  /// type. Characters that are not part of a number are skipped, and text without a digit is 0. The result for
  /// NULL is NULL. A number with more than 100,000 digits throws `ResultCode.tooBig`; comparisons accept any
  /// number of digits.
  public func addDecimalFunctions() throws {
    try addDecimalFunction("decimal", arity: 1) { try $0.decimal().map { .text($0.text) } }
    try addDecimalFunction("decimal_exp", arity: 1) {
      try $0.decimal().map { .text($0.scientificText) }
    }
    try addDecimalFunction("decimal_pow2", arity: 1) { values in
      guard try values.storageClass(at: 0) == .integer else { return nil }
      let exponent = Int(clamping: try values.integer(at: 0))
      return .text(try DecimalNumber.powerOfTwo(exponent).scientificText)
    }
    try addDecimalFunction("decimal_add", arity: 2) { try $0.decimals { try $0.adding($1) } }
    try addDecimalFunction("decimal_sub", arity: 2) { try $0.decimals { try $0.adding(-$1) } }
    try addDecimalFunction("decimal_mul", arity: 2) {
      try $0.decimals { try $0.multiplied(by: $1) }
    }
    try addDecimalFunction("decimal_cmp", arity: 2) { values in
      guard let first = try values.decimalText(at: 0), let second = try values.decimalText(at: 1)
      else { return nil }
      switch DecimalText.order(first, second) {
      case .ascending: return -1
      case .same: return 0
      case .descending: return 1
      }
    }
    try addAggregateFunction("decimal_sum", arity: 1, options: [.deterministic, .innocuous]) {
      DecimalSum()
    }
    try addCollation(
      "decimal",
      comparingUTF8: { DecimalText.order(DecimalText($0), DecimalText($1)) })
  }

  private func addDecimalFunction(
    _ name: String, arity: Int,
    _ function: @escaping (borrowing SQLFunctionArguments) throws -> DatabaseValue?
  ) throws {
    try addFunction(name, arity: arity, options: [.deterministic, .innocuous]) { values in
      try function(values) ?? .null
    }
  }
}

/// A sum of decimal numbers, whose number of decimal places never decreases.
private final class DecimalSum: SQLAggregateWindowFunction {
  /// The sum of the rows so far; nil if there was no row yet, not even a row with NULL.
  private var sum: DecimalNumber?

  func step(_ values: borrowing SQLFunctionArguments) throws {
    let sum = sum ?? .zero
    self.sum = try values.decimalText(at: 0).map { try sum.adding(DecimalNumber($0)) } ?? sum
  }

  func inverse(_ values: borrowing SQLFunctionArguments) throws {
    guard let sum, let text = try values.decimalText(at: 0) else { return }
    self.sum = try sum.adding(-DecimalNumber(text))
  }

  func value() throws -> DatabaseValue { sum.map { .text($0.text) } ?? .null }

  func final() throws -> DatabaseValue { try value() }
}

extension SQLFunctionArguments {
  /// Returns the number in an argument as text; nil for NULL.
  fileprivate func decimalText(at index: Int) throws -> DecimalText? {
    guard try storageClass(at: index) != .null else { return nil }
    let bytes = try blob(at: index)[...]
    return DecimalText(bytes.span)
  }

  /// Returns the first argument as a number, converting a real exactly.
  ///
  /// The result is nil for NULL, for infinity, and for a blob that does not contain a finite real.
  fileprivate func decimal() throws -> DecimalNumber? {
    switch try storageClass(at: 0) {
    case .null: nil
    case .integer, .text: try decimalText(at: 0).map { try DecimalNumber($0) }
    case .real: try DecimalNumber(real(at: 0))
    case .blob: try Double(bigEndian: blob(at: 0)).flatMap { try DecimalNumber($0) }
    }
  }

  /// Returns the result of `operation` for the numbers in two arguments; nil if one of them is NULL.
  fileprivate func decimals(
    _ operation: (DecimalNumber, DecimalNumber) throws -> DecimalNumber
  ) throws -> DatabaseValue? {
    guard let first = try decimalText(at: 0), let second = try decimalText(at: 1) else {
      return nil
    }
    return .text(try operation(DecimalNumber(first), DecimalNumber(second)).text)
  }
}
