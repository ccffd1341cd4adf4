import CSluice

/// Binding values to parameters.
///
/// Binding a parameter that does not exist throws immediately. Running the statement throws if a parameter has
/// no value. To store NULL, bind ``SQLBindable/null``. A value remains bound until its parameter is bound
/// again. Each `bind` method returns the statement.
extension Statement {
  /// The number of parameters, which is the highest parameter number; 0 once the connection is closed.
  ///
  /// Numbers that the SQL skips also count, and need a value: a statement whose only parameter is `?5` has five
  /// parameters.
  ///
  /// The corresponding C function is `sqlite3_bind_parameter_count`.
  public var parameterCount: Int { unsafe handle == nil ? 0 : parameters.count }

  /// The names of the parameters with their prefix, such as `:id`; nil for a plain `?`.
  ///
  /// The array is empty once the connection is closed.
  ///
  /// The corresponding C function is `sqlite3_bind_parameter_name`.
  public var parameterNames: [String?] {
    unsafe handle.map { unsafe parameters.names(of: $0) } ?? []
  }

  /// Binds values to parameters by position, or by names with or without their prefix.
  ///
  /// Throws ``ResultCode/misuse`` if two names refer to the same parameter, as `:id` and `id` do.
  @discardableResult
  public func bind(_ parameters: SQLParameters) throws -> Statement {
    switch parameters.content {
    case .ordered(let values):
      for index in values.indices { try set(values[index], at: index + 1) }
    case .named(let values): try bind(pairs: values)
    case .unlabeled: throw SQLParameters.unlabeled()
    }
    return self
  }

  private func bind(pairs: [(name: String, value: SQLParameter)]) throws {
    var bound = ParameterSet()
    for (name, parameter) in pairs {
      let index = try number(of: name)
      guard bound.insert(index) else { throw unbinding(index, because: namedTwice(name, index)) }
      try set(parameter, at: index)
    }
  }

  /// Binds a value to the parameter with this name: `:name`, `@name`, `$name`, or just `name`.
  ///
  /// If no parameter has exactly this name, the case of ASCII letters is ignored.
  @inlinable
  @discardableResult
  public func bind(_ value: some SQLBindable, toParameter name: String) throws -> Statement {
    try bind(value, toParameter: number(of: name))
  }

  @usableFromInline
  func number(of name: String) throws -> Int {
    guard let index = try parameter(named: name) else {
      _ = try unsafe idleHandle()
      throw SQLiteError(.range, "There is no parameter named \"\(name)\"", sql: sql)
    }
    return index
  }

  private func namedTwice(_ name: String, _ index: Int) -> SQLiteError {
    SQLiteError(
      .misuse, "Parameter \(index) has two values, the second one for \"\(name)\"", sql: sql)
  }

  /// Returns the number of the parameter with this name, with or without prefix; nil if there is none.
  package func parameter(named name: String) throws -> Int? { try place(ofParameter: name)?.index }

  /// Returns the number of the parameter with this name, and how it matches; nil if there is none.
  package func place(ofParameter name: String) throws -> ParameterPlace? {
    if let index = parameters.guess(name) { return parameters.place(index) }
    let indexes = unsafe parameters.indexes(named: name, of: handle)
    guard indexes.count <= 1 else {
      throw SQLiteError(
        .misuse,
        "Several parameters are named \"\(name)\"; include the prefix, such as \":\(name)\"",
        sql: sql)
    }
    guard let index = indexes.first else {
      _ = try unsafe openHandle()
      return nil
    }
    parameters.note(name, index)
    return parameters.place(index)
  }

  /// Binds a value to the parameter with this number, counted from one as in SQL.
  ///
  /// The corresponding C functions are `sqlite3_bind_int64`, `sqlite3_bind_double`,
  /// `sqlite3_bind_text64`, `sqlite3_bind_blob64`, `sqlite3_bind_zeroblob64`, `sqlite3_bind_null` and
  /// `sqlite3_bind_pointer`.
  @inlinable
  @discardableResult
  public func bind(_ value: some SQLBindable, toParameter index: Int) throws -> Statement {
    try set(value.sqlParameter, at: index)
    return self
  }

  /// Removes the values of all parameters, so that each must be bound again.
  ///
  /// The corresponding C function is `sqlite3_clear_bindings`.
  public func clearBindings() throws {
    let handle = try unsafe idleHandle()
    guard !progress.isAtRow else {
      throw SQLiteError(
        .misuse, "The statement is running; reset it before clearing its bindings", sql: sql)
    }
    unsafe sqlite3_clear_bindings(handle)
    parameters.clear()
    progress = .ready
    state.releaseDeferred()
  }

  func unbound(_ index: Int) -> SQLiteError {
    SQLiteError(.range, "\(title(of: index)) has no value", sql: sql)
  }

