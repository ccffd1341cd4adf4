import Foundation
import Sluice
import TestSupport
import Testing

@Suite(.tags(.values)) struct `NSNumber values` {
  let db: Connection
  init() throws { db = try Connection() }

  @Test(
    arguments: [
      (true, 1), (false, 0), (NSNumber(value: Int8.min), -128), (NSNumber(value: UInt8.max), 255),
      (NSNumber(value: UInt32.max), 4_294_967_295), (NSNumber(value: Int.max), .integer(.max)),
      (NSNumber(value: Int.min), .integer(.min)), (NSNumber(value: UInt64(7)), 7),
      (NSNumber(value: UInt64(Int64.max)), .integer(.max)), (3.0, 3.0), (-0.5, -0.5),
      (NSNumber(value: Float(0.25)), 0.25), (NSNumber(value: 1e300), 1e300),
      (NSNumber(value: Double.infinity), .real(.infinity)),
      (NSDecimalNumber(string: "12"), 12), (NSDecimalNumber(string: "0.1"), 0.1),
    ] as [(NSNumber, DatabaseValue)])
  func `an NSNumber is stored by its underlying type and round-trips`(
    number: NSNumber, value: DatabaseValue
  ) throws {
    #expect(try db.select(.value, .number(number)) == value)
    let back = try #require(try db.select(.number, .number(number)))
    #expect(back.compare(number) == .orderedSame)
  }

  @Test func `numeric text is read as an NSNumber of the same value`() throws {
    #expect(try db.select(.number, "-42") == NSNumber(value: -42))
    #expect(try db.select(.number, "18446744073709551615") == NSNumber(value: UInt64.max))
    #expect(try db.select(.number, "2.50") == NSNumber(value: 2.5))
  }

  @Test func `binding an NSNumber above Int64.max throws`() {
    for number in [NSNumber(value: UInt64.max), NSNumber(value: UInt64(Int64.max) + 1)] {
      #expect(failure { try db.select(.value, .number(number)) }?.code == .range)
    }
  }

  @Test(
    arguments: [
      NSNumber(value: Double.nan), NSDecimalNumber.notANumber,
      NSDecimalNumber(string: "0.1234567890123456789"),
      NSDecimalNumber(string: "12345678901234567890123"),
    ])
  func `binding an NSNumber that is NaN or would lose digits throws`(number: NSNumber) {
    #expect(failure { try db.select(.value, .number(number)) }?.code == .mismatch)
  }

  @Test(arguments: ["", "x", "1x", "0x10", "nan", nil, .blob([1])] as [DatabaseValue])
  func `reading an NSNumber from a value that is not a number throws a mismatch`(
    value: DatabaseValue
  ) {
    let error = failure { try db.select(.number, .value(value)) }
    #expect(error?.code == .mismatch)
    #expect(error?.message.hasPrefix("Column 0 (?) is \(value.storageClass.rawValue), ") == true)
  }
}
