/// A type whose values can be stored in columns, and can be arguments and results of SQL functions.
///
/// To conform a type, implement the two conversions:
///
/// ```swift
/// extension Celsius: SQLValue {
///   init?(databaseValue: DatabaseValue) {
///     guard let degrees = Double(databaseValue: databaseValue) else { return nil }
///     self.init(degrees)
///   }
///   var databaseValue: DatabaseValue { .real(degrees) }
/// }
/// ```
///
/// The name of the type then selects the conversion:
///
/// ```swift
/// let today: Celsius = try row["temperature"]
/// ```
///
/// An enumeration with raw values, or any other `RawRepresentable` type whose raw value is an ``SQLValue``, needs
/// only the name of the protocol. It is stored as its raw value:
///
/// ```swift
/// enum Grape: String, SQLValue { case merlot, syrah }
/// ```
///
/// For a type with several representations, such as a date, provide a ``ColumnValueConverter`` and an
/// ``SQLParameter`` for each of them instead: see ``SQLBindable``.
public protocol SQLValue: SQLFunctionArgument, SQLFunctionResult, SQLBindable {
  /// Creates the value that `databaseValue` represents, or returns nil if information would be lost.
  init?(databaseValue: DatabaseValue)

  /// The value in the form that SQLite receives.
  var databaseValue: DatabaseValue { get throws }

  /// Creates the value that a function argument represents, or throws ``ResultCode/mismatch``.
  ///
  /// The default implementation converts like ``init(databaseValue:)``.
  init(argument index: Int, of values: borrowing SQLFunctionArguments) throws
}

extension DatabaseValue: SQLValue {
  @inlinable
  public init?(databaseValue: DatabaseValue) { self = databaseValue }
  @inlinable
  public var databaseValue: DatabaseValue { self }
}

extension SQLValue where Self: FixedWidthInteger {
  /// Creates an integer from a whole number in range: `3.0`, `'3'` and `'3e2'`, but not `3.5` or `'x'`.
  @inlinable @inline(__always)
  public init?(databaseValue: DatabaseValue) {
    if case .integer(let value) = databaseValue {
      self.init(exactly: value)
    } else {
      self.init(converting: databaseValue)
    }
  }

  @inlinable @inline(never)
  init?(converting value: DatabaseValue) {
    switch value {
    case .integer(let value): self.init(exactly: value)
    case .real(let value): self.init(exactly: value)
    case .text(let value):
      if let integer = Self(value) {
        self = integer
      } else if let digits = value.wholeNumber, let integer = Self(digits),
        Double(exactly: integer) != nil
      {
        // SQL reads text with a point or an exponent as a real, which must represent the integer exactly.
        self = integer
      } else {
        return nil
      }
    case .blob, .null: return nil
    }
  }

  /// The integer, which must fit into the signed 64 bits of an SQLite integer.
  @inlinable
  public var databaseValue: DatabaseValue {
    get throws {
      guard let value = Int64(exactly: self) else {
        throw SQLiteError(
          .range, "The integer is greater than \(Int64.max), the largest that SQLite stores")
      }
      return .integer(value)
    }
  }
}

extension Int: SQLValue {}
extension Int8: SQLValue {}
extension Int16: SQLValue {}
extension Int32: SQLValue {}
extension Int64: SQLValue {}
extension UInt: SQLValue {}
extension UInt8: SQLValue {}
extension UInt16: SQLValue {}
extension UInt32: SQLValue {}
extension UInt64: SQLValue {}

extension Bool: SQLValue {
  /// Creates `false` from 0 and `true` from 1, and returns nil for any other value.
  @inlinable
  public init?(databaseValue: DatabaseValue) {
    switch Int64(databaseValue: databaseValue) {
    case 0: self = false
    case 1: self = true
    default: return nil
    }
  }

  @inlinable
  public var databaseValue: DatabaseValue { .integer(self ? 1 : 0) }
}

extension Double: SQLValue {
  /// Creates a `Double` from a number or numeric text; an integer, even one in text, must be exactly representable.
  @inlinable @inline(__always)
  public init?(databaseValue: DatabaseValue) {
    if case .real(let value) = databaseValue {
      self = value
    } else {
      self.init(converting: databaseValue)
    }
  }

