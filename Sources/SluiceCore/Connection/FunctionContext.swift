import CSluice

/// The context of a running SQL function, through which the function's result is set.
@safe struct FunctionContext {
  private let pointer: OpaquePointer?

  @unsafe init(_ pointer: OpaquePointer?) { unsafe self.pointer = pointer }

  /// Sets the result to the value of `body`, or to the error that it throws.
  @inline(__always)
  func setResult(_ state: ConnectionState, _ body: () throws -> DatabaseValue) {
    do { try setResult(state.call(body)) } catch { setError(state.tellFailure(error)) }
  }

  /// Sets the result of a scalar function, with any subtype or object that `body` adds to it.
  @inline(__always)
  func setResultOfCall(_ state: ConnectionState, _ body: () throws -> DatabaseValue) {
    let before = state.results.incidents
    do {
      let value = try body()
      if state.results.incidents == before, case .integer(let value) = value {
        unsafe sqlite3_result_int64(pointer, value)
      } else {
        setResult(state, value, since: before)
      }
    } catch {
      _ = unsafe state.results.takeAddition(to: pointer)
      setError(ofCall: error, state)
    }
  }

  /// Sets the result if it is not an integer, or if the function rolled back a transaction, or added a subtype
  /// or object to the result.
  @inline(never)
  private func setResult(_ state: ConnectionState, _ value: DatabaseValue, since before: Int) {
    do {
      guard state.results.incidents != before else { return try setResult(value) }
      let addition = unsafe state.results.takeAddition(to: pointer)
      try state.refuseRollback(since: before)
      if let addition { try addition.setResult(value) } else { try setResult(value) }
    } catch {
      setError(state.tellFailure(error))
    }
  }

  /// Sets the result to `value`.
  @inline(__always)
  func setResult(_ value: DatabaseValue) throws {
    switch value {
    case .integer(let value): unsafe sqlite3_result_int64(pointer, value)
    case .real(let value):
      guard !value.isNaN else { throw SQLiteError.notANumber }
      unsafe sqlite3_result_double(pointer, value)
    case .text(let value):
      let count = UInt64(value.utf8.count)
      unsafe value.withCString { text in unsafe sluice_result_text(pointer, text, count) }
    case .blob(let value):
      unsafe value.withUnsafeBytes { bytes in
        unsafe sluice_result_blob(pointer, bytes.baseAddress, UInt64(bytes.count))
      }
    case .null: unsafe sqlite3_result_null(pointer)
    }
  }

  /// Makes the statement that calls the function fail with an error that the function threw.
  @inline(never)
  func setError(ofCall error: any Error, _ state: ConnectionState) {
    let function = unsafe AnyBox.function(of: pointer)
    setError(state.tellFailure(SQLiteError.naming(function, in: error)))
  }

  /// Makes the statement that calls the function fail with this error.
  @inline(never)
  func setError(_ failure: SQLiteError) {
    var message = failure.message
    message.withUTF8 { text in
      unsafe sluice_result_error(pointer, text.baseAddress, Int32(clamping: text.count))
    }
    unsafe sqlite3_result_error_code(pointer, codeOfFailure(failure.code))
  }
}

/// Returns the code to give SQLite for a callback that failed with `code`.
///
/// SQLite does not pass on every code unchanged: it gives some codes another meaning when a callback fails.
func codeOfFailure(_ code: ResultCode) -> Int32 {
  switch code.primary {
  // SQLite would treat a success code as the result of a step, and a negative code as no error.
  case .ok, .row, .done: SQLITE_ERROR
  case _ where code.rawValue < 0: SQLITE_ERROR
  // For SQLITE_SCHEMA itself, SQLite would re-prepare and restart the statement, again and again. For an extended
  // code of SQLITE_SCHEMA, which SQLite itself does not define, the statement fails.
  case .schema where code == .schema: code.extended(1).rawValue
  default: code.rawValue
  }
}

extension SQLiteError {
  /// Returns the error of a function, whose name precedes a message about an argument.
  ///
  /// A statement can call several functions.
  static func naming(_ function: String?, in error: any Error) -> any Error {
    guard let function, let error = error as? SQLiteError,
      error.message.hasPrefix(SQLFunctionArguments.argument)
    else { return error }
    return SQLiteError(
      error.code, "\(function): \(error.message)", sql: error.sql, offset: error.offset)
  }

  /// The error for a NaN, which SQLite would silently convert to NULL.
  static var notANumber: SQLiteError {
    SQLiteError(.mismatch, "SQLite cannot store NaN; bind NULL or another value")
  }
}
