import CSluice

private struct Callee {
  let function: Connection.ScalarFunction
}

extension Connection {
  /// A Swift function that SQL can call.
  public typealias ScalarFunction =
    (_ arguments: borrowing SQLFunctionArguments) throws -> DatabaseValue

  /// Lets SQL call `function` as `name`.
  ///
  /// ```swift
  /// try connection.addFunction("repeat", arity: 2, options: .deterministic) { values in
  ///   .text(String(repeating: try values.get(at: 0), count: try values.get(at: 1)))
  /// }
  /// ```
  ///
  /// Functions of one name differ by their arity, which is the number of arguments, or -1 for any.
  /// By default SQLite assumes nothing about a function, not even that it is deterministic: see
  /// `options`. It is called on the thread that runs the statement. The statement throws the error that
  /// it throws; an ``SQLiteError`` gets the SQL of the statement.
  ///
  /// The connection keeps `function` until it is replaced or removed, or the connection closes.
  /// So if `function` refers to the connection, neither is released before ``close()``.
  ///
  /// The corresponding C function is `sqlite3_create_function_v2`.
  public func addFunction(
    _ name: String, arity: Int, options: FunctionOptions = [],
    _ function: @escaping ScalarFunction
  ) throws {
    let arity = try Self.arity(arity, of: name)
    try refuseChangesOfFunctions()
    defer { state.drain() }
    // SQLite lets go of the box even if it refuses the function.
    try check(
      unsafe sqlite3_create_function_v2(
        handle(), name, arity, SQLITE_UTF8 | options.flags,
        Box(Callee(function: function), state).retained(),
        { context, count, values in
          unsafe Box<Callee>.with(sqlite3_user_data(context)) { callee in
            unsafe answerCall(context, callee.state) {
              try unsafe callee.value.function(SQLFunctionArguments(count, values, context))
            }
          }
        },
        nil, nil, releaseBox))
    forgetFunctions()
  }

  /// Lets SQL call `function` as `name`, with the types and the number of its arguments.
  ///
  /// ```swift
  /// try connection.addFunction("hypotenuse") { (a: Double, b: Double) in
  ///   (a * a + b * b).squareRoot()
  /// }
  /// ```
  ///
  /// An argument that is not of its type, and NULL for one that is not optional, throws
  /// ``ResultCode/mismatch``. In all else it is like ``addFunction(_:arity:options:_:)``.
  @inlinable
  @_disfavoredOverload  // For one to three arguments there are faster methods.
  public func addFunction<each A: SQLValue, Result: SQLValue>(
    _ name: String, options: FunctionOptions = [],
    _ function: @escaping (repeat each A) throws -> Result
  ) throws {
    var arity = 0
    for _ in repeat (each A).self { arity += 1 }
    try addFunction(name, arity: arity, options: options) { values in
      var index = 0
      return try function(repeat values.next((each A).self, &index)).databaseValue
    }
  }

  /// Takes the function back that was added with this name and arity, and releases it.
  ///
  /// It throws ``ResultCode/busy`` while a statement is running. A function of the same name for any
  /// number of arguments does not take its place: to SQLite, this arity now has none. A built-in function that
  /// was replaced does not come back either: calls of it throw until the connection is closed.
  public func removeFunction(_ name: String, arity: Int) throws {
    let arity = try Self.arity(arity, of: name)
    try refuseChangesOfFunctions()
    defer { state.drain() }
    try check(
      unsafe sqlite3_create_function_v2(
        handle(), name, arity, SQLITE_UTF8, nil, nil, nil, nil, nil))
  }

  /// Refuses to change functions in the middle of what stands no change.
  ///
  /// SQLite refuses to replace one while a statement runs. Some builds of it call functions also where
  /// they compile one, and would let go of the very function that is running.
  func refuseChangesOfFunctions() throws {
    try state.require(.use)
    guard state.calls.depth > 0, !isRunning else { return }
    throw SQLiteError(.busy, "A statement is being compiled: no function can be changed now")
  }

  /// Sees to it that cached SQL finds a function that has just been added.
  ///
  /// SQLite by itself compiles nothing anew that calls one for any number of arguments, where the new one
  /// fits better.
  func forgetFunctions() { expireStatements() }

  /// Whether a statement has begun and not ended.
  private var isRunning: Bool {
    var statement: OpaquePointer?
    repeat {
      unsafe statement = sqlite3_next_stmt(rawHandle, statement)
      if unsafe sqlite3_stmt_busy(statement) != 0 { return true }
    } while unsafe statement != nil
    return false
  }

  /// The number that C gets, after the checks that every registration goes through.
  static func arity(_ arity: Int, of name: String) throws -> Int32 {
    try refuseNUL(in: name, "The name of the function")
    guard name.utf8.count <= 255 else {
      throw SQLiteError(.misuse, "The name of a function has up to 255 bytes of UTF-8")
    }
    guard -1...127 ~= arity else {
      throw SQLiteError(.range, "A function takes 0 to 127 arguments, or any number (-1)")
    }
    return Int32(arity)
  }
}
