// The errors that closures throw in calls of SQLite. `callSQLite` and `Statement.failed` throw them again.
extension ConnectionState {
  /// Keeps what a closure threw until the call that it broke returns; the first counts.
  ///
  /// A veto is one that SQLite has no ear for: the call returns as if nothing had been thrown, and its
  /// work is still to be undone.
  func keepFailure(_ error: any Error, isVeto: Bool = false) {
    releaseLater(failures.take(above: calls.depth))
    failures.keep(error, at: calls.depth, isVeto: isVeto)
    hasFailures = true
  }

  /// Makes of what a closure threw an error that SQLite passes on, and keeps one of another type for the caller.
  func tellFailure(_ error: any Error) -> SQLiteError {
    let failure = SQLiteError(wrapping: error)
    guard !(error is SQLiteError) else { return failure }
    releaseLater(failures.take(above: calls.depth))
    if let old = failures.tell(error, failure.message, at: calls.depth) { releaseLater([old]) }
    hasFailures = true
    return failure
  }

  /// The error that was thrown in the call that has just returned.
  func takeFailure() -> KeptFailure? {
    guard hasFailures else { return nil }
    let taken = failures.take(above: calls.depth)
    hasFailures = !failures.isEmpty
    releaseLater(taken)
    return taken.last
  }

  /// The error that was thrown in the call that has just returned, or else the one that SQLite reports.
  func failure(_ reported: SQLiteError) -> any Error {
    takeFailure()?.error(reported: reported) ?? reported
  }

  @inline(__always)
  func dropFailure() {
    if hasFailures { _ = takeFailure() }
  }

  /// Whether something was thrown in the call that has just returned, which SQLite does not know of.
  var hasUnheardVeto: Bool { failures.hasVeto(above: calls.depth) }

  /// Whether something was thrown in the running call, which SQLite does not know of.
  var hasVeto: Bool { failures.hasVeto(above: calls.depth - 1) }
}
