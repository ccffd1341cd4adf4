public import CSluice

/// A type that typed SQL functions accept as an argument: every ``SQLValue``, and `Span<UInt8>`.
///
/// With `import Sluice`, `Date` and `UUID` are such types, too.
///
/// An ``SQLValue`` is a copy of the argument. A `Span<UInt8>` is borrowed for the duration of the call: it
/// refers to the UTF-8 of text or the bytes of a blob in SQLite's memory.
public protocol SQLFunctionArgument: ~Escapable, SendableMetatype {
  /// Calls `body` with an argument, read as this type, and returns the result of `body`.
  ///
  /// - Throws: ``ResultCode/mismatch`` for an argument that cannot be read as this type.
  static func with<T>(
    argument index: Int, of values: borrowing SQLFunctionArguments, _ body: (Self) throws -> T
  ) throws -> T
}

extension SQLValue {
  @inlinable @inline(__always)
  public static func with<T>(
    argument index: Int, of values: borrowing SQLFunctionArguments, _ body: (Self) throws -> T
  ) throws -> T {
    try body(Self(argument: index, of: values))
  }
}

extension Span: SQLFunctionArgument where Element == UInt8 {
  /// Calls `body` with the bytes of a blob, or with the unvalidated UTF-8 of text.
  @inlinable @inline(__always)
  public static func with<T>(
    argument index: Int, of values: borrowing SQLFunctionArguments, _ body: (Self) throws -> T
  ) throws -> T {
    guard let value = unsafe values.current(index) else { try values.refuse(index) }
    return try unsafe body(SQLFunctionArguments.bytes(value, index, "Span<UInt8>").span)
  }
}

extension Optional: SQLFunctionArgument where Wrapped: SQLFunctionArgument & ~Escapable {
  /// Calls `body` with nil if the argument is NULL, or with the argument as a `Wrapped` value otherwise.
  @inlinable @inline(__always)
  public static func with<T>(
    argument index: Int, of values: borrowing SQLFunctionArguments, _ body: (Self) throws -> T
  ) throws -> T {
    guard let value = unsafe values.current(index) else { try values.refuse(index) }
    if unsafe sluice_type(value) == sluice_null_type { return try body(nil) }
    return try Wrapped.with(argument: index, of: values) { try body($0) }
  }
}

/// Methods that read a single argument.
///
/// An argument that is stored as the requested type needs no conversion, and is read by code inlined into the
/// calling module. All other cases, and all errors, require a function call.
extension SQLFunctionArguments {
  /// Returns the argument at `index`, or nil if there is none.
  @inlinable @inline(__always)
  func current(_ index: Int) -> OpaquePointer? {
    guard UInt(bitPattern: index) < UInt(bitPattern: count) else { return nil }
    // The array has an address if there are arguments.
    return unsafe values.unsafelyUnwrapped[index]
  }

  /// Returns the argument at `index`, and advances `index` to the next one.
  @inlinable @inline(__always)
  func next<T: SQLValue>(_ type: T.Type, _ index: inout Int) throws -> T {
    defer { index += 1 }
    return try T(argument: index, of: self)
  }

  /// Converts and returns an argument that is not stored as the requested type.
  @inlinable @inline(never)
  static func convert<T: SQLValue>(_ value: OpaquePointer, _ index: Int) throws -> T {
    guard let converted = T(databaseValue: try unsafe stored(value, index)) else {
      throw unsafe mismatch(value, index, T.self)
    }
    return converted
  }

  @inlinable @inline(__always)
  static func stored(_ value: OpaquePointer, _ index: Int) throws -> DatabaseValue {
    switch unsafe sluice_type(value) {
    case sluice_integer_type: .integer(unsafe sluice_integer(value))
    case sluice_real_type: .real(unsafe sluice_real(value))
    case sluice_null_type: .null
    default: try unsafe copy(value, index)
    }
  }

  @usableFromInline @inline(never)
  static func copy(_ value: OpaquePointer, _ index: Int) throws -> DatabaseValue {
    do { return try unsafe Argument(value).stored() } catch { throw error.error(name(of: index)) }
  }

  @usableFromInline @inline(never)
  static func text(_ value: OpaquePointer, _ index: Int) throws -> String {
    do { return try unsafe string(sluice_text(value), Int(sluice_count(value))) } catch {
      throw error.error(name(of: index))
    }
  }

