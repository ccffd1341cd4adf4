import Foundation
import Sluice
import TestSupport
import Testing

@Suite(.tags(.values)) struct `Decimal values` {
  let db: Connection
  init() throws { db = try Connection() }

  static let decimals: [Decimal] = [
    0, 1, -1, Decimal(Int64.min), Decimal(UInt64.max), .pi, .greatestFiniteMagnitude,
    .leastFiniteMagnitude, .leastNonzeroMagnitude,
    Decimal(sign: .minus, exponent: -2, significand: 1250),
    Decimal(sign: .plus, exponent: 127, significand: 1),
    Decimal(sign: .plus, exponent: -127, significand: 12_345),
  ]

  @Test(arguments: decimals) func `a Decimal round-trips with all its digits`(
    decimal: Decimal
  ) throws {
    #expect(try db.select(.decimal, .decimal(decimal)) == decimal)
  }

  @Test(arguments: [
    ("0.10", "0.1"), ("-12.50", "-12.5"), ("100", "100"), ("0", "0"), ("1e3", "1000"),
  ])
  func `a Decimal is stored as text without an exponent`(written: String, stored: String) throws {
    let decimal = try #require(Decimal(string: written))
    #expect(try db.select(.value, .decimal(decimal)) == .text(stored))
  }

  @Test(arguments: [
    ("+7", "7"), (".5", "0.5"), ("5.", "5"), ("1e3", "1000"), ("1E-3", "0.001"), ("-0", "0"),
    ("007.00", "7"), ("0e9", "0"), ("0e99999999999999999999", "0"), ("1e0000000002", "100"),
    ("1.5e+2", "150"),
    ("340282366920938463463374607431768211455", "340282366920938463463374607431768211455"),
  ])
  func `text in SQL's number syntax is read as a Decimal`(text: String, meaning: String) throws {
    let decimal = try #require(try db.select(.decimal, .string(text)))
    #expect(decimal.description == meaning)
  }

  @Test func `integers and reals are read as Decimals`() throws {
    #expect(try db.select(.decimal, .int64(.min)) == Decimal(Int64.min))
    #expect(try db.select(.decimal, 0.1) == Decimal(string: "0.1"))
    #expect(try db.select(.decimal, .double(1e100)) == Decimal(string: "1e100"))
    #expect(try db.select(.decimal, -2.5) == Decimal(string: "-2.5"))
  }

  @Test(
    arguments: [
      "", "1x", "x", " 1", "1 ", "1,5", "1e", "1e1.5", "--1", "-", ".", "1.2.3", "1\0", "nan",
      "inf",
      "٣", "1e200", "1e-200", "1e99999999999999999999", nil, .blob([0xff]), .blob([0x31]),
      .real(.infinity),
      .real(1e300), .real(.leastNonzeroMagnitude), "340282366920938463463374607431768211456",
      "0.3402823669209384634633746074317682114567", .text(String(repeating: "9", count: 100_000)),
    ] as [DatabaseValue])
  func `reading a value that is not a Decimal or has too many digits throws a mismatch`(
    value: DatabaseValue
  ) {
    let error = failure { try db.select(.decimal, .value(value)) }
    #expect(error?.code == .mismatch)
    #expect(error?.message.hasPrefix("Column 0 (?) is ") == true)
  }

  @Test func `binding a NaN Decimal throws`() {
    #expect(failure { try db.select(.value, .decimal(.nan)) }?.code == .mismatch)
  }
}
