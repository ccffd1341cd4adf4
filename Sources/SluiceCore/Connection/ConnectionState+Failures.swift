// The errors that closures throw during SQLite calls. `callSQLite` and `Statement.failed` rethrow them.
extension ConnectionState {
  /// Keeps a closure's error until the SQLite call in progress returns; the first error of a call counts.
  ///
  /// A veto is an error that SQLite cannot receive. The call returns as if nothing had been thrown, so its work
  /// must then be undone.
  func keepFailure(_ error: any Error, isVeto: Bool = false) {
    releaseLater(failures.take(above: calls.depth))
    failures.keep(error, at: calls.depth, isVeto: isVeto)
  }

  /// Converts a closure's error to an error that SQLite can pass on, and returns it.
  ///
  /// An error that is not an `SQLiteError` is also kept for the caller.
  func tellFailure(_ error: any Error) -> SQLiteError {
    let failure = SQLiteError(wrapping: error)
    guard !(error is SQLiteError) else { return failure }
    releaseLater(failures.take(above: calls.depth))
    if let old = failures.tell(error, failure.message, at: calls.depth) { releaseLater([old]) }
    return failure
  }

  /// Removes and returns the errors that closures threw in the SQLite call that has just returned; nil if none.
  func takeFailure() -> KeptFailure? {
    guard !failures.isEmpty else { return nil }
    let taken = failures.take(above: calls.depth)
    releaseLater(taken)
    return taken.last
  }

  /// Returns the error that a closure threw in the SQLite call that has just returned, or else `reported`.
  func failure(_ reported: SQLiteError) -> any Error {
    takeFailure()?.error(reported: reported) ?? reported
  }

  @inline(__always)
  func dropFailure() {
    if !failures.isEmpty { _ = takeFailure() }
  }

  /// Whether a closure vetoed the SQLite call that has just returned.
  var hasUnheardVeto: Bool { failures.hasVeto(above: calls.depth) }

  /// Whether a closure has vetoed the SQLite call in progress.
  var hasVeto: Bool { failures.hasVeto(above: calls.depth - 1) }
}