  /// Returns the bytes of a blob or of text, without copying them.
  @inlinable @inline(__always)
  static func bytes(
    _ value: OpaquePointer, _ index: Int, _ type: StaticString
  ) throws -> UnsafeBufferPointer<UInt8> {
    // The type is checked first, because reading the bytes of any other type would convert the value in place.
    let start: UnsafeRawPointer? =
      switch unsafe sluice_type(value) {
      case sluice_text_type: unsafe sluice_text(value)
      case sluice_blob_type: unsafe sluice_blob(value)
      default: throw unsafe mismatch(value, index, type)
      }
    let count = Int(unsafe sluice_count(value))
    if unsafe start == nil && count > 0 { throw noMemory(index) }
    return unsafe UnsafeBufferPointer(
      start: start?.assumingMemoryBound(to: UInt8.self), count: count)
  }

  @usableFromInline @inline(never)
  static func noMemory(_ index: Int) -> SQLiteError {
    ReadFailure.noMemory.error(name(of: index))
  }

  @usableFromInline @inline(never)
  static func mismatch<T>(_ value: OpaquePointer, _ index: Int, _ type: T.Type) -> SQLiteError {
    unsafe mismatch(value, index, "\(type)")
  }

  @usableFromInline @inline(never)
  static func mismatch(_ value: OpaquePointer, _ index: Int, _ type: StaticString) -> SQLiteError {
    unsafe mismatch(value, index, "\(type)" as String)
  }

  private static func mismatch(_ value: OpaquePointer, _ index: Int, _ type: String) -> SQLiteError
  {
    let found = unsafe Argument(value).storageClass
    return SQLiteError(
      .mismatch, "\(name(of: index)) is \(found.rawValue) and cannot be read as \(type)")
  }

  @usableFromInline @inline(never)
  func refuse(_ index: Int) throws -> Never {
    throw SQLiteError(
      .range,
      "\(Self.argument)at index \(index) is missing; the function received \(count) arguments")
  }
}

extension SQLValue {
  @inlinable @inline(__always)
  public init(argument index: Int, of values: borrowing SQLFunctionArguments) throws {
    guard let value = unsafe values.current(index) else { try values.refuse(index) }
    self = try unsafe SQLFunctionArguments.convert(value, index)
  }
}

extension SQLValue where Self: FixedWidthInteger {
  @inlinable @inline(__always)
  public init(argument index: Int, of values: borrowing SQLFunctionArguments) throws {
    guard let value = unsafe values.current(index) else { try values.refuse(index) }
    if unsafe sluice_type(value) == sluice_integer_type,
      let integer = Self(exactly: unsafe sluice_integer(value))
    {
      self = integer
    } else {
      self = try unsafe SQLFunctionArguments.convert(value, index)
    }
  }
}

extension SQLValue where Self == [UInt8] {
  public init(argument index: Int, of values: borrowing SQLFunctionArguments) throws {
    guard let value = unsafe values.current(index) else { try values.refuse(index) }
    // The bytes of text can be read even if they are not UTF-8.
    self = try unsafe Array(SQLFunctionArguments.bytes(value, index, "Array<UInt8>"))
  }
}

extension Optional where Wrapped: SQLValue {
  @inlinable @inline(__always)
  public init(argument index: Int, of values: borrowing SQLFunctionArguments) throws {
    guard let value = unsafe values.current(index) else { try values.refuse(index) }
    self =
      unsafe sluice_type(value) == sluice_null_type
      ? .none : try Wrapped(argument: index, of: values)
  }
}

extension SQLValue where Self == Double {
  @inlinable @inline(__always)
  public init(argument index: Int, of values: borrowing SQLFunctionArguments) throws {
    guard let value = unsafe values.current(index) else { try values.refuse(index) }
    if unsafe sluice_type(value) == sluice_real_type {
      self = unsafe sluice_real(value)
    } else {
      self = try unsafe SQLFunctionArguments.convert(value, index)
    }
  }
}

extension SQLValue where Self == String {
  @inlinable @inline(__always)
  public init(argument index: Int, of values: borrowing SQLFunctionArguments) throws {
    guard let value = unsafe values.current(index) else { try values.refuse(index) }
    if unsafe sluice_type(value) == sluice_text_type {
      self = try unsafe SQLFunctionArguments.text(value, index)
    } else {
      self = try unsafe SQLFunctionArguments.convert(value, index)
    }
  }
}
