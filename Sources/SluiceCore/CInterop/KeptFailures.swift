/// What closures threw where SQLite has no way to pass it on, each until the call that it broke returns.
struct KeptFailures {
  /// The calls that one broke are inside of one another, so the last one is the innermost.
  private var failures: [Failure] = []

  private struct Failure {
    let error: SQLiteError
    let depth: Int
    let isVeto: Bool
  }

  var isEmpty: Bool { failures.isEmpty }

  /// Keeps the first error of a call.
  mutating func keep(_ error: SQLiteError, at depth: Int, isVeto: Bool) {
    _ = take(above: depth)
    guard failures.last?.depth != depth else { return }
    failures.append(Failure(error: error, depth: depth, isVeto: isVeto))
  }

  /// Takes out what was thrown in a call that was made at `depth`.
  mutating func take(above depth: Int) -> SQLiteError? {
    var error: SQLiteError?
    while let last = failures.last, last.depth > depth {
      error = last.error
      failures.removeLast()
    }
    return error
  }

  /// Whether what was thrown in a call that was made at `depth` has not reached SQLite.
  func hasVeto(above depth: Int) -> Bool {
    failures.last.map { $0.depth > depth && $0.isVeto } ?? false
  }
}
