import Foundation
import SluiceCore

/// The SQL literals of reals, from which SQLite reads exactly the same bits.
///
/// SQLite rounds some decimal numbers incorrectly when it reads them. Each literal is therefore converted back by
/// SQLite, and replaced by a longer one if the result differs.
struct RealLiterals {
  private let reader: Statement

  init(_ connection: Connection) throws {
    reader = try connection.prepare(sql: "SELECT CAST(? AS REAL)")
  }

  func literal(of value: Double) throws -> String {
    guard value.isFinite else { return value < 0 ? "-1e999" : "1e999" }
    let shortest = value.description
    // SQLite reads an integer of up to 53 bits without rounding.
    if value.magnitude < 0x1p53, value == value.rounded() { return shortest }
    if try isExact(shortest, value) { return shortest }
    let long = String(format: "%.19e", value)
    return try isExact(long, value) ? long : Self.product(value)
  }

  private func isExact(_ literal: String, _ value: Double) throws -> Bool {
    try reader.bind(literal).first(.column(.double)) == value
  }

  /// Returns the value as an integer that is multiplied or divided by powers of two, which SQLite computes exactly.
  private static func product(_ value: Double) -> String {
    let shift = value.significandWidth
    // The integer has at most 53 bits.
    var integer = value.significand
    integer *= Double(sign: .plus, exponent: shift, significand: 1)
    var exponent = Int(value.exponent) - shift
    var text = "(\(value.sign == .minus ? "-" : "")\(integer)"
    while exponent != 0 {
      let step = min(abs(exponent), 52)
      text += exponent < 0 ? "/" : "*"
      text += "\(Double(1 << step))"
      exponent -= exponent < 0 ? -step : step
    }
    return text + ")"
  }
}
