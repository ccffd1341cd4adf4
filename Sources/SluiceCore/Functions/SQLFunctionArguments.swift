import CSluice

/// The arguments of an SQL function, valid only during the call.
///
/// An argument is copied only when it is read. An index outside ``indices`` throws ``ResultCode/range``. Text
/// that is not UTF-8 throws ``ResultCode/mismatch``, but can be read as bytes.
@safe public struct SQLFunctionArguments: ~Copyable {
  @usableFromInline let values: UnsafeMutablePointer<OpaquePointer?>?
  /// The context of a scalar function; nil for any other function.
  private let scalarContext: OpaquePointer?
  /// The number of arguments.
  public let count: Int

  init(
    _ count: Int32, _ values: UnsafeMutablePointer<OpaquePointer?>?,
    _ scalarContext: OpaquePointer? = nil
  ) {
    unsafe self.values = values
    unsafe self.scalarContext = scalarContext
    self.count = Int(count)
  }
}

extension SQLFunctionArguments {
  /// Whether there are no arguments.
  public var isEmpty: Bool { count == 0 }

  /// The indexes of the arguments.
  public var indices: Range<Int> { 0..<count }

  /// The first argument, or nil if there is none.
  public var first: DatabaseValue? {
    // Here, a plain `nil` would be a `DatabaseValue` that is NULL, and not an absent value.
    get throws { isEmpty ? DatabaseValue?.none : try self[0] }
  }

  /// The argument at this index, as SQLite stores it.
  ///
  /// The corresponding C functions are `sqlite3_value_type`, `sqlite3_value_int64` and so on.
  public subscript(index: Int) -> DatabaseValue {
    get throws {
      let argument = try argument(index)
      do { return try argument.stored() } catch { throw error.error(Self.name(of: index)) }
    }
  }

  /// Returns an array of the results of `transform` for each argument.
  public func map<T>(_ transform: (DatabaseValue) throws -> T) throws -> [T] {
    try indices.map { try transform(self[$0]) }
  }

  /// Returns an argument, converted to a Swift type without loss; an optional type reads NULL as nil.
  ///
  /// ```swift
  /// let limit = try arguments.get(Int?.self, at: 1) ?? 10
  /// ```
  @inlinable @inline(__always)
  public func get<T: SQLValue>(_ type: T.Type = T.self, at index: Int) throws -> T {
    try T(argument: index, of: self)
  }

  /// Returns the storage class of an argument.
  public func storageClass(at index: Int) throws -> StorageClass {
    try argument(index).storageClass
  }

  /// Returns an argument as an integer by SQLite's rules, which convert a non-number to 0.
  public func integer(at index: Int) throws -> Int64 { try argument(index).integer }

  /// Returns an argument as a real by SQLite's rules, which convert a non-number to 0.
  public func real(at index: Int) throws -> Double { try argument(index).real }

  /// Returns an argument as text by SQLite's rules; NULL throws.
  public func text(at index: Int) throws -> String {
    let argument = try notNull(index)
    do { return try argument.text() } catch { throw error.error(Self.name(of: index)) }
  }

  /// Returns an argument as bytes by SQLite's rules; NULL throws, and text becomes its UTF-8.
  public func blob(at index: Int) throws -> [UInt8] {
    let argument = try notNull(index)
    do { return try argument.blob() } catch { throw error.error(Self.name(of: index)) }
  }

  /// Calls `body` with the unvalidated UTF-8 of an argument that is text, and returns the result of `body`.
  public func withUTF8<T, E: Error>(
    at index: Int, _ body: (Span<UInt8>) throws(E) -> T
  ) throws -> T {
    try lend(index, .text, body)
  }

  /// Calls `body` with the bytes of an argument that is a blob, and returns the result of `body`.
  public func withBytes<T, E: Error>(
    at index: Int, _ body: (Span<UInt8>) throws(E) -> T
  ) throws -> T {
    try lend(index, .blob, body)
  }
}

extension SQLFunctionArguments {
  func argument(_ index: Int) throws -> Argument {
    guard let value = unsafe current(index) else { try refuse(index) }
    return unsafe Argument(value)
  }

  private func notNull(_ index: Int) throws -> Argument {
    let argument = try argument(index)
    guard argument.storageClass != .null else {
      throw SQLiteError(.mismatch, "\(Self.name(of: index)) is NULL")
    }
    return argument
  }

  private func lend<T, E: Error>(
    _ index: Int, _ wanted: StorageClass, _ body: (Span<UInt8>) throws(E) -> T
  ) throws -> T {
    let argument = try argument(index)
    let bytes: UnsafeBufferPointer<UInt8>
    do { unsafe bytes = try argument.bytes(of: wanted) } catch {
      throw error.error(Self.name(of: index))
    }
    return try unsafe body(bytes.span)
  }

  static func name(of index: Int) -> String { "Argument \(index + 1)" }
}

/// The subtype and object that a running scalar function has added to its result.
@safe struct ResultAddition {
  let context: OpaquePointer
  var subtype: UInt8?
  var object: Box<Any>?

  init(_ context: OpaquePointer) { unsafe self.context = context }