  private func objectInSQL(_ index: Int) -> SQLiteError {
    SQLiteError(
      .mismatch,
      "\(title(of: index)) cannot be bound to an array or object; only a function argument accepts one, "
        + "as in `IN array(?)`", sql: sql)
  }

  /// Returns the description of a parameter for error messages.
  private func title(of index: Int) -> String {
    "Parameter \(index)" + (parameterNames[index - 1].map { " (\($0))" } ?? "")
  }
}

extension Statement {
  /// Calls `body`, during which the statement refuses every use but `setReserved(_:at:)`.
  package func reserved<T>(_ body: () throws -> T) throws -> T {
    _ = try unsafe idleHandle()
    currentRow.holds &+= 1
    defer { currentRow.holds &-= 1 }
    return try body()
  }

  /// Binds one value of a body of `reserved(_:)`.
  @inlinable @inline(__always)
  package func setReserved(_ parameter: SQLParameter, at index: Int) throws {
    currentRow.holds &-= 1
    defer { currentRow.holds &+= 1 }
    try set(parameter, at: index)
  }

  /// Binds one value.
  ///
  /// This method is inlined, because the compiler often knows the kind of value at the call site.
  @inlinable @inline(__always)
  func set(_ parameter: SQLParameter, at index: Int) throws {
    switch parameter.content {
    case .value(.integer(let value)): try set(value, at: index)
    case .value(.real(let value)): try set(value, at: index)
    case .value(.text(let value)): try set(value, at: index)
    default: try setOther(parameter, at: index)
    }
  }

  @usableFromInline
  func set(_ value: Int64, at index: Int) throws {
    guard let (handle, number) = unsafe slot(index) else {
      return try setSlowly(SQLParameter(.integer(value)), at: index)
    }
    try bound(unsafe sqlite3_bind_int64(handle, number, value), index)
  }

  @usableFromInline
  func set(_ value: Double, at index: Int) throws {
    guard let (handle, number) = unsafe slot(index) else {
      return try setSlowly(SQLParameter(.real(value)), at: index)
    }
    guard !value.isNaN else { throw unbinding(index, because: notANumber(index)) }
    try bound(unsafe sqlite3_bind_double(handle, number, value), index)
  }

  @usableFromInline
  func set(_ value: String, at index: Int) throws {
    guard let (handle, number) = unsafe slot(index) else {
      return try setSlowly(SQLParameter(.text(value)), at: index)
    }
    var value = value
    let isShort = StatementMemory.fits(value.utf8.count, at: index)
    if isShort, memory.isEmpty { memory = StatementMemory(forParameters: parameters.count) }
    let memory = memory
    let code = value.withUTF8 { text in
      guard isShort, let kept = unsafe memory.keep(UnsafeRawBufferPointer(text), at: index) else {
        return unsafe sluice_bind_text(handle, number, text.baseAddress, UInt64(text.count))
      }
      return unsafe sluice_bind_kept_text(
        handle, number, kept, Int32(truncatingIfNeeded: text.count))
    }
    try bound(code, index)
  }

  @usableFromInline @inline(never)
  func setOther(_ parameter: SQLParameter, at index: Int) throws {
    guard let (handle, number) = unsafe slot(index) else {
      return try setSlowly(parameter, at: index)
    }
    let code: Int32
    switch parameter.content {
    case .value(.integer(let value)): return try set(value, at: index)
    case .value(.real(let value)): return try set(value, at: index)
    case .value(.text(let value)): return try set(value, at: index)
    case .value(.blob(let value)):
      code = unsafe value.withUnsafeBytes { bytes in
        unsafe sluice_bind_blob(handle, number, bytes.baseAddress, UInt64(bytes.count))
      }
    case .value(.null): code = unsafe sqlite3_bind_null(handle, number)
    case .zeroBlob(let count):
      code = unsafe sqlite3_bind_zeroblob64(handle, number, UInt64(count))
    case .object(let object):
      guard unsafe parameters.takesObject(index, sql, handle) else {
        throw unbinding(index, because: objectInSQL(index))
      }
      // SQLite releases the box even if it rejects the value.
      code = unsafe sluice_bind_object(
        handle, number, Box<Any>(object.value, state).retained(), releaseBox)
    case .failure(let error): throw unbinding(index, because: error)
    }
    try bound(code, index)
  }

  /// Returns the handle and the parameter's number as a C integer, or nil if the parameter cannot be bound now.
  @inline(__always)
  private func slot(_ index: Int) -> (OpaquePointer, Int32)? {
    guard let handle = unsafe handle, currentRow.isFree, !progress.isAtRow,
      UInt(bitPattern: index &- 1) < UInt(bitPattern: parameters.count)
    else { return nil }
    return unsafe (handle, Int32(truncatingIfNeeded: index))
  }

