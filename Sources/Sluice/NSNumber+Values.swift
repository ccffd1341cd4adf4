public import Foundation
public import SluiceCore

extension SQLBindable where Self == SQLParameter {
  /// A number as what it was made from: 1 or 0 for a boolean, an integer or a real; NULL for nil.
  ///
  /// What SQLite cannot hold is refused when it is bound: an integer above `Int64.max` with
  /// ``ResultCode/range``, and an `NSDecimalNumber` that no real is equal to with
  /// ``ResultCode/mismatch``; ``decimal(_:)`` stores that.
  public static func number(_ number: NSNumber?) -> SQLParameter {
    SQLParameter(number) { number in
      if let decimal = number as? NSDecimalNumber { return try decimal.nearestValue }
      switch unsafe UInt8(bitPattern: number.objCType.pointee) {
      case UInt8(ascii: "f"), UInt8(ascii: "d"): return .real(number.doubleValue)
      case UInt8(ascii: "Q"): return try number.uint64Value.databaseValue
      default: return .integer(number.int64Value)
      }
    }
  }
}

extension ColumnValueConverter where Value == NSNumber {
  /// A number as an integer or a real, or text that is one.
  public static var number: Self {
    Self { row, index in
      let stored = try row.value(at: index)
      switch stored {
      case .integer(let value): return NSNumber(value: value)
      case .real(let value): return NSNumber(value: value)
      case .text(let text):
        if let value = Int64(text) { return NSNumber(value: value) }
        if let value = UInt64(text) { return NSNumber(value: value) }
        if let value = Double(databaseValue: stored) { return NSNumber(value: value) }
      case .blob, .null: break
      }
      throw row.mismatch(at: index, "is \(stored.storageClass.rawValue), and cannot be a number")
    }
  }
}

extension NSDecimalNumber {
  fileprivate var nearestValue: DatabaseValue {
    get throws {
      if let integer = Int64(exactly: self) { return .integer(integer) }
      let real = doubleValue
      // A NaN is refused where it is bound.
      guard real.isNaN || Decimal(exactly: "\(real)") == decimalValue else {
        throw SQLiteError(.mismatch, "A decimal number that is neither an integer nor a real")
      }
      return .real(real)
    }
  }
}
