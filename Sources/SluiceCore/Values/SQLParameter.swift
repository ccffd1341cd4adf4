/// A value for a parameter of a statement, in the representation that the database stores.
///
/// The static functions name the representation where a value is bound: `.uuidString(id)` or `.uuidBytes(id)`. Each of
/// them takes nil for NULL.
///
/// ```swift
/// try connection.execute(
///   sql: "INSERT INTO person(id, age, born) VALUES (?, ?, ?)",
///   parameters: .uuidBytes(id), age, .date(born, as: .iso8601))
/// ```
public struct SQLParameter: Sendable {
  @usableFromInline let content: Content

  /// The bound value.
  @usableFromInline enum Content: Sendable {
    case value(DatabaseValue)
    /// The error of a representation; binding throws it.
    case failure(any Error)
    /// A blob of this many zero bytes.
    case zeroBlob(Int)
    /// An object that functions and tables in Swift can reach, and that is NULL to SQL.
    case object(SharedObject)
  }

  /// A class, so that the other cases stay small.
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

  /// NULL for nil, and else the result of `representation`; an error it throws is thrown when it is bound.
  package init<Value>(_ value: Value?, _ representation: (Value) throws -> DatabaseValue) {
    self.init { try value.map(representation) ?? .null }
  }

  /// Creates a parameter in the default representation of `value`.
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

extension SQLBindable where Self == SQLParameter {
  /// NULL.
  @inlinable public static var null: SQLParameter { SQLParameter(DatabaseValue.null) }

  /// A value as SQLite stores it.
  @inlinable public static func value(_ value: DatabaseValue?) -> SQLParameter {
    SQLParameter(value)
  }

  /// An integer, or NULL for nil.
  @inlinable public static func int(_ value: Int?) -> SQLParameter { value.sqlParameter }

  /// An integer, or NULL for nil.
  @inlinable public static func int8(_ value: Int8?) -> SQLParameter { value.sqlParameter }

  /// An integer, or NULL for nil.
  @inlinable public static func int16(_ value: Int16?) -> SQLParameter { value.sqlParameter }

  /// An integer, or NULL for nil.
  @inlinable public static func int32(_ value: Int32?) -> SQLParameter { value.sqlParameter }

  /// An integer, or NULL for nil.
  @inlinable public static func int64(_ value: Int64?) -> SQLParameter { value.sqlParameter }

  /// An integer, or NULL for nil.
  ///
  /// One that is too large throws ``ResultCode/range`` when it is bound.
  public static func uint(_ value: UInt?) -> SQLParameter { value.sqlParameter }

  /// An integer, or NULL for nil.
  @inlinable public static func uint8(_ value: UInt8?) -> SQLParameter { value.sqlParameter }

  /// An integer, or NULL for nil.
  @inlinable public static func uint16(_ value: UInt16?) -> SQLParameter { value.sqlParameter }

  /// An integer, or NULL for nil.
  @inlinable public static func uint32(_ value: UInt32?) -> SQLParameter { value.sqlParameter }

  /// An integer, or NULL for nil.
  ///
  /// One that is too large throws ``ResultCode/range`` when it is bound.
  public static func uint64(_ value: UInt64?) -> SQLParameter { value.sqlParameter }

  /// The bits of `value` as a signed integer, which is negative for large values; NULL for nil.
  public static func uint64(bitPattern value: UInt64?) -> SQLParameter {
    SQLParameter(value.map { DatabaseValue.integer(Int64(bitPattern: $0)) })
  }

  /// 1 for true, 0 for false, NULL for nil.
  @inlinable public static func bool(_ value: Bool?) -> SQLParameter { value.sqlParameter }

  /// A number, or NULL for nil.
  ///
  /// A NaN throws ``ResultCode/mismatch`` when it is bound.
  @inlinable public static func float(_ value: Float?) -> SQLParameter { value.sqlParameter }

  /// A number, or NULL for nil.
  ///
  /// A NaN throws ``ResultCode/mismatch`` when it is bound.
  @inlinable public static func double(_ value: Double?) -> SQLParameter { value.sqlParameter }

  /// Text, in which a NUL is a character like any other; NULL for nil.
  @inlinable public static func string(_ value: String?) -> SQLParameter { value.sqlParameter }

