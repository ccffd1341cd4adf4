/// The errors that closures threw during SQLite calls.
///
/// Each error is kept until the end of the SQLite call during which it was thrown.
struct KeptFailures {
  /// One element for each call during which a closure threw, from the outermost call to the innermost.
  private var failures: [KeptFailure] = []

  /// Whether there are no errors, as a flag that is cheap to check.
  private(set) var isEmpty = true

  /// Keeps an error that SQLite cannot pass on, if it is the first such error of its call.
  mutating func keep(_ error: any Error, at depth: Int, isVeto: Bool) {
    let index = index(at: depth)
    guard failures[index].kept == nil else { return }
    failures[index].kept = error
    failures[index].isVeto = isVeto
  }

  /// Keeps an error whose message SQLite passes on, and drops an earlier such error of the same call.
  ///
  /// The latest error counts, because SQLite may have ignored an earlier one.
  ///
  /// - Returns: The dropped error, or nil if there was none.
  mutating func tell(_ error: any Error, _ message: String, at depth: Int) -> (any Error)? {
    let index = index(at: depth)
    let old = failures[index].told?.error
    failures[index].told = (error, message)
    return old
  }

  private mutating func index(at depth: Int) -> Int {
    if failures.last?.depth != depth { failures.append(KeptFailure(depth: depth)) }
    isEmpty = false
    return failures.count - 1
  }

  /// Removes and returns the errors of a call that was made at `depth`, and of calls inside it, innermost first.
  mutating func take(above depth: Int) -> [KeptFailure] {
    var taken: [KeptFailure] = []
    while let last = failures.last, last.depth > depth { taken.append(failures.removeLast()) }
    isEmpty = failures.isEmpty
    return taken
  }

  /// Returns whether a closure threw an error that SQLite did not receive, in a call that was made at `depth`.
  func hasVeto(above depth: Int) -> Bool {
    failures.last.map { $0.depth > depth && $0.isVeto } ?? false
  }
}

/// The errors that closures threw during one SQLite call.
struct KeptFailure {
  fileprivate let depth: Int
  fileprivate var isVeto = false
  /// The error that SQLite cannot pass on.
  fileprivate var kept: (any Error)?
  /// The error whose message SQLite passes on.
  fileprivate var told: (error: any Error, message: String)?

  fileprivate init(depth: Int) { self.depth = depth }

  /// Returns the error to throw: a closure's error if it explains `reported`, or else `reported`.
  func error(reported: SQLiteError) -> any Error {
    if let told, told.message == reported.message { return told.error }
    guard let kept else { return reported }
    guard let error = kept as? SQLiteError, error.sql == nil else { return kept }
    return error.saying(error.message, sql: reported.sql)
  }
}

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
