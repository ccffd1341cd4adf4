// The errors that closures throw during SQLite calls. `callSQLite` and `Statement.failed` rethrow them.
extension ConnectionState {
  /// Keeps the error of a closure until the call that it broke returns; the first error counts.
  ///
  /// A veto is an error that SQLite cannot receive. The call returns as if nothing had been thrown, and its work
  /// must still be undone.
  func keepFailure(_ error: any Error, isVeto: Bool = false) {
    releaseLater(failures.take(above: calls.depth))
    failures.keep(error, at: calls.depth, isVeto: isVeto)
    hasFailures = true
  }

  /// Converts the error of a closure to one that SQLite passes on.
  ///
  /// An error that is not an `SQLiteError` is also kept for the caller.
  func tellFailure(_ error: any Error) -> SQLiteError {
    let failure = SQLiteError(wrapping: error)
    guard !(error is SQLiteError) else { return failure }
    releaseLater(failures.take(above: calls.depth))
    if let old = failures.tell(error, failure.message, at: calls.depth) { releaseLater([old]) }
    hasFailures = true
    return failure
  }

  /// Removes and returns the error that was thrown in the call that has just returned.
  func takeFailure() -> KeptFailure? {
    guard hasFailures else { return nil }
    let taken = failures.take(above: calls.depth)
    hasFailures = !failures.isEmpty
    releaseLater(taken)
    return taken.last
  }

  /// Returns the error that was thrown in the call that has just returned, or else the reported one.
  func failure(_ reported: SQLiteError) -> any Error {
    takeFailure()?.error(reported: reported) ?? reported
  }

  @inline(__always)
  func dropFailure() {
    if hasFailures { _ = takeFailure() }
  }

  /// Whether the call that has just returned has a veto, which SQLite does not know of.
  var hasUnheardVeto: Bool { failures.hasVeto(above: calls.depth) }

  /// Whether the running call has a veto, which SQLite does not know of.
  var hasVeto: Bool { failures.hasVeto(above: calls.depth - 1) }
}