  /// A blob, or NULL for nil.
  @inlinable public static func bytes(_ value: [UInt8]?) -> SQLParameter { value.sqlParameter }
}

/// Parameters that SQL does not see as values.
extension SQLBindable where Self == SQLParameter {
  /// A blob of `count` bytes that are 0, which takes no memory before it is written.
  ///
  /// It makes room in a row for what is then written in pieces. A negative count is refused with
  /// ``ResultCode/range`` when it is bound, and one that is too large with ``ResultCode/tooBig``.
  ///
  /// The corresponding C function is `sqlite3_bind_zeroblob64`.
  public static func zeroBlob(count: Int) -> SQLParameter {
    guard count >= 0 else {
      return SQLParameter {
        throw SQLiteError(
          .range, "The byte count of a blob must be from 0 to 2^31-1 (got \(count))")
      }
    }
    return SQLParameter(content: .zeroBlob(count))
  }

  /// A Swift value for functions that are written in Swift, which get it with
  /// ``SQLFunctionArguments/object(_:at:)``.
  ///
  /// A parameter that is not an argument of a function refuses it with ``ResultCode/mismatch``. To
  /// functions that are not written in Swift it is NULL. The statement keeps it until the parameter is
  /// bound again, or the statement is gone.
  ///
  /// The corresponding C function is `sqlite3_bind_pointer`.
  public static func object(_ object: some Sendable) -> SQLParameter {
    SQLParameter(content: .object(SQLParameter.SharedObject(object)))
  }

  /// Values for `IN array(?)`, any number of them.
  ///
  /// ```swift
  /// try connection.query(
  ///   .person, sql: "SELECT * FROM person WHERE id IN array(?)", parameters: .array([1, 2, 3]))
  /// ```
  ///
  /// `array` is a table-valued function that each connection has. Its one column is called `value`,
  /// and its `rowid` counts from one, so that it can be joined and ordered, too. Where the database
  /// has a table of that name, `sluice_array` is the same function.
  ///
  /// A column cannot hold an array: in `VALUES (?)` it is refused with ``ResultCode/mismatch`` when it
  /// is bound. `.json` stores one as text.
  ///
  /// The values are compared as those of another column would be: with a column of text, strings are
  /// equal, and numbers are not.
  ///
  /// A representation is chosen for each: `.array(ids.map(SQLParameter.uuidBytes))`.
  public static func array(_ values: some Sequence<some SQLBindable>) -> SQLParameter {
    do { return .object(try values.map { value throws in try value.sqlParameter.element }) } catch {
      return SQLParameter(content: .failure(error))
    }
  }
}

extension SQLParameter {
  /// The parameter as a value among others.
  fileprivate var element: DatabaseValue {
    get throws {
      switch content {
      case .value(let value): return value
      case .failure(let error): throw error
      case .zeroBlob, .object:
        throw SQLiteError(.mismatch, "An array can contain only values, not arrays or objects")
      }
    }
  }
}

/// A value that can be bound to a parameter of a statement.
///
/// Each ``SQLValue`` is one, also as an optional, in which nil is NULL. A type with several representations, such as a
/// date, is bound by an ``SQLParameter`` that names the representation:
///
/// ```swift
/// try connection.execute(
///   sql: "INSERT INTO person(name, age, born) VALUES (?, ?, ?)",
///   parameters: name, age, .date(born, as: .iso8601))
/// ```
///
/// A representation of your own is an extension of one line, and works wherever a value is bound:
///
/// ```swift
/// extension SQLBindable where Self == SQLParameter {
///   static func point(_ point: Point) -> SQLParameter { SQLParameter(.text("\(point.x);\(point.y)")) }
/// }
/// ```
public protocol SQLBindable {
  /// The value in the representation that the database stores.
  var sqlParameter: SQLParameter { get }
}

extension SQLValue {
  @inlinable @inline(__always)
  public var sqlParameter: SQLParameter { SQLParameter(self) }
}

extension SQLParameter: SQLBindable {
  @inlinable @inline(__always)
  public var sqlParameter: SQLParameter { self }
}

extension Optional: SQLBindable where Wrapped: SQLBindable {
  /// NULL for nil.
  @inlinable @inline(__always)
  public var sqlParameter: SQLParameter {
    switch self {
    case .some(let value): value.sqlParameter
    case .none: SQLParameter(DatabaseValue.null)
    }
  }
}
