/// The changes of a transaction so far, grouped by the savepoints that can still undo them.
struct PendingChanges {
  /// The levels of the transaction, which has no name, and of its open savepoints.
  private var levels: [(name: String?, changes: TableChangeSummary)] = [(nil, TableChangeSummary())]

  mutating func add(_ changes: TableChangeSummary) {
    levels[levels.count - 1].changes.formUnion(changes)
  }

  mutating func apply(_ step: SavepointStep) {
    switch step {
    case .begin(let name): levels.append((name, TableChangeSummary()))
    case .release(let name):
      // A step may be applied before its statement runs, because it does no harm if the statement then fails.
      // If the savepoint is unknown, SQLite rejects the statement, and this method does nothing. If the release
      // fails to commit, its changes are kept until the transaction ends.
      guard let index = index(of: name) else { return }
      let changes = merged(from: index)
      levels.removeLast(levels.count - index)
      add(changes)
    case .rollBack(let name):
      guard let index = index(of: name) else { return }
      levels.removeLast(levels.count - index)
      levels.append((name, TableChangeSummary()))
    }
  }

  /// Removes and returns all changes, because the transaction is over.
  mutating func takeAll() -> TableChangeSummary {
    defer { removeAll() }
    return merged(from: 0)
  }

  mutating func removeAll() { levels = [(nil, TableChangeSummary())] }

  private func index(of name: String) -> Int? { levels.lastIndex { $0.name == name } }

  private func merged(from index: Int) -> TableChangeSummary {
    levels[index...].reduce(into: TableChangeSummary()) { $0.formUnion($1.changes) }
  }
}
