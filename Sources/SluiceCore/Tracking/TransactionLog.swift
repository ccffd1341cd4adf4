/// The entries of the open transaction, some of which a rollback of a savepoint or statement can remove.
struct TransactionLog<Entry> {
  typealias Item = (place: TransactionPlace, isCounted: Bool, entry: Entry)
  private var all: [Item] = []
  /// The number of SQLite calls in progress, and the number of entries, when each running statement started.
  ///
  /// A statement that is missing here started before there were any entries.
  private var starts: [ObjectIdentifier: (calls: Int, count: Int)] = [:]

  var isEmpty: Bool { all.isEmpty }
  var count: Int { all.count }

  /// Adds an entry; `isCounted` says whether SQLite counts the row as a change of the running statement.
  mutating func append(_ entry: Entry, at place: TransactionPlace, isCounted: Bool = false) {
    all.append((place, isCounted, entry))
  }

  /// Removes and returns the trailing entries whose places satisfy `isUndone`.
  mutating func removeLast(where isUndone: (TransactionPlace) -> Bool) -> [Entry] {
    remove(from: (all.lastIndex { !isUndone($0.place) } ?? -1) + 1).map(\.entry)
  }

  /// Applies `move` to the places of the entries, from the last one backward, until `move` leaves a place unchanged.
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

  /// Removes and returns the entries that were added since the statement started.
  mutating func undo(_ statement: ObjectIdentifier) -> [Item] {
    remove(from: min(starts[statement]?.count ?? 0, all.count))
  }

  /// Returns the evidence for whether SQLite has undone the rows of a failed statement.
  ///
  /// `items` contains the entries that `undo` has removed for this statement.
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

/// A place in a transaction: the numbers of open scopes, open SQL savepoints, and SQLite calls in progress.
struct TransactionPlace: Equatable {
  var scopes: Int
  var savepoints: Int
  let calls: Int
}

/// The start of a statement, with the number of SQLite calls in progress.
struct StatementStart {
  let statement: ObjectIdentifier
  let calls: Int

  init(_ statement: ObjectIdentifier, calls: Int) {
    self.statement = statement
    self.calls = calls
  }
}

/// Evidence for whether SQLite has undone the rows of a statement that failed in a transaction.
///
/// The evidence is needed when SQLite counts no change for the statement.
enum FailureEvidence {
  /// The rows were undone; otherwise, SQLite would have counted at least one of them.
  case undone
  /// The rows were undone, unless the conflict clause is FAIL.
  ///
  /// SQLite counts none of the rows, because triggers changed them, or REPLACE displaced them.
  case undoneUnlessFail
  /// Functions that the statement called changed the rows.
  ///
  /// These rows were undone only if SQLite kept a journal for the statement.
  case unknown
}

/// An object that collects the entries of each transaction, and is notified when the transaction ends.
protocol TransactionFollower: AnyObject {
  associatedtype Entry
  var log: TransactionLog<Entry> { get set }
  /// Whether the follower has been cancelled.
  var isCancelled: Bool { get }
  /// Called before a transaction that has written is committed; an error prevents the commit.
  func prepareCommit() throws
  /// Called after a commit; the returned closure runs once the connection can be used again.
  func committed() -> ((Connection) -> Void)?
  /// Called after a rollback, when the log is empty; the returned closure runs once the connection can be used.
  func rolledBack() -> ((Connection) -> Void)?
  /// Called when the names or the order of columns may have changed.
  func forgetNames()
  /// Called when rows of a failed statement are no longer in the log, but may still be in the database.
  func loseRows()
  /// Called when the content of a database has been replaced without a commit.
  func contentWasReplaced(in schema: String)
  /// Called after the connection has closed.
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
