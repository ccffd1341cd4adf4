public import Foundation
public import SluiceCore

extension SQLBindable where Self == SQLParameter {
  /// A number as an integer or a real, whichever it was created from; NULL for nil.
  ///
  /// A Boolean is stored as 1 or 0. A number that SQLite cannot store throws when it is bound: ``ResultCode/range``
  /// for an integer above `Int64.max`, and ``ResultCode/mismatch`` for an `NSDecimalNumber` that no real equals.
  /// Use ``decimal(_:)`` for such a decimal number.
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
  /// A number from an integer, a real, or text that denotes a number.
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
      // Binding the value throws for a NaN.
      guard real.isNaN || Decimal(exactly: "\(real)") == decimalValue else {
        throw SQLiteError(.mismatch, "A decimal number that is neither an integer nor a real")
      }
      return .real(real)
    }
  }
}
