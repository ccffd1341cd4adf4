/// A value for a parameter of a statement, in the representation that the database stores.
///
/// Static functions name the representation of a bound value, as in `.uuidString(id)` or `.uuidBytes(id)`. Each
/// of them binds nil as NULL.
///
/// ```swift
/// try connection.execute(
///   sql: "INSERT INTO person(id, age, born) VALUES (?, ?, ?)",
///   parameters: .uuidBytes(id), age, .date(born, as: .sqlite))
/// ```
public struct SQLParameter: Sendable {
  @usableFromInline let content: Content

  /// The value to bind.
  @usableFromInline enum Content: Sendable {
    case value(DatabaseValue)
    /// The error of a failed conversion, which binding throws.
    case failure(any Error)
    /// A blob of this many zero bytes.
    case zeroBlob(Int)
    /// An object that Swift functions and tables can read, and that is NULL in SQL.
    case object(SharedObject)
  }

  /// A wrapper for an object; a class, so that a `Content` value remains small.
  @usableFromInline final class SharedObject: Sendable {
    let value: any Sendable
    init(_ value: any Sendable) { self.value = value }
  }

  @inlinable init(content: Content) { self.content = content }

  /// Creates a parameter with this value.
  @inlinable public init(_ value: DatabaseValue) { content = .value(value) }

  /// Creates a parameter with the result of `value`; if `value` throws, binding throws the same error.
  public init(_ value: () throws -> DatabaseValue) {
    do { content = .value(try value()) } catch { content = .failure(error) }
  }

  /// Creates a parameter with the result of `representation`, or NULL for nil.
  ///
  /// If `representation` throws, binding throws the same error.
  package init<Value>(_ value: Value?, _ representation: (Value) throws -> DatabaseValue) {
    self.init { try value.map(representation) ?? .null }
  }

  /// Creates a parameter in the default representation of `value`.
  @inlinable @inline(__always)
  public init(_ value: some SQLValue) {
    do { content = .value(try value.databaseValue) } catch { content = .failure(error) }
  }
}

extension SQLParameter {
  /// Returns whether both parameters are bound as the same value.
  ///
  /// Throws the error of a failed conversion. Objects and blobs of zero bytes are never the same.
  package func isSame(as other: SQLParameter) throws -> Bool {
    switch (content, other.content) {
    case (.failure(let error), _), (_, .failure(let error)): throw error
    case (.value(let first), .value(let second)): first == second
    default: false
    }
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

  /// A value as SQLite stores it, or NULL for nil.
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
  /// An integer that is too large throws ``ResultCode/range`` when it is bound.
  public static func uint(_ value: UInt?) -> SQLParameter { value.sqlParameter }

  /// An integer, or NULL for nil.
  @inlinable public static func uint8(_ value: UInt8?) -> SQLParameter { value.sqlParameter }

  /// An integer, or NULL for nil.
  @inlinable public static func uint16(_ value: UInt16?) -> SQLParameter { value.sqlParameter }

  /// An integer, or NULL for nil.
  @inlinable public static func uint32(_ value: UInt32?) -> SQLParameter { value.sqlParameter }

  /// An integer, or NULL for nil.
  ///
  /// An integer that is too large throws ``ResultCode/range`` when it is bound.
  public static func uint64(_ value: UInt64?) -> SQLParameter { value.sqlParameter }

  /// The signed integer with the same bits as `value`, or NULL for nil.
  ///
  /// The integer is negative if `value` is greater than `Int64.max`.
  public static func uint64(bitPattern value: UInt64?) -> SQLParameter {
    SQLParameter(value.map { DatabaseValue.integer(Int64(bitPattern: $0)) })
  }

  /// 1 for true, 0 for false, or NULL for nil.
  @inlinable public static func bool(_ value: Bool?) -> SQLParameter { value.sqlParameter }

  /// A real, or NULL for nil.
  ///
  /// A NaN throws ``ResultCode/mismatch`` when it is bound.
  @inlinable public static func float(_ value: Float?) -> SQLParameter { value.sqlParameter }

  /// A real, or NULL for nil.
  ///
  /// A NaN throws ``ResultCode/mismatch`` when it is bound.
  @inlinable public static func double(_ value: Double?) -> SQLParameter { value.sqlParameter }

  /// Text, in which a NUL is an ordinary character, or NULL for nil.
  @inlinable public static func string(_ value: String?) -> SQLParameter { value.sqlParameter }

  /// A blob, or NULL for nil.
  @inlinable public static func bytes(_ value: [UInt8]?) -> SQLParameter { value.sqlParameter }
}

/// Parameters other than ordinary values.
extension SQLBindable where Self == SQLParameter {
  /// A blob of `count` zero bytes, which uses no memory until it is written.
  ///
  /// Use it to reserve space in a row for incremental writing. Binding throws ``ResultCode/range`` for a
  /// negative count, and ``ResultCode/tooBig`` for a count that is too large.
  ///
  /// The corresponding C function is `sqlite3_bind_zeroblob64`.
  public static func zeroBlob(count: Int) -> SQLParameter {
    guard count >= 0 else {
      return SQLParameter {
        throw SQLiteError(
          .range, "The byte count of a blob must not be negative (got \(count))")
      }
    }
    return SQLParameter(content: .zeroBlob(count))
  }