  @usableFromInline @inline(never)
  init?(converting value: DatabaseValue) {
    switch value {
    case .real(let value): self = value
    case .integer(let value): self.init(exactly: value)
    case .text(let value):
      self.init(decimal: value)
    case .blob, .null: return nil
    }
  }

  @inlinable
  public var databaseValue: DatabaseValue { .real(self) }

  /// Parses a number in SQL's notation, but not other forms that Swift accepts, such as `0x1p3` or `nan`.
  ///
  /// Returns nil for a number that is too large for a real or too close to 0, and for a 64-bit integer that a
  /// real cannot represent exactly.
  private init?(decimal text: String) {
    guard let digits = DecimalDigits(text), let value = Double(text), value.isFinite,
      value != 0 || digits.isZero
    else { return nil }
    if let integer = digits.whole.flatMap({ Int64($0) }), Int64(exactly: value) != integer {
      return nil
    }
    self = value
  }
}

extension String {
  /// The digits of the whole number that this text denotes in SQL, without a point or an exponent.
  ///
  /// For example, `3e2` yields `300`. The value is nil if the text denotes no whole number, or one with more than
  /// 40 digits.
  @usableFromInline var wholeNumber: String? { DecimalDigits(self)?.whole }
}

extension Float: SQLValue {
  /// Creates a number from a real or numeric text, rounded to the nearest `Float`; a stored integer must be
  /// exactly representable.
  ///
  /// Returns nil for a real that is too large for a `Float`.
  @inlinable
  public init?(databaseValue: DatabaseValue) {
    if case .integer(let value) = databaseValue {
      self.init(exactly: value)
      return
    }
    guard let value = Double(databaseValue: databaseValue) else { return nil }
    self.init(value)
    if isInfinite && value.isFinite { return nil }
  }

  @inlinable
  public var databaseValue: DatabaseValue { .real(Double(self)) }
}

extension String: SQLValue {
  /// Creates a string from text, from a number in decimal notation, or from bytes that are UTF-8.
  @inlinable @inline(__always)
  public init?(databaseValue: DatabaseValue) {
    if case .text(let value) = databaseValue {
      self = value
    } else {
      self.init(converting: databaseValue)
    }
  }

  @usableFromInline @inline(never)
  init?(converting value: DatabaseValue) {
    switch value {
    case .text(let value): self = value
    case .integer(let value): self = "\(value)"
    case .real(let value): self = "\(value)"
    case .blob(let value): self.init(validating: value, as: UTF8.self)
    case .null: return nil
    }
  }

  @inlinable
  public var databaseValue: DatabaseValue { .text(self) }
}

extension [UInt8]: SQLFunctionArgument, SQLFunctionResult, SQLBindable, SQLValue {
  /// Creates an array from a blob, or from the UTF-8 of text.
  @inlinable
  public init?(databaseValue: DatabaseValue) {
    switch databaseValue {
    case .blob(let value): self = value
    case .text(let value): self = Array(value.utf8)
    case .integer, .real, .null: return nil
    }
  }

  @inlinable
  public var databaseValue: DatabaseValue { .blob(self) }
}

extension SQLValue where Self: RawRepresentable, RawValue: SQLValue {
  /// Creates the value whose raw value `databaseValue` represents, or returns nil if there is no such value.
  @inlinable
  public init?(databaseValue: DatabaseValue) {
    guard let rawValue = RawValue(databaseValue: databaseValue) else { return nil }
    self.init(rawValue: rawValue)
  }

  @inlinable
  public var databaseValue: DatabaseValue { get throws { try rawValue.databaseValue } }
}

extension Optional: SQLValue where Wrapped: SQLValue {
  /// Creates nil from NULL, and converts any other value like `Wrapped`.
  @inlinable
  public init?(databaseValue: DatabaseValue) {
    if databaseValue.isNull {
      self = .none
    } else if let value = Wrapped(databaseValue: databaseValue) {
      self = .some(value)
    } else {
      return nil
    }
  }

  @inlinable
  public var databaseValue: DatabaseValue {
    get throws { try map { value throws in try value.databaseValue } ?? .null }
  }
}
