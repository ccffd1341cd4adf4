/// A value for a parameter of a statement, in the representation that the database is to hold.
///
/// Literals are parameters, and so is what one of the static functions makes of a value. The
/// representation is chosen where it is used: `.uuidString(id)` or `.uuidBytes(id)`.
///
/// ```swift
/// try connection.execute(
///   sql: "INSERT INTO t VALUES (?, ?, ?)",
///   parameters: 1, .string(name), .optional(age, SQLParameter.int))
/// ```
///
/// A representation of your own is an extension of one line:
///
/// ```swift
/// extension SQLParameter {
///   static func point(_ point: Point) -> SQLParameter { SQLParameter(.text("\(point.x);\(point.y)")) }
/// }
/// ```
public struct SQLParameter: Sendable {
  @usableFromInline let content: Content

  /// What is bound.
  @usableFromInline enum Content: Sendable {
    case value(DatabaseValue)
    /// What could not be made, and why; it is thrown when it is bound.
    case failure(any Error)
    /// So many bytes that are 0.
    case zeroBlob(Int)
    /// Something that functions and tables in Swift can reach, and that is NULL to SQL.
    case object(SharedObject)
  }

  /// It is behind a reference so that all other parameters stay small.
  @usableFromInline final class SharedObject: Sendable {
    let value: any Sendable
    init(_ value: any Sendable) { self.value = value }
  }

  @inlinable init(content: Content) { self.content = content }

  /// A parameter that is `value`.
  @inlinable public init(_ value: DatabaseValue) { content = .value(value) }

  /// A parameter that is what `value` returns; an error it throws is thrown when it is bound.
  public init(_ value: () throws -> DatabaseValue) {
    do { content = .value(try value()) } catch { content = .failure(error) }
  }

  /// A parameter in the representation that the type of `value` has by itself.
  @inlinable @inline(__always)
  public init(_ value: some SQLValue) {
    do { content = .value(try value.databaseValue) } catch { content = .failure(error) }
  }
}

extension SQLParameter: ExpressibleByIntegerLiteral {
  @inlinable public init(integerLiteral value: Int64) { self.init(.integer(value)) }
}

extension SQLParameter: ExpressibleByFloatLiteral {
  @inlinable public init(floatLiteral value: Double) { self.init(.real(value)) }
}

extension SQLParameter: ExpressibleByStringLiteral {
  @inlinable public init(stringLiteral value: String) { self.init(.text(value)) }
}

extension SQLParameter: ExpressibleByBooleanLiteral {
  public init(booleanLiteral value: Bool) { self.init(DatabaseValue(booleanLiteral: value)) }
}

extension SQLParameter: ExpressibleByNilLiteral {
  @inlinable public init(nilLiteral: ()) { self.init(DatabaseValue.null) }
}

extension SQLParameter {
  /// NULL.
  public static var null: SQLParameter { nil }

  /// NULL for nil, and else what `parameter` makes of the value.
  ///
  /// ```swift
  /// .optional(middleName, SQLParameter.string)
  /// ```
  public static func optional<T>(_ value: T?, _ parameter: (T) -> SQLParameter) -> SQLParameter {
    value.map(parameter) ?? nil
  }

  /// A value as SQLite stores it.
  @inlinable public static func value(_ value: DatabaseValue) -> SQLParameter {
    SQLParameter(value)
  }

  /// An integer.
  @inlinable public static func int(_ value: Int) -> SQLParameter {
    SQLParameter(.integer(Int64(value)))
  }

  /// An integer.
  @inlinable public static func int8(_ value: Int8) -> SQLParameter {
    SQLParameter(.integer(Int64(value)))
  }

  /// An integer.
  @inlinable public static func int16(_ value: Int16) -> SQLParameter {
    SQLParameter(.integer(Int64(value)))
  }

  /// An integer.
  @inlinable public static func int32(_ value: Int32) -> SQLParameter {
    SQLParameter(.integer(Int64(value)))
  }

  /// An integer.
  @inlinable public static func int64(_ value: Int64) -> SQLParameter {
    SQLParameter(.integer(value))
  }

  /// An integer, which is refused with ``ResultCode/range`` when it is bound if it is too large.
  public static func uint(_ value: UInt) -> SQLParameter { SQLParameter(value) }

  /// An integer.
  @inlinable public static func uint8(_ value: UInt8) -> SQLParameter {
    SQLParameter(.integer(Int64(value)))
  }

  /// An integer.
  @inlinable public static func uint16(_ value: UInt16) -> SQLParameter {
    SQLParameter(.integer(Int64(value)))
  }

  /// An integer.
  @inlinable public static func uint32(_ value: UInt32) -> SQLParameter {
    SQLParameter(.integer(Int64(value)))
  }

  /// An integer, which is refused with ``ResultCode/range`` when it is bound if it is too large.
  public static func uint64(_ value: UInt64) -> SQLParameter { SQLParameter(value) }

  /// The bits of `value` as an integer with sign, which for large values is a negative one.
  public static func uint64(bitPattern value: UInt64) -> SQLParameter {
    SQLParameter(.integer(Int64(bitPattern: value)))
  }

  /// 1 for true, 0 for false.
  @inlinable public static func bool(_ value: Bool) -> SQLParameter {
    SQLParameter(.integer(value ? 1 : 0))
  }

  /// A number, which is refused with ``ResultCode/mismatch`` when it is bound if it is a NaN.
  @inlinable public static func float(_ value: Float) -> SQLParameter {
    SQLParameter(.real(Double(value)))
  }

  /// A number, which is refused with ``ResultCode/mismatch`` when it is bound if it is a NaN.
  @inlinable public static func double(_ value: Double) -> SQLParameter {
    SQLParameter(.real(value))
  }

  /// Text, in which a NUL is a character like any other.
  @inlinable public static func string(_ value: String) -> SQLParameter {
    SQLParameter(.text(value))
  }

  /// A blob.
  @inlinable public static func bytes(_ value: [UInt8]) -> SQLParameter {
    SQLParameter(.blob(value))
  }
}
