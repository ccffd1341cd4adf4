import CSluice

/// The context of an SQL function that SQLite calls, which takes the result.
@safe struct FunctionContext {
  private let pointer: OpaquePointer?

  @unsafe init(_ pointer: OpaquePointer?) { unsafe self.pointer = pointer }

  /// Sets the value of `body`, or the error that it throws.
  @inline(__always)
  func setResult(_ state: ConnectionState, _ body: () throws -> DatabaseValue) {
    do { try setResult(state.call(body)) } catch { setError(state.tellFailure(error)) }
  }

  /// Sets the value of the body of a scalar function, and what the body adds to it.
  @inline(__always)
  func setResultOfCall(_ state: ConnectionState, _ body: () throws -> DatabaseValue) {
    let before = state.incidents
    do {
      let value = try body()
      if state.incidents == before, case .integer(let value) = value {
        unsafe sqlite3_result_int64(pointer, value)
      } else {
        setResult(state, value, since: before)
      }
    } catch {
      _ = unsafe state.takeAddition(to: pointer)
      setError(state.tellFailure(error))
    }
  }

  /// Sets a value that is no integer, or that something is added to.
  @inline(never)
  private func setResult(_ state: ConnectionState, _ value: DatabaseValue, since before: Int) {
    do {
      guard state.incidents != before else { return try setResult(value) }
      let addition = unsafe state.takeAddition(to: pointer)
      try state.refuseRollback(since: before)
      if let addition { try addition.setResult(value) } else { try setResult(value) }
    } catch {
      setError(state.tellFailure(error))
    }
  }

  /// Sets `value`.
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

  /// Makes the statement that calls the function fail.
  @inline(never)
  func setError(_ failure: SQLiteError) {
    var message = failure.message
    message.withUTF8 { text in
      unsafe sluice_result_error(pointer, text.baseAddress, Int32(clamping: text.count))
    }
    unsafe sqlite3_result_error_code(pointer, codeOfFailure(failure.code))
  }
}

/// A code that SQLite passes on as it is; some mean something else to it when a callback fails.
func codeOfFailure(_ code: ResultCode) -> Int32 {
  switch code.primary {
  // SQLite would take a code of success for the result of a step, and a negative one for none.
  case .ok, .row, .done: SQLITE_ERROR
  case _ where code.rawValue < 0: SQLITE_ERROR
  // At this very code SQLite prepares the statement anew and starts it again, without an end. An
  // extended one, which SQLite itself does not have, it leaves alone.
  case .schema where code == .schema: code.extended(1).rawValue
  default: code.rawValue
  }
}

extension SQLiteError {
  /// SQLite would turn a NaN into NULL, and so lose that there was something.
  static var notANumber: SQLiteError {
    SQLiteError(.mismatch, "SQLite cannot store NaN; bind NULL or another value")
  }
}
