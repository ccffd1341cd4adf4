import CSluice

private struct Callee {
  let function: Connection.ScalarFunction
}

extension Connection {
  /// A Swift function that SQL can call.
  public typealias ScalarFunction =
    (_ arguments: borrowing SQLFunctionArguments) throws -> DatabaseValue

  /// Adds `function` as an SQL function with this name.
  ///
  /// ```swift
  /// try connection.addFunction("repeat", arity: 2, options: .deterministic) { values in
  ///   .text(String(repeating: try values.get(at: 0), count: try values.get(at: 1)))
  /// }
  /// ```
  ///
  /// Functions with the same name differ by their arity, which is the number of arguments, or -1 for any
  /// number. By default, SQLite assumes nothing about a function, not even that it is deterministic: see
  /// `options`. The function is called on the thread that runs the statement. If the function throws, the
  /// statement throws the same error; an ``SQLiteError`` includes the SQL of the statement.
  ///
  /// The connection retains `function` until the SQL function is replaced or removed, or the connection closes.
  /// So if `function` refers to the connection, neither is deallocated before ``close()``.
  ///
  /// While a statement is running or a blob or transaction is open, the method reads the schema, unless the function is
  /// ``FunctionOptions/innocuous``.
  ///
  /// - Throws: ``ResultCode/busy`` while a statement is running, if the function replaces another one;
  ///   ``ResultCode/misuse`` while a statement is running or a blob or transaction is open, if the function is not
  ///   ``FunctionOptions/innocuous`` and the schema contains its name; ``ResultCode/range`` if `arity` is out of range.
  ///
  /// The corresponding C function is `sqlite3_create_function_v2`.
  public func addFunction(
    _ name: String, arity: Int, options: FunctionOptions = [],
    _ function: @escaping ScalarFunction
  ) throws {
    let arity = try Self.arity(arity, of: name)
    try refuseFunction(name, options)
    defer { state.releaseDeferred() }
    // SQLite releases the box even if it rejects the function.
    try check(
      unsafe sqlite3_create_function_v2(
        handle(), name, arity, SQLITE_UTF8 | options.flags,
        Box(Callee(function: function), state, function: name).retained(),
        { context, count, values in
          unsafe Box<Callee>.with(sqlite3_user_data(context)) { callee in
            unsafe FunctionContext(context).setResultOfCall(callee.state) {
              try unsafe callee.value.function(SQLFunctionArguments(count, values, context))
            }
          }
        },
        nil, nil, releaseBox))
    try forgetFunctions(adding: options)
  }

  /// Adds `function` as an SQL function, with the number and types of its parameters.
  ///
  /// ```swift
  /// try connection.addFunction("hypotenuse") { (a: Double, b: Double) in
  ///   (a * a + b * b).squareRoot()
  /// }
  /// ```
  ///
  /// An argument that cannot be read as the type of its parameter throws ``ResultCode/mismatch``, and so does
  /// NULL for a parameter that is not optional. In all other respects, this method behaves like
  /// ``addFunction(_:arity:options:_:)``.
  @inlinable
  @_disfavoredOverload  // There are faster methods for one to three arguments.
  public func addFunction<each A: SQLValue, Result: SQLFunctionResult>(
    _ name: String, options: FunctionOptions = [],
    _ function: @escaping (repeat each A) throws -> Result
  ) throws {
    var arity = 0
    for _ in repeat (each A).self { arity += 1 }
    try addFunction(name, arity: arity, options: options) { values in
      var index = 0
      return try function(repeat values.next((each A).self, &index)).result(of: values)
    }
  }

  /// Removes the function with this name and arity, and releases it.
  ///
  /// Afterwards, SQL that calls the function with this arity throws, even if another function with the same
  /// name accepts any number of arguments. A replaced built-in function is not restored: calling it throws
  /// until the connection is closed.
  ///
  /// - Throws: ``ResultCode/busy`` while a statement is running.
  public func removeFunction(_ name: String, arity: Int) throws {
    let arity = try Self.arity(arity, of: name)
    try refuseChangesOfFunctions()
    defer { state.releaseDeferred() }
    try check(
      unsafe sqlite3_create_function_v2(
        handle(), name, arity, SQLITE_UTF8, nil, nil, nil, nil, nil))
  }

