import CSluice

/// What the result of a scalar function that is running has besides the value.
@safe struct ResultAddition {
  let context: OpaquePointer
  var subtype: UInt8?
  var object: Box<Any>?

  init(_ context: OpaquePointer) { unsafe self.context = context }

  /// Answers with a value that has an object or a subtype.
  func give(with value: DatabaseValue) throws {
    guard let object else {
      try unsafe SluiceCore.give(context, value)
      if let subtype { unsafe sqlite3_result_subtype(context, UInt32(subtype)) }
      return
    }
    guard value.isNull, subtype == nil else {
      throw SQLiteError(.misuse, "A result with an object is NULL, and has no subtype")
    }
    unsafe sluice_result_object(context, object.retained(), releaseBox)
  }
}

/// What a scalar function can do besides reading its arguments.
extension SQLFunctionArguments {
  /// What `make` makes of an argument, kept as long as SQLite knows that the argument stays the same.
  ///
  /// ```swift
  /// try connection.addFunction("matches", arity: 2, options: .deterministic) { values in
  ///   let regex = try values.auxiliaryData(at: 0) { (pattern: String) in try Regex(pattern) }
  ///   return .integer(try values.get(String.self, at: 1).contains(regex) ? 1 : 0)
  /// }
  /// ```
  ///
  /// With a constant, `make` is called once a statement, and else once a call. An argument has one such
  /// value; asking for another type makes it anew.
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

  /// Whether an argument is the value of a parameter as it was bound, and so comes from the program and not
  /// from SQL or the database.
  ///
  /// The corresponding C function is `sqlite3_value_frombind`.
  public func isBound(at index: Int) throws -> Bool {
    unsafe sqlite3_value_frombind(try argument(index).value) != 0
  }

  /// An argument as the number that its text looks like; any other value as it is.
  ///
  /// The corresponding C function is `sqlite3_value_numeric_type`, which would change the argument.
  public func numeric(at index: Int) throws -> DatabaseValue {
    let argument = try argument(index)
    do { return try argument.numeric() } catch { throw error.error(Self.name(of: index)) }
  }

  /// The Swift value that an argument carries, which ``SQLBindable/object(_:)`` or
  /// ``setResultObject(_:)`` has given to it.
  ///
  /// It throws ``ResultCode/mismatch`` if it carries none, or one of another type.
  ///
  /// The corresponding C function is `sqlite3_value_pointer`.
  public func object<Object>(_ type: Object.Type = Object.self, at index: Int) throws
    -> Object
  {
    guard let box = try unsafe sluice_value_object(argument(index).value),
      let object = unsafe Box<Any>.at(box).value as? Object
    else { throw SQLiteError(.mismatch, "\(Self.name(of: index)) does not carry a \(type)") }
    return object
  }

  /// Lets the result of a scalar function, which has to be NULL, carry a Swift value to the function
  /// that it is an argument of.
  ///
  /// The corresponding C function is `sqlite3_result_pointer`.
  public func setResultObject(_ object: Any) throws {
    let context = try unsafe resultContext()
    let state = unsafe AnyBox.state(of: context)
    unsafe state.add(to: context) { $0.object = Box(object, state) }
  }

  /// The subtype of an argument, which the function that it comes from has set, or 0.
  ///
  /// A function that asks for it is added with ``FunctionOptions/subtype``.
  ///
  /// The corresponding C function is `sqlite3_value_subtype`.
  public func subtype(at index: Int) throws -> UInt8 {
    UInt8(truncatingIfNeeded: unsafe sqlite3_value_subtype(try argument(index).value))
  }

  /// Gives the result of a scalar function a subtype: 74, for example, tells the functions for JSON
  /// that text is JSON already.
  ///
  /// A function that sets it is added with ``FunctionOptions/resultSubtype``.
  ///
  /// The corresponding C function is `sqlite3_result_subtype`.
  public func setResultSubtype(_ subtype: UInt8) throws {
    let context = try unsafe resultContext()
    unsafe AnyBox.state(of: context).add(to: context) { $0.subtype = subtype }
  }

  private func resultContext() throws -> OpaquePointer {
    guard let context = unsafe scalarContext else {
      throw SQLiteError(.misuse, "Only the result of a scalar function can have more than a value")
    }
    return unsafe context
  }
}
