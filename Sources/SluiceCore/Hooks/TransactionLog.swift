/// Entries of the running transaction, which a savepoint or a statement that is rolled back takes along.
struct TransactionLog<Entry> {
  private var all: [(place: TransactionPlace, entry: Entry)] = []
  /// How many entries there were when each running statement began; without a number, none.
  private var starts: [ObjectIdentifier: Int] = [:]

  var isEmpty: Bool { all.isEmpty }
  var count: Int { all.count }

  mutating func append(_ entry: Entry, at place: TransactionPlace) { all.append((place, entry)) }

  /// Removes the entries at the end that are at such places.
  mutating func removeLast(where isUndone: (TransactionPlace) -> Bool) -> [Entry] {
    remove(from: (all.lastIndex { !isUndone($0.place) } ?? -1) + 1)
  }

  /// Changes the places of the entries at the end, as long as they change.
  mutating func moveLast(_ move: (inout TransactionPlace) -> Void) {
    for index in all.indices.reversed() {
      let old = all[index].place
      move(&all[index].place)
      if all[index].place == old { return }
    }
  }

  mutating func takeAll() -> [Entry] {
    starts = [:]
    return remove(from: 0)
  }

  mutating func begin(_ statement: ObjectIdentifier) { starts[statement] = all.count }

  /// Removes what was added since the statement began.
  mutating func undo(_ statement: ObjectIdentifier) -> [Entry] {
    remove(from: min(starts.removeValue(forKey: statement) ?? 0, all.count))
  }

  private mutating func remove(from start: Int) -> [Entry] {
    guard start < all.count else { return [] }
    defer { all.removeSubrange(start...) }
    return all[start...].map(\.entry)
  }
}

/// How many scopes, and savepoints of SQL, were open when something happened in a transaction.
struct TransactionPlace: Equatable {
  var scopes: Int
  var savepoints: Int
}

/// An object that collects entries of each transaction, and learns how the transaction ends.
protocol TransactionFollower: AnyObject {
  associatedtype Entry
  var log: TransactionLog<Entry> { get set }
  /// Whether nobody wants to know any more.
  var isCancelled: Bool { get }
  /// Called before a transaction that has written is committed; throwing refuses the commit.
  func prepareCommit() throws
  /// Called after a commit; the closure that it returns runs when the connection can be used again.
  func committed() -> ((Connection) -> Void)?
  /// Called after a rollback, with an empty log.
  func rolledBack() -> ((Connection) -> Void)?
  /// Called when columns may have other names, or other places.
  func forgetNames()
  /// Called once the connection has closed.
  func closed()
}

extension TransactionFollower {
  func undo(_ callbacks: Callbacks, where isUndone: (TransactionPlace) -> Bool) {
    callbacks.releaseLater(log.removeLast(where: isUndone))
  }

  func undo(_ callbacks: Callbacks, _ statement: ObjectIdentifier) {
    callbacks.releaseLater(log.undo(statement))
  }

  func move(_ move: (inout TransactionPlace) -> Void) { log.moveLast(move) }

  func begin(_ statement: ObjectIdentifier) { log.begin(statement) }

  func removeAll(_ callbacks: Callbacks) { callbacks.releaseLater(log.takeAll()) }
}
