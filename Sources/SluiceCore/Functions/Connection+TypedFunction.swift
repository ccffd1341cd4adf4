/// Functions with typed arguments, which can be borrowed. A parameter pack takes only types that are `Escapable`, and
/// is not specialized, so each small number of arguments has a method of its own.
extension Connection {
  /// Lets SQL call `function` as `name`, with the type of its argument.
  ///
  /// An argument of type `Span<UInt8>` is borrowed, as in the method for two arguments.
  @inlinable
  public func addFunction<A: SQLFunctionArgument & ~Escapable, Result: SQLValue>(
    _ name: String, options: FunctionOptions = [],
    _ function: @escaping (A) throws -> Result
  ) throws {
    try addFunction(name, arity: 1, options: options) { values in
      try A.with(argument: 0, of: values) { a in try function(a).databaseValue }
    }
  }

  /// Lets SQL call `function` as `name`, with the types of its two arguments.
  ///
  /// ```swift
  /// try connection.addFunction("common_prefix") { (a: Span<UInt8>, b: Span<UInt8>) in
  ///   var count = 0
  ///   while count < min(a.count, b.count), a[count] == b[count] { count += 1 }
  ///   return count
  /// }
  /// ```
  ///
  /// An argument of type `Span<UInt8>` is borrowed and not copied. It takes text and blobs, and throws
  /// ``ResultCode/mismatch`` for anything else. The bytes of text are its UTF-8 with every NUL in it. They are not
  /// checked: text that is not UTF-8 arrives as it is. `Span<UInt8>?` takes NULL as nil. The compiler refuses to keep a
  /// span beyond the call.
  ///
  /// An argument of any ``SQLValue`` is a copy. An argument that is not of its type, and NULL for one that is not
  /// optional, throws ``ResultCode/mismatch``. In all else it is like ``addFunction(_:arity:options:_:)``.
  ///
  /// The corresponding C functions are `sqlite3_create_function_v2`, `sqlite3_value_text`, `sqlite3_value_blob`
  /// and `sqlite3_value_bytes`.
  @inlinable
  public func addFunction<
    A: SQLFunctionArgument & ~Escapable, B: SQLFunctionArgument & ~Escapable, Result: SQLValue
  >(
    _ name: String, options: FunctionOptions = [],
    _ function: @escaping (A, B) throws -> Result
  ) throws {
    try addFunction(name, arity: 2, options: options) { values in
      try A.with(argument: 0, of: values) { a in
        try B.with(argument: 1, of: values) { b in try function(a, b).databaseValue }
      }
    }
  }

  /// Lets SQL call `function` as `name`, with the types of its three arguments.
  ///
  /// An argument of type `Span<UInt8>` is borrowed, as in the method for two arguments.
  @inlinable
  public func addFunction<
    A: SQLFunctionArgument & ~Escapable, B: SQLFunctionArgument & ~Escapable,
    C: SQLFunctionArgument & ~Escapable, Result: SQLValue
  >(
    _ name: String, options: FunctionOptions = [],
    _ function: @escaping (A, B, C) throws -> Result
  ) throws {
    try addFunction(name, arity: 3, options: options) { values in
      try A.with(argument: 0, of: values) { a in
        try B.with(argument: 1, of: values) { b in
          try C.with(argument: 2, of: values) { c in try function(a, b, c).databaseValue }
        }
      }
    }
  }
}
