/// The savepoints of a transaction, which are sent to the leader only when a statement follows.
struct Savepoints {
  private var all: [Savepoint] = []

  private struct Savepoint {
    let number: Int
    var isSent = false
  }

  /// Adds a savepoint, and those before it, unless they exist already.
  ///
  /// Each local table reports a savepoint when it begins or, with the number of the innermost one, when the table is first
  /// written to.
  mutating func add(_ number: Int) {
    guard number >= all.count else { return }
    all += (all.count...number).map { Savepoint(number: $0) }
  }

  mutating func removeAll() { all.removeAll() }

  /// Passes the SQL of each savepoint that was not sent to `send`.
  mutating func sendAll(_ send: (String) throws -> Void) rethrows {
    for index in all.indices where !all[index].isSent {
      try send("SAVEPOINT sluice_\(all[index].number)")
      all[index].isSent = true
    }
  }

  /// Removes a savepoint and those after it, and returns the SQL to send, or nil if there is none.
  mutating func release(_ number: Int) -> String? {
    guard let first = all.firstIndex(where: { $0.number >= number }) else { return nil }
    let savepoint = all[first]
    all.removeSubrange(first...)
    return savepoint.isSent ? "RELEASE sluice_\(savepoint.number)" : nil
  }

  /// Removes the savepoints after a savepoint, and returns the SQL to send, or nil if there is none.
  ///
  /// If the savepoint does not exist, nothing happened between it and the next one.
  mutating func rollBack(to number: Int) -> String? {
    guard let first = all.firstIndex(where: { $0.number >= number }) else { return nil }
    all.removeSubrange((first + 1)...)
    return all[first].isSent ? "ROLLBACK TO sluice_\(all[first].number)" : nil
  }
}
