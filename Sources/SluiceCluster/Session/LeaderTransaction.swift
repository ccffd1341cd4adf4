import SluiceCore

/// The transaction on the leader that corresponds to the local transaction.
final class LeaderTransaction {
  private let link: LeaderLink
  private let log = CommitLog()
  private var state = State.none
  private var savepoints = Savepoints()
  private var repeats = Repeats()
  /// Whether the connection has ended twice during the local transaction and its repetition.
  var hasBrokenTwice: Bool { repeats.brokenCount >= 2 }
  /// Whether the schema of the transaction is known to be that of the prepared statements.
  var isSchemaKnown = false

  private enum State {
    case none
    case open(hasWritten: Bool)
    /// The leader's transaction has ended before the local one: each statement throws the reason.
    case broken(any Error)
  }

  /// The repetitions of a local transaction.
  private struct Repeats {
    var since: ContinuousClock.Instant?
    /// How often a statement was interrupted, and how often the connection broke during one.
    var (interruptedCount, brokenCount) = (0, 0)
  }

  init(_ link: LeaderLink) { self.link = link }

  /// Whether no transaction has begun.
  var isNone: Bool { if case .none = state { true } else { false } }
  var isOpen: Bool { if case .open = state { true } else { false } }

  /// Records that a statement has written.
  func noteWrite() { if isOpen { state = .open(hasWritten: true) } }

  /// Begins the transaction, and looks for a leader while there is none.
  func begin(_ sql: String) throws {
    let limit = ContinuousClock.now + link.options.failoverTimeout
    var attempt = 0
    while true {
      do {
        try link.whileBusy {
          _ = try link.established(until: limit).execute(sql, [], link.patience())
        }
        state = .open(hasWritten: false)
        isSchemaKnown = false
        return
      } catch let error as WireError {
        if error.isBusy { throw error.sqliteError }
        // Nothing was written, so the transaction can begin elsewhere, whatever has happened to this request.
        link.drop()
        guard ContinuousClock.now < limit else { throw ClusterError.noLeader("\(error)") }
      }
      try link.pause(attempt)
      attempt += 1
    }
  }

  /// Sends a request in the open transaction, after the savepoints that precede it.
  func send<T>(_ body: (NodeConnection, Patience) throws -> T) throws -> T {
    if case .broken(let error) = state { throw error }
    do {
      try savepoints.sendAll { sql in _ = try openNode().execute(sql, [], link.patience()) }
      return try link.whileBusy { try body(openNode(), link.patience()) }
    } catch { throw failed(error) }
  }

  private func openNode() throws -> NodeConnection {
    guard let node = link.node else { throw WireError.unreachable("The connection was lost") }
    return node
  }

  /// Records that a request failed, and returns the error to throw.
  func failed(_ error: any Error) -> any Error {
    guard let failure = error as? WireError else {
      // The work was stopped while an answer was outstanding.
      if isOpen, link.node?.isOpen != true { state = .broken(error) }
      return error
    }
    if failure.isBusy { return failure.sqliteError }
    guard case .statement = failure.effect else {
      repeats.interruptedCount += 1
      if case .broken = failure { repeats.brokenCount += 1 }
      link.drop()
      let reason = ClusterError.interrupted("\(failure)")
      if isOpen { state = .broken(reason) }
      return reason
    }
    let reason = failure.sqliteError
    if isOpen, !existsOnLeader() { state = .broken(reason) }
    return reason
  }

  /// Returns whether the leader's transaction still exists: some errors roll it back.
  private func existsOnLeader() -> Bool {
    guard let node = link.node, node.isOpen else { return false }
    do { _ = try node.execute("BEGIN", [], link.patience()) } catch WireError.failure(
      _, let message)
    {
      return message.contains("within a transaction")
    } catch {
      // The connection is closed, and with it the transaction has ended.
      return false
    }
    // The transaction that was just begun must not remain.
    do { _ = try node.execute("ROLLBACK", [], link.patience()) } catch { link.drop() }
    return false
  }
}

/// The end of the transaction.
extension LeaderTransaction {
  /// Commits the transaction, and finds out whether it was committed if the answer does not say so.
  func commit() throws {
    switch state {
    case .none: return
    case .broken(let error): throw error
    case .open(hasWritten: false):
      state = .none
      repeats = Repeats()
      // There is nothing to commit, so nobody waits for the answer.
      do { try link.node?.send("ROLLBACK", link.patience(.seconds(1))) } catch { link.drop() }
    case .open:
      try commitChanges()
      state = .none
      repeats = Repeats()
    }
    savepoints.removeAll()
  }

  private func commitChanges() throws {
    do {
      try log.commit(on: openNode(), link.patienceWithCommit()) { try link.whileBusy(nil, $0) }
    } catch let error as WireError where error.isRejection {
      throw failed(error)
    } catch {
      // No request follows the commit, so nothing else can tell.
      state = .none
      guard try !log.isCommitted(after: error, link) else { return }
      throw ClusterError.interrupted("\(error)")
    }
  }

  /// Rolls the transaction back, and returns whether changes were undone.
  func rollBack() -> Bool {
    defer {
      state = .none
      savepoints.removeAll()
    }
    guard case .open(let hasWritten) = state else { return false }
    guard let node = link.node, node.isOpen else { return hasWritten }
    let patience = Patience(deadline: .now + .seconds(1)) {}
    do { _ = try node.execute("ROLLBACK", [], patience) } catch { link.drop() }
    return hasWritten
  }

  /// Returns whether the local transaction may run again after this error.
  ///
  /// A transaction during which the connection broke runs again only once, because a statement can be the reason why a
  /// node ends. One that was interrupted in another way runs again only a few times, because a slow statement can be the
  /// reason why leaders lose their leadership.
  func canRepeat(after error: any Error) -> Bool {
    let isRepeatable =
      switch error {
      case ClusterError.interrupted, SQLiteError.schema, SQLiteError.busySnapshot: true
      default: false
      }
    let since = repeats.since ?? .now
    repeats.since = since
    let isInTime = ContinuousClock.now - since < link.options.failoverTimeout
    guard isRepeatable, isInTime, repeats.brokenCount < 2, repeats.interruptedCount < 5 else {
      repeats = Repeats()
      return false
    }
    return true
  }
}

/// Savepoints.
extension LeaderTransaction {
  func addSavepoint(_ number: Int) { savepoints.add(number) }

  func release(_ number: Int) throws {
    guard let sql = savepoints.release(number) else { return }
    // The commit reports that the transaction has ended early, which an error of RELEASE would hide.
    if case .broken = state { return }
    try control(sql)
  }

  /// Undoes the changes after a savepoint, and returns whether there may be any.
  ///
  /// The number is negative for a savepoint that began the transaction. The next statement then begins another one.
  func rollBack(to number: Int) throws -> Bool {
    guard number >= 0 else { return rollBack() }
    guard let sql = savepoints.rollBack(to: number) else { return false }
    try control(sql)
    return true
  }

  private func control(_ sql: String) throws {
    if case .broken(let error) = state { throw error }
    do { _ = try openNode().execute(sql, [], link.patience()) } catch { throw failed(error) }
  }
}
