/// Entries of the running transaction, which a savepoint or a statement that is rolled back takes along.
struct TransactionLog<Entry> {
  typealias Item = (place: TransactionPlace, isCounted: Bool, entry: Entry)
  private var all: [Item] = []
  /// Where each running statement began, and how many entries there were; without a number, none.
  private var starts: [ObjectIdentifier: (calls: Int, count: Int)] = [:]

  var isEmpty: Bool { all.isEmpty }
  var count: Int { all.count }

  /// Adds an entry; `isCounted` tells that it is a row which SQLite counts for the statement that runs.
  mutating func append(_ entry: Entry, at place: TransactionPlace, isCounted: Bool = false) {
    all.append((place, isCounted, entry))
  }

  /// Removes the entries at the end that are at such places.
  mutating func removeLast(where isUndone: (TransactionPlace) -> Bool) -> [Entry] {
    remove(from: (all.lastIndex { !isUndone($0.place) } ?? -1) + 1).map(\.entry)
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
    return remove(from: 0).map(\.entry)
  }

  mutating func begin(_ start: StatementStart) {
    starts[start.statement] = (start.calls, all.count)
  }

  /// Removes what was added since the statement began.
  mutating func undo(_ statement: ObjectIdentifier) -> [Item] {
    remove(from: min(starts[statement]?.count ?? 0, all.count))
  }

  /// Returns the entries of a failed statement that `undo` has removed.
  fileprivate mutating func evidence(of statement: ObjectIdentifier, in items: [Item])
    -> FailureEvidence
  {
    let calls = starts.removeValue(forKey: statement)?.calls ?? 0
    guard !items.isEmpty else { return .undone }
    if items.contains(where: { $0.isCounted && $0.place.calls == calls + 1 }) { return .undone }
    return items.contains { $0.place.calls > calls + 1 } ? .unknown : .undoneUnlessFail
  }

  private mutating func remove(from start: Int) -> [Item] {
    guard start < all.count else { return [] }
    defer { all.removeSubrange(start...) }
    return Array(all[start...])
  }
}

/// How many scopes, savepoints of SQL and calls of SQLite were open when something happened in a transaction.
struct TransactionPlace: Equatable {
  var scopes: Int
  var savepoints: Int
  let calls: Int
}

/// A statement that begins, and how many calls of SQLite it begins in.
struct StatementStart {
  let statement: ObjectIdentifier
  let calls: Int

  init(_ statement: ObjectIdentifier, calls: Int) {
    self.statement = statement
    self.calls = calls
  }
}

/// The rows of a statement that has failed in a transaction, and for which SQLite counts no change.
enum FailureEvidence {
  /// They were undone: SQLite would have counted one of them.
  case undone
  /// They are those of triggers, or were displaced by REPLACE, which SQLite does not count.
  case undoneUnlessFail
  /// They are those of statements that its functions ran, which are undone only if SQLite kept a journal for it.
  case unknown
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
  /// Called when a statement has failed whose rows, which are not in the log any more, may be in the database.
  func loseRows()
  /// Called when a database of the connection has another content, which no commit has made.
  func contentWasReplaced(in schema: String)
  /// Called once the connection has closed.
  func closed()
}

extension TransactionFollower {
  func undo(_ state: ConnectionState, where isUndone: (TransactionPlace) -> Bool) {
    state.releaseLater(log.removeLast(where: isUndone))
  }

  func undo(
    _ state: ConnectionState, _ statement: ObjectIdentifier, mayKeepChanges: () -> Bool
  ) {
    let undone = log.undo(statement)
    let evidence = log.evidence(of: statement, in: undone)
    state.releaseLater(undone.map(\.entry))
    if evidence == .unknown || evidence == .undoneUnlessFail && mayKeepChanges() { loseRows() }
  }

  func move(_ move: (inout TransactionPlace) -> Void) { log.moveLast(move) }

  func begin(_ start: StatementStart) { log.begin(start) }

  func removeAll(_ state: ConnectionState) { state.releaseLater(log.takeAll()) }
}