  /// Throws if functions cannot be added or removed now.
  ///
  /// SQLite does not allow replacing a function while a statement runs. But some builds of SQLite also call
  /// functions while they prepare a statement, and would release a function that is replaced during its own call.
  func refuseChangesOfFunctions() throws {
    try requireLocal(.functions)
    try state.require(.use)
    guard state.calls.depth > 0, state.calls.frame != .afterCommit, !isRunning else { return }
    throw SQLiteError(
      .busy, "A function cannot be added or removed while a statement is being prepared")
  }

  /// Throws if a function cannot be added now: see also `forgetFunctions`.
  func refuseFunction(_ name: String, _ options: FunctionOptions) throws {
    try refuseChangesOfFunctions()
    _ = try unsafe handle()
    guard !options.contains(.innocuous), !canReadSchemaAgain, try isInSchema(name) else { return }
    throw SQLiteError(
      .misuse,
      "The schema contains the name \(name), so add the function before a statement, a blob or a transaction is open"
    )
  }

  /// Returns whether the schema of a database contains a name.
  private func isInSchema(_ name: String) throws -> Bool {
    let name = Array(name.withoutCase.utf8)
    let handle = try unsafe handle()
    try state.refuseStopped()
    return try cleaningUp {
      var isFound = false
      for database in try databases() {
        let sql = "SELECT sql FROM \(try quoted(identifier: database.name)).sqlite_schema"
        try unsafe RawQuery.run(sql, on: handle) { row in
          let tokens = unsafe SQLToken.tokens(of: RawQuery.text(row, 0), readsParameters: true)
          if tokens.contains(where: { $0.contentWithoutCase == name }) { isFound = true }
        }
      }
      return isFound
    }
  }

  /// Whether SQLite can read the schema again.
  ///
  /// The bytecode of a running statement refers to the schema. In a transaction, a full-text table keeps changes in memory,
  /// and would be damaged by a second object for the same table.
  private var canReadSchemaAgain: Bool { isInAutocommit && !isRunning }

  /// Makes SQLite forget what it has learned before a function was added.
  ///
  /// If a cached statement calls a function that accepts any number of arguments, SQLite does not re-prepare the
  /// statement when a function with the same name and the matching arity is added.
  ///
  /// SQLite decides whether the schema may call a function when it reads the schema. If it does not know the function then,
  /// generated columns, CHECK constraints and partial indexes can call it later, whatever its options are. So SQLite reads
  /// the schema again, unless each schema may call the function. Where this is not possible, the schema does not contain the
  /// name.
  func forgetFunctions(adding options: FunctionOptions) throws {
    evictStatements()
    guard !options.contains(.innocuous), canReadSchemaAgain else { return }
    let isWritable = try option(.writableSchema)
    try cleaningUp {
      try unsafe callSQLite { handle in
        unsafe sqlite3_exec(handle, "PRAGMA writable_schema = RESET", nil, nil, nil)
      }
    }
    if isWritable { try setOption(.writableSchema, true) }
  }

  /// Whether any statement has started but not ended.
  private var isRunning: Bool {
    guard unsafe rawHandle != nil else { return false }
    var statement: OpaquePointer?
    repeat {
      unsafe statement = sqlite3_next_stmt(rawHandle, statement)
      if unsafe sqlite3_stmt_busy(statement) != 0 { return true }
    } while unsafe statement != nil
    return false
  }

