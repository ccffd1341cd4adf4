import SluiceCore
import TestSupport
import Testing

/// Expects a Swift type to accept only the values that it can represent without loss.
@Suite struct SQLValueTests {
  private func expect<T: SQLValue & Equatable>(
    _ type: T.Type, _ value: DatabaseValue, gives expected: T?,
    _ location: SourceLocation = #_sourceLocation
  ) {
    #expect(T(databaseValue: value) == expected, "\(value) as \(T.self)", sourceLocation: location)
  }

  @Test func `an Int accepts integers, integral reals and integral text`() {
    expect(Int.self, 3, gives: 3)
    expect(Int.self, 3.0, gives: 3)
    expect(Int.self, "42", gives: 42)
    expect(Int.self, "-42", gives: -42)
    expect(Int.self, "3.0", gives: 3)
    expect(Int.self, "1e2", gives: 100)
    expect(Int.self, "9223372036854775807", gives: .max)
    expect(Int.self, "-9223372036854775808", gives: .min)
    expect(Int64.self, 5_000_000_000, gives: 5_000_000_000)
    expect(Int64.self, "5000000000", gives: 5_000_000_000)
    expect(Int64.self, 5e9, gives: 5_000_000_000)
  }

  @Test(
    arguments: [
      3.5, "abc", "3.5", "", " ", "12abc", "0x10", "nan", "inf", "1e999", "9223372036854775808",
      "9007199254740993.0", .real(.infinity), 1e300, .blob([]), .blob([51]), "4\u{0}2", .null,
    ] as [DatabaseValue])
  func `integer types reject values that do not convert exactly`(value: DatabaseValue) {
    #expect(Int(databaseValue: value) == nil)
    #expect(Int64(databaseValue: value) == nil)
    #expect(Int8(databaseValue: value) == nil)
    #expect(UInt64(databaseValue: value) == nil || value == "9223372036854775808")
  }

  @Test(
    arguments: [
      ("1234567890123e6", 1_234_567_890_123_000_000), ("-12e1", -120), ("0.05e2", 5), ("+7.00", 7),
      ("1e18", 1_000_000_000_000_000_000), ("9007199254740992.0", 9_007_199_254_740_992),
      ("0e999999999999999999999", 0), ("-0.0", 0), ("100e-2", 1), ("000000000000000000000007.", 7),
      ("4611686018427387904.", 4_611_686_018_427_387_904),
    ] as [(DatabaseValue, Int?)])
  func `text with a point or exponent is read as an integer if a double represents it exactly`(
    value: DatabaseValue, integer: Int?
  ) {
    let isExact = integer.flatMap { Double(exactly: $0) } != nil
    expect(Int.self, value, gives: isExact ? integer : nil)
    expect(Int64.self, value, gives: isExact ? integer.map(Int64.init) : nil)
    expect(Double.self, value, gives: integer.flatMap { Double(exactly: $0) })
  }

  @Test(
    arguments: [
      "9007199254740993.", "9007199254740993.0", "90071992547409930e-1", "9223372036854775807.",
    ] as [DatabaseValue])
  func `reading numeric text with a point throws if a double would round the number`(
    value: DatabaseValue
  ) {
    expect(Int.self, value, gives: nil)
    expect(UInt64.self, value, gives: nil)
    expect(Double.self, value, gives: nil)
    expect(Float.self, value, gives: nil)
  }

  @Test(
    arguments: [
      "1e-400", "0.1e-400", "-1e-999", "1e-99999999999999999999", "1e400", "-1e400", "1e", "e1",
      ".",
      "-", "1.e", "1e+", "1 ", "0x1", "1_000",
    ] as [DatabaseValue])
  func `reading text as a number throws if the number underflows, overflows or is malformed`(
    value: DatabaseValue
  ) {
    expect(Int.self, value, gives: nil)
    expect(Bool.self, value, gives: nil)
    expect(Double.self, value, gives: nil)
    expect(Float.self, value, gives: nil)
  }

  @Test func `each integer width accepts exactly its own range`() {
    func check<T: FixedWidthInteger & SQLValue>(_ type: T.Type) {
      for bound in [T.min, T.max] {
        if let integer = Int64(exactly: bound) { expect(T.self, .integer(integer), gives: bound) }
        expect(T.self, .text("\(bound)"), gives: bound)
      }
      if let above = Int64(exactly: T.max).flatMap({ $0 < .max ? $0 + 1 : nil }) {
        expect(T.self, .integer(above), gives: nil)
        expect(T.self, .text("\(above)"), gives: nil)
      }
      if let below = Int64(exactly: T.min).flatMap({ $0 > .min ? $0 - 1 : nil }) {
        expect(T.self, .integer(below), gives: nil)
        expect(T.self, .real(Double(below)), gives: nil)
        expect(T.self, .text("\(below)"), gives: nil)
      }
    }
    check(Int8.self)
    check(Int16.self)
    check(Int32.self)
    check(Int64.self)
    check(Int.self)
    check(UInt8.self)
    check(UInt16.self)
    check(UInt32.self)
    check(UInt64.self)
    check(UInt.self)
    expect(Int8.self, 300, gives: nil)
    expect(UInt8.self, -1, gives: nil)
    expect(Int32.self, 1_099_511_627_776, gives: nil)
  }

