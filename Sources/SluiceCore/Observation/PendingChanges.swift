/// What a transaction has written so far, by the savepoints that can still undo a part of it.
struct PendingChanges {
  /// The transaction itself has no name.
  private var levels: [(name: String?, changes: ChangeSet)] = [(nil, ChangeSet())]

  mutating func add(_ changes: ChangeSet) {
    levels[levels.count - 1].changes.formUnion(changes)
  }

  mutating func apply(_ step: SavepointStep) {
    switch step {
    case .begin(let name): levels.append((name, ChangeSet()))
    case .release(let name):
      // One that is not there fails, and one that does not end because its commit fails is undone
      // with all of the transaction.
      guard let index = index(of: name) else { return }
      let changes = merged(from: index)
      levels.removeLast(levels.count - index)
      add(changes)
    case .rollBack(let name):
      guard let index = index(of: name) else { return }
      levels.removeLast(levels.count - index)
      levels.append((name, ChangeSet()))
    }
  }

  /// All that was written, which is over.
  mutating func takeAll() -> ChangeSet {
    defer { removeAll() }
    return merged(from: 0)
  }

  mutating func removeAll() { levels = [(nil, ChangeSet())] }

  private func index(of name: String) -> Int? { levels.lastIndex { $0.name == name } }

  private func merged(from index: Int) -> ChangeSet {
    levels[index...].reduce(into: ChangeSet()) { $0.formUnion($1.changes) }
  }
}

/// What SQL does with a savepoint, whose name is as SQLite compares it.
enum SavepointStep: Equatable {
  case begin(String)
  case release(String)
  case rollBack(String)

  init?(_ operation: String, _ name: String) {
    switch operation {
    case "BEGIN": self = .begin(name.withoutCase)
    case "RELEASE": self = .release(name.withoutCase)
    case "ROLLBACK": self = .rollBack(name.withoutCase)
    default: return nil
    }
  }
}
