import CSluice

/// The additions of running functions to their results, and the rollbacks that can invalidate a result.
struct FunctionResults {
  /// The number of events that may affect the result of a running function.
  ///
  /// The events are rollbacks, and subtypes or objects that a function adds to its result.
  private(set) var incidents = 0
  /// The value of `incidents` after the last rollback of any kind, which increases with each rollback.
  private(set) var lastRollback = 0
  private var additions: [ResultAddition] = []

  mutating func noteRollback() {
    incidents += 1
    lastRollback = incidents
  }

  mutating func add(_ addition: ResultAddition) {
    additions.append(addition)
    incidents += 1
  }

  /// Removes and returns what the running function with this context has added; nil if it has added nothing.
  mutating func takeAddition(to context: OpaquePointer?) -> ResultAddition? {
    additions.lastIndex { unsafe $0.context == context }.map { additions.remove(at: $0) }
  }
}
