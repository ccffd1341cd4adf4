import CSQLite
import CSluice

/// Values for parameters.
///
/// A parameter that does not exist throws at once, one that has no value when the statement runs.
/// To store NULL, bind ``SQLParameter/null``. What is bound stays bound until it is bound again.
extension Statement {
  /// How many parameters the statement has: the largest of their numbers.
  ///
  /// Numbers that the SQL leaves out count as well, and need a value: `?5` alone makes five.
  ///
  /// The corresponding C function is `sqlite3_bind_parameter_count`.
  public var parameterCount: Int { parameters.count }

  /// The names of the parameters with their prefix, such as `:id`; nil for a plain `?`.
  ///
  /// The corresponding C function is `sqlite3_bind_parameter_name`.
  public var parameterNames: [String?] { unsafe parameters.names(of: handle) }

  /// Binds values to the parameters from the first on.
  @inlinable
  @discardableResult
  public func bind(_ parameters: SQLParameter...) throws -> Statement {
    // Not by way of the array, which would have to be in memory of its own for that.
    for index in parameters.indices { try bind(parameters[index], toParameter: index + 1) }
    return self
  }

  /// Binds values to the parameters from the first on.
  @discardableResult
  public func bind(_ parameters: some Sequence<SQLParameter>) throws -> Statement {
    var index = 0
    for parameter in parameters {
      index += 1
      try bind(parameter, toParameter: index)
    }
    return self
  }

  /// Binds values to parameters by their names, which may be given with or without prefix.
  @discardableResult
  public func bind(_ parameters: [String: SQLParameter]) throws -> Statement {
    for (name, parameter) in parameters { try bind(parameter, toParameter: name) }
    return self
  }

  /// Binds values to parameters by their names, which may be given with or without prefix.
  ///
  /// If a name stands there twice, the last value counts.
  @discardableResult
  public func bind(_ parameters: KeyValuePairs<String, SQLParameter>) throws -> Statement {
    for (name, parameter) in parameters { try bind(parameter, toParameter: name) }
    return self
  }

  /// Binds a value to the parameter of this name: `:name`, `@name`, `$name`, or just `name`.
  @discardableResult
  public func bind(_ parameter: SQLParameter, toParameter name: String) throws -> Statement {
    let indexes = unsafe parameters.indexes(named: name, of: handle)
    guard let index = indexes.first else {
      _ = try unsafe idleHandle()
      throw SQLiteError(.range, "There is no parameter named \"\(name)\"", sql: sql)
    }
    guard indexes.count == 1 else {
      throw SQLiteError(
        .misuse, "Several parameters are named \"\(name)\": say which by its prefix", sql: sql)
    }
    return try bind(parameter, toParameter: index)
  }

  /// Binds a value to a parameter by its number, counted from one as in SQL.
  ///
  /// The corresponding C functions are `sqlite3_bind_int64`, `sqlite3_bind_double`,
  /// `sqlite3_bind_text64`, `sqlite3_bind_blob64`, `sqlite3_bind_zeroblob64`, `sqlite3_bind_null` and
  /// `sqlite3_bind_pointer`.
  @discardableResult
  public func bind(_ parameter: SQLParameter, toParameter index: Int) throws -> Statement {
    let handle = try unsafe idleHandle()
    guard progress != .atRow else {
      throw SQLiteError(
        .misuse, "The statement stands on a row: reset it before binding", sql: sql)
    }
    guard index >= 1, index <= parameters.count else {
      throw SQLiteError(
        .range, "There is no parameter \(index): the statement has \(parameters.count)", sql: sql)
    }
    do {
      let code = try unsafe bind(parameter.content, handle, Int32(truncatingIfNeeded: index))
      guard code == SQLITE_OK else { throw refusal(code) }
    } catch {
      // It has no value now, and not the one from before.
      parameters.markUnbound(index)
      throw error
    }
    parameters.markBound(index)
    if progress != .ready { progress = .ready }
    // What was bound before may be an object, which SQLite has let go of.
    if callbacks.hasReleased { callbacks.drain() }
    return self
  }

  private func refusal(_ code: Int32) -> SQLiteError {
    // Without the SQL: SQLite would still tell the offset of an earlier error.
    let error = unsafe SQLiteError(code, of: connection.rawHandle)
    return SQLiteError(error.code, error.message, sql: sql)
  }

  private func bind(
    _ content: SQLParameter.Content, _ handle: OpaquePointer, _ index: Int32
  ) throws -> Int32 {
    switch content {
    case .value(.integer(let value)): return unsafe sqlite3_bind_int64(handle, index, value)
    case .value(.real(let value)):
      guard !value.isNaN else { throw notANumber(index) }
      return unsafe sqlite3_bind_double(handle, index, value)
    case .value(.text(var value)):
      return value.withUTF8 { text in
        unsafe sluice_bind_text(handle, index, text.baseAddress, UInt64(text.count))
      }
    case .value(.blob(let value)):
      return unsafe value.withUnsafeBytes { bytes in
        unsafe sluice_bind_blob(handle, index, bytes.baseAddress, UInt64(bytes.count))
      }
    case .value(.null): return unsafe sqlite3_bind_null(handle, index)
    case .zeroBlob(let count):
      return unsafe sqlite3_bind_zeroblob64(handle, index, UInt64(count))
    case .object(let object):
      // SQLite lets go of the box even if it refuses it.
      return unsafe sluice_bind_object(
        handle, index, Box<Any>(object.value, connection.callbacks).retained(), releaseBox)
    case .failure(let error): throw error
    }
  }

  /// Takes all values back, so that each parameter has to be bound again.
  ///
  /// The corresponding C function is `sqlite3_clear_bindings`.
  public func clearBindings() throws {
    let handle = try unsafe idleHandle()
    guard progress != .atRow else {
      throw SQLiteError(
        .misuse, "The statement stands on a row: reset it before clearing its bindings", sql: sql)
    }
    unsafe sqlite3_clear_bindings(handle)
    parameters.clear()
    progress = .ready
    callbacks.drain()
  }

  func unbound(_ index: Int) -> SQLiteError {
    let name = parameterNames[index - 1].map { " (\($0))" } ?? ""
    return SQLiteError(.range, "Parameter \(index)\(name) has no value", sql: sql)
  }

  private func notANumber(_ index: Int32) -> SQLiteError {
    let error = SQLiteError.notANumber
    return SQLiteError(error.code, "Parameter \(index): \(error.message)", sql: sql)
  }
}