  @Test func `storing an unsigned integer above the Int64 maximum throws`() {
    #expect(failure { try UInt64.max.databaseValue }?.code == .range)
    #expect(failure { try UInt(Int.max).databaseValue } == nil)
    #expect(failure { try (UInt(Int.max) + 1).databaseValue }?.code == .range)
    #expect(failure { try Optional(UInt64.max).databaseValue }?.code == .range)
  }

  @Test func `a Double accepts a number or numeric text if no digit is lost`() {
    expect(Double.self, 3, gives: 3)
    expect(Double.self, 3.5, gives: 3.5)
    expect(Double.self, "3.5", gives: 3.5)
    expect(Double.self, "42", gives: 42)
    expect(Double.self, "-1.5e3", gives: -1500)
    expect(Double.self, .real(.infinity), gives: .infinity)
    expect(Double.self, 9_007_199_254_740_992, gives: 9_007_199_254_740_992)
    expect(Double.self, 9_007_199_254_740_993, gives: nil)
    expect(Double.self, .integer(.max), gives: nil)
    expect(Double.self, "9007199254740993", gives: nil)
    for text in ["abc", "", "0x1p3", "nan", "inf", "1e999", "1.5x", " 1.5"] {
      expect(Double.self, .text(text), gives: nil)
    }
    expect(Double.self, .blob([51]), gives: nil)
    expect(Double.self, .null, gives: nil)
  }

  @Test func `a Float rounds reals but rejects finite values that would become infinite`() {
    expect(Float.self, 1.5, gives: 1.5)
    expect(Float.self, 0.1, gives: 0.1)
    expect(Float.self, 3, gives: 3)
    expect(Float.self, "2.5", gives: 2.5)
    expect(Float.self, .real(.infinity), gives: .infinity)
    expect(Float.self, 1e300, gives: nil)
    expect(Float.self, "abc", gives: nil)
    expect(Float.self, .null, gives: nil)
  }

  @Test func `a Bool accepts only 0 and 1`() {
    for value in [0, 0.0, "0"] as [DatabaseValue] { expect(Bool.self, value, gives: false) }
    for value in [1, 1.0, "1"] as [DatabaseValue] { expect(Bool.self, value, gives: true) }
    for value in [2, -1, 0.5, "true", "", .blob([1]), .null] as [DatabaseValue] {
      expect(Bool.self, value, gives: nil)
    }
    #expect(true.databaseValue == 1)
    #expect(false.databaseValue == 0)
  }

  @Test func `a String accepts numbers and blobs of valid UTF-8`() {
    expect(String.self, "a\0b", gives: "a\0b")
    expect(String.self, 42, gives: "42")
    expect(String.self, 3.5, gives: "3.5")
    expect(String.self, .blob(Array("é".utf8)), gives: "é")
    expect(String.self, .blob([]), gives: "")
    expect(String.self, .blob([0xff]), gives: nil)
    expect(String.self, .null, gives: nil)
  }

  @Test func `a byte array accepts blobs and the UTF-8 of text`() {
    expect([UInt8].self, .blob([0, 255]), gives: [0, 255])
    expect([UInt8].self, "é", gives: [0xc3, 0xa9])
    expect([UInt8].self, "", gives: [])
    expect([UInt8].self, 42, gives: nil)
    expect([UInt8].self, 1.5, gives: nil)
    expect([UInt8].self, .null, gives: nil)
  }

  @Test func `an optional reads NULL as nil and rejects the same values as its type`() {
    #expect(Int?(databaseValue: .null) == .some(nil))
    #expect(Int?(databaseValue: 3) == .some(3))
    #expect(Int?(databaseValue: "abc") == nil)
    #expect(DatabaseValue(databaseValue: .null) == .null)
  }

  @Test
  func `a Float rejects an inexact integer, and an Int rejects a long fraction`() {
    expect(Float.self, 16_777_216, gives: 16_777_216)
    expect(Float.self, 16_777_217, gives: nil)
    expect(Int.self, "0.99999999999999999999", gives: nil)
    expect(Int.self, "3.0", gives: 3)
  }
}
