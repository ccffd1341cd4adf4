import CSluice

/// Answers SQLite with the value of `body`, or with the error that it throws.
@inline(__always)
func answer(
  _ context: OpaquePointer?, _ state: ConnectionState, _ body: () throws -> DatabaseValue
) {
  do { try unsafe give(context, state.call(body)) } catch {
    unsafe fail(context, state.tellFailure(error))
  }
}

/// Answers a call of a scalar function with the value of `body`, and with what `body` adds to it.
@inline(__always)
func answerCall(
  _ context: OpaquePointer?, _ state: ConnectionState, _ body: () throws -> DatabaseValue
) {
  let before = state.incidents
  do {
    let value = try body()
    if state.incidents == before, case .integer(let value) = value {
      unsafe sqlite3_result_int64(context, value)
    } else {
      unsafe complete(context, state, before, value)
    }
  } catch {
    _ = unsafe state.takeAddition(to: context)
    unsafe fail(context, state.tellFailure(error))
  }
}

/// Answers with what is more than an integer, or may be.
@inline(never)
private func complete(
  _ context: OpaquePointer?, _ state: ConnectionState, _ before: Int, _ value: DatabaseValue
) {
  do {
    guard state.incidents != before else { return try unsafe give(context, value) }
    let addition = unsafe state.takeAddition(to: context)
    try state.refuseRollback(since: before)
    if let addition { try addition.give(with: value) } else { try unsafe give(context, value) }
  } catch {
    unsafe fail(context, state.tellFailure(error))
  }
}

/// Answers SQLite with `value`.
@inline(__always)
func give(_ context: OpaquePointer?, _ value: DatabaseValue) throws {
  switch value {
  case .integer(let value): unsafe sqlite3_result_int64(context, value)
  case .real(let value):
    guard !value.isNaN else { throw SQLiteError.notANumber }
    unsafe sqlite3_result_double(context, value)
  case .text(let value):
    let count = UInt64(value.utf8.count)
    unsafe value.withCString { text in unsafe sluice_result_text(context, text, count) }
  case .blob(let value):
    unsafe value.withUnsafeBytes { bytes in
      unsafe sluice_result_blob(context, bytes.baseAddress, UInt64(bytes.count))
    }
  case .null: unsafe sqlite3_result_null(context)
  }
}

/// Makes the statement that called a function fail.
@inline(never)
func fail(_ context: OpaquePointer?, _ failure: SQLiteError) {
  var message = failure.message
  message.withUTF8 { text in
    unsafe sluice_result_error(context, text.baseAddress, Int32(clamping: text.count))
  }
  unsafe sqlite3_result_error_code(context, codeOfFailure(failure.code))
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
    SQLiteError(.mismatch, "SQLite has no NaN: bind NULL, or another value")
  }
}
