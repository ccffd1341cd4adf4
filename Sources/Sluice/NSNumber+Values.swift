public import Foundation
public import SluiceCore

extension SQLBindable where Self == SQLParameter {
  /// Returns a parameter with a number as an integer or a real, like the value it was created from; NULL for nil.
  ///
  /// A Boolean is stored as 1 or 0. Binding throws ``ResultCode/range`` for an integer above `Int64.max`, and
  /// ``ResultCode/mismatch`` for an `NSDecimalNumber` that no integer or real equals. For such a decimal number,
  /// use ``decimal(_:)``.
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
  /// A converter that reads a number from an integer, a real, or text that represents a number.
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
      throw row.mismatch(at: index, "is \(stored.storageClass.rawValue), not a number")
    }
  }
}

extension NSDecimalNumber {
  fileprivate var nearestValue: DatabaseValue {
    get throws {
      if let integer = Int64(exactly: self) { return .integer(integer) }
      let real = doubleValue
      // A NaN passes this check, because binding the value throws for a NaN.
      guard real.isNaN || Decimal(exactly: "\(real)") == decimalValue else {
        throw SQLiteError(
          .mismatch, "The decimal number equals neither an integer nor a real; use .decimal")
      }
      return .real(real)
    }
  }
}