  /// Sets the result of the function, with its object or its subtype.
  func setResult(_ value: DatabaseValue) throws {
    guard let object else {
      try unsafe FunctionContext(context).setResult(value)
      if let subtype { unsafe sqlite3_result_subtype(context, UInt32(subtype)) }
      return
    }
    guard value.isNull, subtype == nil else {
      throw SQLiteError(
        .misuse, "A result with an object must be NULL and must not have a subtype")
    }
    unsafe sluice_result_object(context, object.retained(), releaseBox)
  }
}

/// Operations that a scalar function can perform, apart from reading its arguments.
extension SQLFunctionArguments {
  /// Returns a value that `make` creates from an argument, and that SQLite keeps while the argument is
  /// constant.
  ///
  /// ```swift
  /// try connection.addFunction("matches", arity: 2, options: .deterministic) { values in
  ///   let regex = try values.auxiliaryData(at: 0) { (pattern: String) in try Regex(pattern) }
  ///   return .integer(try values.get(String.self, at: 1).contains(regex) ? 1 : 0)
  /// }
  /// ```
  ///
  /// If the argument is a constant, `make` is called once per statement; otherwise, it is called once per call.
  /// Each argument has only one such value: requesting a value of another type calls `make` again.
  ///
  /// The corresponding C functions are `sqlite3_get_auxdata` and `sqlite3_set_auxdata`.
  public func auxiliaryData<Argument: SQLValue, Value>(
    at index: Int, _ make: (Argument) throws -> Value
  ) throws -> Value {
    _ = try argument(index)
    guard let context = unsafe scalarContext else { return try make(get(at: index)) }
    if let box = unsafe sqlite3_get_auxdata(context, Int32(index)),
      let kept = unsafe Box<Any>.at(box).value as? Value
    {
      return kept
    }
    let value = try make(get(at: index))
    let box = unsafe Box<Any>(value, AnyBox.state(of: context))
    unsafe sqlite3_set_auxdata(context, Int32(index), box.retained(), releaseBox)
    return value
  }

  /// Returns whether an argument is the unchanged value that is bound to a parameter of the statement.
  ///
  /// Such a value comes from the program, not from the SQL or the database.
  ///
  /// The corresponding C function is `sqlite3_value_frombind`.
  public func isBound(at index: Int) throws -> Bool {
    unsafe sqlite3_value_frombind(try argument(index).value) != 0
  }

  /// Returns the number that a text argument looks like, or any other argument unchanged.
  ///
  /// The corresponding C function is `sqlite3_value_numeric_type`. Unlike this method, it changes the argument.
  public func numeric(at index: Int) throws -> DatabaseValue {
    let argument = try argument(index)
    do { return try argument.numeric() } catch { throw error.error(Self.name(of: index)) }
  }

  /// Returns the Swift value that is attached to an argument.
  ///
  /// ``SQLBindable/object(_:)`` or ``setResultObject(_:)`` attaches such a value.
  ///
  /// - Throws: ``ResultCode/mismatch`` if the argument has no such value, or has a value of another type.
  ///
  /// The corresponding C function is `sqlite3_value_pointer`.
  public func object<Object>(_ type: Object.Type = Object.self, at index: Int) throws
    -> Object
  {
    guard let box = try unsafe sluice_value_object(argument(index).value),
      let object = unsafe Box<Any>.at(box).value as? Object
    else { throw SQLiteError(.mismatch, "\(Self.name(of: index)) has no attached \(type)") }
    return object
  }

  /// Attaches a Swift value to the result of a scalar function; the result must be NULL.
  ///
  /// A function that receives this result as an argument can read the value.
  ///
  /// The corresponding C function is `sqlite3_result_pointer`.
  public func setResultObject(_ object: Any) throws {
    let context = try unsafe resultContext()
    let state = unsafe AnyBox.state(of: context)
    unsafe state.add(to: context) { $0.object = Box(object, state) }
  }

  /// Returns the subtype that another function has set on an argument, or 0.
  ///
  /// A function that reads subtypes must be added with ``FunctionOptions/subtype``.
  ///
  /// The corresponding C function is `sqlite3_value_subtype`.
  public func subtype(at index: Int) throws -> UInt8 {
    UInt8(truncatingIfNeeded: unsafe sqlite3_value_subtype(try argument(index).value))
  }

  /// Sets the subtype of the result of a scalar function.
  ///
  /// For example, the subtype 74 tells the JSON functions that a text result is JSON.
  ///
  /// A function that sets a subtype must be added with ``FunctionOptions/resultSubtype``.
  ///
  /// The corresponding C function is `sqlite3_result_subtype`.
  public func setResultSubtype(_ subtype: UInt8) throws {
    let context = try unsafe resultContext()
    unsafe AnyBox.state(of: context).add(to: context) { $0.subtype = subtype }
  }

  private func resultContext() throws -> OpaquePointer {
    guard let context = unsafe scalarContext else {
      throw SQLiteError(
        .misuse, "Only the result of a scalar function can have an object or a subtype")
    }
    return unsafe context
  }
}
