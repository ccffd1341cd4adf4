/// A type that SQL can carry: as the value of a column, and as the argument or result of a function.
///
/// Conforming a type of your own takes the two directions, and lets it be used wherever Sluice
/// takes a type by name:
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
/// Then the name of the type is enough:
///
/// ```swift
/// let today: Celsius = try row["temperature"]
/// ```
///
/// A type with several representations, such as a date, is better served by a
/// ``ColumnValueConverter`` and an ``SQLParameter`` for each of them: see ``SQLBindable``.
public protocol SQLValue: SQLFunctionArgument, SQLBindable {
  /// Makes the value that `databaseValue` stands for, or nil if that would lose something.
  init?(databaseValue: DatabaseValue)

  /// The form in which SQLite gets this value.
  var databaseValue: DatabaseValue { get throws }

  /// Makes the value that an argument of a function stands for, or throws ``ResultCode/mismatch``.
  ///
  /// It is there by itself, and does what ``init(databaseValue:)`` does.
  init(argument index: Int, of values: borrowing SQLFunctionArguments) throws
}

extension DatabaseValue: SQLValue {
  @inlinable
  public init?(databaseValue: DatabaseValue) { self = databaseValue }
  @inlinable
  public var databaseValue: DatabaseValue { self }
}

extension SQLValue where Self: FixedWidthInteger {
  /// Takes an integer in range, and what is one: `3.0`, `'3'` and `'3e2'`, but not `3.5` or `'x'`.
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
        // Text with a point or an exponent is a real to SQL.
        self = integer
      } else {
        return nil
      }
    case .blob, .null: return nil
    }
  }

  /// The integer, which must fit into the 64 bits, with sign, that SQLite has for it.
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
  /// Takes 0 and 1, and nothing else.
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
  /// Takes a number, and text that is one; an integer only if no digit is lost, also as text.
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

  /// Reads what SQL calls a number, not the other forms that Swift reads, such as `0x1p3` or `nan`.
  ///
  /// A number that is too large for a real or too close to 0 is lost, and so is refused, as is an integer
  /// of 64 bits that loses a digit.
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
  /// The digits of an integer, without point and exponent; nil for text that is no integer in SQL.
  @usableFromInline var wholeNumber: String? { DecimalDigits(self)?.whole }
}

extension Float: SQLValue {
  /// Takes a real, rounded to the nearest `Float` unless it is too large for one, and else what
  /// loses nothing.
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
  /// Takes text, a number in decimal, and bytes that are UTF-8.
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

extension [UInt8]: SQLFunctionArgument, SQLBindable, SQLValue {
  /// Takes a blob, and text as its UTF-8.
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

extension Optional: SQLValue where Wrapped: SQLValue {
  /// Takes NULL as nil, and the rest as `Wrapped` does.
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