  /// A Swift value for functions written in Swift, which read it with ``SQLFunctionArguments/object(_:at:)``.
  ///
  /// Binding throws ``ResultCode/mismatch`` if the parameter is not a function argument. Functions that are not
  /// written in Swift receive NULL. The statement retains the value until the parameter is bound again, or the
  /// statement is finalized.
  ///
  /// The corresponding C function is `sqlite3_bind_pointer`.
  public static func object(_ object: some Sendable) -> SQLParameter {
    SQLParameter(content: .object(SQLParameter.SharedObject(object)))
  }

  /// Any number of values for `IN array(?)`.
  ///
  /// ```swift
  /// try connection.query(
  ///   .person, sql: "SELECT * FROM person WHERE id IN array(?)", parameters: .array([1, 2, 3]))
  /// ```
  ///
  /// `array` is a table-valued function that every connection has. Its only column is named `value`, and its
  /// `rowid` is the position in the array, counted from one, so SQL can also join the array and sort by position.
  /// If the database has a table named `array`, use `sluice_array`, which is the same function.
  ///
  /// A column cannot contain an array: binding one in `VALUES (?)` throws ``ResultCode/mismatch``. To store an
  /// array as text, use `.json`.
  ///
  /// SQLite compares the values like the values of another column. In a text column, a string can therefore match,
  /// but a number cannot.
  ///
  /// To choose a representation for each value, map the values: `.array(ids.map(SQLParameter.uuidBytes))`.
  public static func array(_ values: some Sequence<some SQLBindable>) -> SQLParameter {
    do { return .object(try values.map { value throws in try value.sqlParameter.element }) } catch {
      return SQLParameter(content: .failure(error))
    }
  }
}

extension SQLParameter {
  /// The parameter as an element of an array.
  fileprivate var element: DatabaseValue {
    get throws {
      switch content {
      case .value(let value): return value
      case .failure(let error): throw error
      case .zeroBlob, .object:
        throw SQLiteError(
          .mismatch, "An array can contain only plain values, not arrays, objects or zero blobs")
      }
    }
  }
}

/// A value that can be bound to a parameter of a statement.
///
/// Every ``SQLValue`` type conforms, and so does its optional, whose nil is NULL. To bind a value that has
/// several representations, such as a date, pass an ``SQLParameter`` that names the representation:
///
/// ```swift
/// try connection.execute(
///   sql: "INSERT INTO person(name, age, born) VALUES (?, ?, ?)",
///   parameters: name, age, .date(born, as: .sqlite))
/// ```
///
/// To add a representation, write a one-line extension, which works wherever a value is bound:
///
/// ```swift
/// extension SQLBindable where Self == SQLParameter {
///   static func point(_ point: Point) -> SQLParameter { SQLParameter(.text("\(point.x);\(point.y)")) }
/// }
/// ```
public protocol SQLBindable: SendableMetatype {
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
  /// The parameter of the wrapped value, or NULL for nil.
  @inlinable @inline(__always)
  public var sqlParameter: SQLParameter {
    switch self {
    case .some(let value): value.sqlParameter
    case .none: SQLParameter(DatabaseValue.null)
    }
  }
}
