/// The errors that closures threw in calls of SQLite, each until the call that it broke returns.
struct KeptFailures {
  /// The calls that one broke are inside of one another, so the last one is the innermost.
  private var failures: [KeptFailure] = []

  var isEmpty: Bool { failures.isEmpty }

  /// Keeps the first error of a call that SQLite has no way to pass on.
  mutating func keep(_ error: any Error, at depth: Int, isVeto: Bool) {
    let index = index(at: depth)
    guard failures[index].kept == nil else { return }
    failures[index].kept = error
    failures[index].isVeto = isVeto
  }

  /// Keeps the last error of a call of which SQLite passes on the message; SQLite may ignore the others.
  ///
  /// - Returns: The error that was kept before.
  mutating func tell(_ error: any Error, _ message: String, at depth: Int) -> (any Error)? {
    let index = index(at: depth)
    let old = failures[index].told?.error
    failures[index].told = (error, message)
    return old
  }

  private mutating func index(at depth: Int) -> Int {
    if failures.last?.depth != depth { failures.append(KeptFailure(depth: depth)) }
    return failures.count - 1
  }

  /// Takes out the errors of a call that was made at `depth`, the innermost first.
  mutating func take(above depth: Int) -> [KeptFailure] {
    var taken: [KeptFailure] = []
    while let last = failures.last, last.depth > depth { taken.append(failures.removeLast()) }
    return taken
  }

  /// Whether an error of a call that was made at `depth` has not reached SQLite.
  func hasVeto(above depth: Int) -> Bool {
    failures.last.map { $0.depth > depth && $0.isVeto } ?? false
  }
}

/// The errors that closures threw in one call of SQLite.
struct KeptFailure {
  fileprivate let depth: Int
  fileprivate var isVeto = false
  /// The error that SQLite has no way to pass on.
  fileprivate var kept: (any Error)?
  /// The error of which SQLite passes on the message.
  fileprivate var told: (error: any Error, message: String)?

  fileprivate init(depth: Int) { self.depth = depth }

  /// The error for the caller, where SQLite reports `reported`: the one of a closure, if that is the reason.
  func error(reported: SQLiteError) -> any Error {
    if let told, told.message == reported.message { return told.error }
    guard let kept else { return reported }
    guard let error = kept as? SQLiteError, error.sql == nil else { return kept }
    return error.saying(error.message, sql: reported.sql)
  }
}