  /// Returns the arity as a C integer, after the checks that every registration requires.
  static func arity(_ arity: Int, of name: String) throws -> Int32 {
    try refuseNUL(in: name, "The name of the function")
    guard name.utf8.count <= 255 else {
      throw SQLiteError(.misuse, "The name of a function must have at most 255 bytes of UTF-8")
    }
    let most = SQLiteLibrary.versionNumber >= 3_048_000 ? 1_000 : 127
    guard -1...most ~= arity else {
      throw SQLiteError(
        .range,
        "The argument count of a function must be from 0 to \(most), or -1 for any number (got \(arity))"
      )
    }
    return Int32(arity)
  }
}

/// Methods that add functions with typed arguments, which can be borrowed.
///
/// A parameter pack accepts only `Escapable` types, and is not specialized. Each small number of arguments
/// therefore has its own method.
extension Connection {
  /// Adds `function` as an SQL function with one argument, whose type is that of the closure's parameter.
  ///
  /// An argument of type `Span<UInt8>` is borrowed, as in the method for two arguments.
  @inlinable
  public func addFunction<A: SQLFunctionArgument & ~Escapable, Result: SQLFunctionResult>(
    _ name: String, options: FunctionOptions = [],
    _ function: @escaping (A) throws -> Result
  ) throws {
    try addFunction(name, arity: 1, options: options) { values in
      try A.with(argument: 0, of: values) { a in try function(a).result(of: values) }
    }
  }

  /// Adds `function` as an SQL function with two arguments, whose types are those of the closure's parameters.
  ///
  /// ```swift
  /// try connection.addFunction("common_prefix") { (a: Span<UInt8>, b: Span<UInt8>) in
  ///   var count = 0
  ///   while count < min(a.count, b.count), a[count] == b[count] { count += 1 }
  ///   return count
  /// }
  /// ```
  ///
  /// An argument of type `Span<UInt8>` is borrowed, not copied. It accepts text and blobs, and throws
  /// ``ResultCode/mismatch`` for any other value. The bytes of text are its UTF-8, including any NUL. They are
  /// not validated: text that is not UTF-8 is passed unchanged. `Span<UInt8>?` accepts NULL as nil. The
  /// compiler rejects code that keeps a span beyond the call.
  ///
  /// An argument of an ``SQLValue`` type is a copy. An argument that cannot be read as the type of its parameter
  /// throws ``ResultCode/mismatch``, and so does NULL for a parameter that is not optional. In all other
  /// respects, this method behaves like ``addFunction(_:arity:options:_:)``.
  ///
  /// The corresponding C functions are `sqlite3_create_function_v2`, `sqlite3_value_text`, `sqlite3_value_blob`
  /// and `sqlite3_value_bytes`.
  @inlinable
  public func addFunction<
    A: SQLFunctionArgument & ~Escapable, B: SQLFunctionArgument & ~Escapable,
    Result: SQLFunctionResult
  >(
    _ name: String, options: FunctionOptions = [],
    _ function: @escaping (A, B) throws -> Result
  ) throws {
    try addFunction(name, arity: 2, options: options) { values in
      try A.with(argument: 0, of: values) { a in
        try B.with(argument: 1, of: values) { b in try function(a, b).result(of: values) }
      }
    }
  }

  /// Adds `function` as an SQL function with three arguments, whose types are those of the closure's parameters.
  ///
  /// An argument of type `Span<UInt8>` is borrowed, as in the method for two arguments.
  @inlinable
  public func addFunction<
    A: SQLFunctionArgument & ~Escapable, B: SQLFunctionArgument & ~Escapable,
    C: SQLFunctionArgument & ~Escapable, Result: SQLFunctionResult
  >(
    _ name: String, options: FunctionOptions = [],
    _ function: @escaping (A, B, C) throws -> Result
  ) throws {
    try addFunction(name, arity: 3, options: options) { values in
      try A.with(argument: 0, of: values) { a in
        try B.with(argument: 1, of: values) { b in
          try C.with(argument: 2, of: values) { c in try function(a, b, c).result(of: values) }
        }
      }
    }
  }
}

