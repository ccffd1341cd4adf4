import CSluice

/// Operations that a scalar function can perform, apart from reading its arguments.
extension SQLFunctionArguments {
  /// Returns the state that a higher-level module stores with the connection.
  package func clientState() throws -> ClientState? {
    guard let context = unsafe scalarContext ?? aggregateContext else {
      throw SQLiteError(
        .misuse, "This function reads a date or UUID with a converter, such as .date(as: .sqlite)")
    }
    return unsafe AnyBox.state(of: context).clientState
  }

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