  /// The slow path of `set`: binds a value after making a statement of an earlier access usable, or throws the reason why
  /// the parameter cannot be bound.
  @inline(never)
  private func setSlowly(_ parameter: SQLParameter, at index: Int) throws {
    _ = try unsafe idleHandle()
    guard !progress.isAtRow else {
      throw SQLiteError(
        .misuse, "The statement is running; reset it before binding", sql: sql)
    }
    guard index >= 1, index <= parameters.count else {
      let count = parameters.count
      let isQuoted = sql.utf8.count(where: { $0 == UInt8(ascii: "?") }) > count
      throw SQLiteError(
        .range,
        "There is no parameter \(index); the statement has \(count) parameter\(count == 1 ? "" : "s")"
          + (isQuoted ? ", and a value inside quotes or a comment is not one" : ""), sql: sql)
    }
    try setOther(parameter, at: index)
  }

  /// Records the result of binding a value, and throws if SQLite rejected the value.
  @inline(__always)
  private func bound(_ code: Int32, _ index: Int) throws {
    guard code == SQLITE_OK else { throw unbinding(index, because: refusal(code)) }
    parameters.markBound(index)
    progress = .ready
    // The previous value may have been an object, which SQLite has now released.
    if state.hasReleased { state.releaseDeferred() }
  }

  /// Returns `error`, after marking the parameter as unbound so that its previous value is not used.
  @inline(never)
  private func unbinding(_ index: Int, because error: any Error) -> any Error {
    parameters.markUnbound(index)
    return error
  }

  private func refusal(_ code: Int32) -> SQLiteError {
    // No SQL is passed here, because the initializer would then add SQLite's error offset, which still belongs to
    // an earlier error.
    let error = unsafe SQLiteError(code, of: connection.rawHandle)
    return SQLiteError(error.code, error.message, sql: sql)
  }

  private func notANumber(_ index: Int) -> SQLiteError {
    let error = SQLiteError.notANumber
    return SQLiteError(error.code, "Parameter \(index): \(error.message)", sql: sql)
  }
}

/// Methods that bind values by position.
extension Statement {
  /// Binds values to the parameters by position, starting with the first.
  ///
  /// ```swift
  /// try statement.bind(name, age, .date(born, as: .sqlite)).execute()
  /// ```
  @_disfavoredOverload  // An array literal is a list of values, not a blob of bytes.
  @inlinable @inline(__always)
  @discardableResult
  public func bind<
    A: SQLBindable, B: SQLBindable, C: SQLBindable, D: SQLBindable, E: SQLBindable, F: SQLBindable
  >(
    _ a: A, _ b: B = SQLParameters.NoValue(), _ c: C = SQLParameters.NoValue(),
    _ d: D = SQLParameters.NoValue(), _ e: E = SQLParameters.NoValue(),
    _ f: F = SQLParameters.NoValue(), _ others: (any SQLBindable)?...
  ) throws -> Statement {
    try set(a, b, c, d, e, f, others)
    return self
  }

  /// Binds values to the parameters by position, starting with the first.
  @inlinable @inline(__always)
  func set<
    A: SQLBindable, B: SQLBindable, C: SQLBindable, D: SQLBindable, E: SQLBindable, F: SQLBindable
  >(
    _ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F, _ others: [(any SQLBindable)?]
  ) throws {
    // The compiler knows which values the call omits, and removes their branches.
    if A.self == SQLParameters.NoValue.self, B.self != SQLParameters.NoValue.self {
      throw SQLParameters.unlabeled()
    }
    if A.self != SQLParameters.NoValue.self { try set(a.sqlParameter, at: 1) }
    if B.self != SQLParameters.NoValue.self { try set(b.sqlParameter, at: 2) }
    if C.self != SQLParameters.NoValue.self { try set(c.sqlParameter, at: 3) }
    if D.self != SQLParameters.NoValue.self { try set(d.sqlParameter, at: 4) }
    if E.self != SQLParameters.NoValue.self { try set(e.sqlParameter, at: 5) }
    if F.self != SQLParameters.NoValue.self { try set(f.sqlParameter, at: 6) }
    if !others.isEmpty { try set(others) }
  }

  @usableFromInline @inline(never)
  func set(_ others: [(any SQLBindable)?]) throws {
    for index in others.indices { try set(others[index]?.sqlParameter ?? .null, at: index + 7) }
  }
}

extension Statement {
  /// Binds the interpolated values of `sql` to the parameters by position, starting with the first.
  @usableFromInline
  func set(_ sql: SQL) throws {
    if let whole = sql.whole {
      for index in whole.parameters.indices { try set(whole.parameters[index], at: index + 1) }
      return
    }
    let count = sql.parts.count
    if count > 0 { try set(sql.first, at: 1) }
    if count > 1 { try set(sql.second, at: 2) }
    if count > 2 { try set(sql.third, at: 3) }
    if count > 3 { try set(sql.fourth, at: 4) }
  }
}