/// Properties that an SQL function declares, and on which SQLite relies.
///
/// By default, SQLite calls the function for each row, and the schema stored in a database file cannot use it.
/// The schema includes all SQL stored in the file: views, triggers, indexes, CHECK constraints, generated
/// columns and defaults. Choose ``usableInSchema`` for a function that your own schema calls, and ``innocuous``
/// for one that is harmless in any file.
public struct FunctionOptions: OptionSet, Hashable, Sendable {
  /// The C flags, and Sluice's own flag for ``usableInSchema``.
  public let rawValue: Int32

  /// Creates options from these flags.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// The same arguments always give the same result, so SQLite may call the function once for many rows.
  ///
  /// The corresponding C value is `SQLITE_DETERMINISTIC`.
  public static var deterministic: FunctionOptions {
    FunctionOptions(rawValue: SQLITE_DETERMINISTIC)
  }

  /// The function is harmless: the schema may call it, even a schema that is not trusted.
  ///
  /// A function is harmless if it has no side effects, reveals no secrets, and accepts any argument: the author
  /// of the file decides when the function is called, and with which arguments.
  ///
  /// The corresponding C value is `SQLITE_INNOCUOUS`.
  public static var innocuous: FunctionOptions { FunctionOptions(rawValue: SQLITE_INNOCUOUS) }

  /// The schema may call the function if ``Configuration/trustedSchema`` is on.
  ///
  /// Without this option and without ``innocuous``, the function is registered as direct-only. The statements of
  /// the program and temporary views and triggers can call it, but the schema of a file cannot. SQLite 3.40 has
  /// an exception: a CHECK constraint can call the function unless it is ``deterministic``.
  ///
  /// The corresponding C value is the absence of `SQLITE_DIRECTONLY`.
  public static var usableInSchema: FunctionOptions { FunctionOptions(rawValue: 1 << 30) }

  /// The function reads the subtypes of its arguments.
  ///
  /// The corresponding C value is `SQLITE_SUBTYPE`.
  public static var subtype: FunctionOptions { FunctionOptions(rawValue: SQLITE_SUBTYPE) }

  /// The function sets the subtype of its result; SQLite 3.45 and later require this option for such a
  /// function.
  ///
  /// The corresponding C value is `SQLITE_RESULT_SUBTYPE`.
  public static var resultSubtype: FunctionOptions { FunctionOptions(rawValue: 0x0100_0000) }

  /// The C flags that register a function with these options.
  ///
  /// Any other flags in `rawValue`, such as an encoding, are removed.
  var flags: Int32 {
    let known: FunctionOptions = [.deterministic, .innocuous, .subtype, .resultSubtype]
    let isDirectOnly = isDisjoint(with: [.innocuous, .usableInSchema])
    return rawValue & known.rawValue | (isDirectOnly ? SQLITE_DIRECTONLY : 0)
  }
}

extension Connection {
  /// Replaces SQLite's `upper` and `lower`, which convert only ASCII, with functions for all of Unicode.
  ///
  /// The functions do not depend on a language: `upper('straße')` is `STRASSE`, and `lower('I')` is `i`.
  /// Numbers become text, NULL remains NULL, and text that is not UTF-8 throws ``ResultCode/mismatch``.
  ///
  /// If an index, a generated column or a constraint uses these functions, every connection that writes to the
  /// database needs them. `REINDEX` corrects entries that SQLite's own functions produced earlier.
  ///
  /// SQLite's own functions cannot be restored on this connection: ``removeFunction(_:arity:)`` leaves the
  /// connection without `upper` or `lower`.
  public func addUnicodeCaseFunctions() throws {
    try addTextFunction("upper") { $0.uppercased() }
    try addTextFunction("lower") { $0.lowercased() }
  }

  private func addTextFunction(
    _ name: String, _ change: @escaping (String) -> String
  ) throws {
    try addFunction(name, arity: 1, options: [.deterministic, .innocuous]) { values in
      guard try values.storageClass(at: 0) != .null else { return .null }
      return .text(change(try values.text(at: 0)))
    }
  }
}
