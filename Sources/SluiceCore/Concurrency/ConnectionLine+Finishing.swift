import Synchronization

// What happens to the connection of a line before and after each body, so that none meets what another has left.
extension ConnectionLine {
  /// Looks before a body runs at what there is to see to, or throws why it cannot run.
  @usableFromInline @inline(never)
  func prepare(_ connection: inout sending Connection) throws {
    try refuseEnded()
    guard !alarm.shows(Alarm.suspended) else {
      throw SQLiteError(.interrupt, "The \(owner) has been suspended")
    }
    settle(&connection)
    if alarm.shows(Alarm.journal) { clearJournal(on: &connection) }
  }

  /// Throws why nobody can have the connection any more, if that is so.
  func refuseEnded() throws {
    guard !alarm.shows(Alarm.replaced) else { throw replaced }
    guard !alarm.shows(Alarm.closed | Alarm.gone) else { throw closed }
  }

  /// Looks after a body has returned whether it has left the connection as it was.
  @usableFromInline
  func finish(_ connection: inout sending Connection) throws {
    guard connection.number == number, alarm.signs.load(ordering: .acquiring) == 0,
      connection.isClean, owner != .snapshot
    else { return try finishUnclean(&connection) }
  }

  @inline(never)
  private func finishUnclean(_ connection: inout sending Connection) throws {
    // The old connection may be in use elsewhere, so it cannot be taken back.
    guard connection.number == number else {
      noteReplacement()
      throw replaced
    }
    settle(&connection)
    defer { connection.keepLeftovers() }
    guard !endSnapshot(&connection) else {
      throw SQLiteError(.misuse, "The body has ended the read transaction of the snapshot")
    }
    guard try !endTransaction(on: &connection) else {
      throw SQLiteError(.misuse, "The body has left a transaction open, which is rolled back")
    }
  }

  /// Cleans up after a body that has failed, whose error is the one to report.
  @usableFromInline @inline(never)
  func finishFailed(_ connection: inout sending Connection, _ error: any Error) {
    guard connection.number == number else { return noteReplacement() }
    settle(&connection)
    _ = try? endTransaction(on: &connection)
    connection.keepLeftovers()
    _ = endSnapshot(&connection)
    let code = (error as? SQLiteError)?.code.primary
    if owner == .pool, code == .ioError || code == .full { clearJournal(on: &connection) }
  }

  /// Ends the line of a snapshot whose transaction is over, since it would read another state from now on.
  ///
  /// The pool drops a line with this sign, which closes the connection. A connection that cannot close is not read either.
  private func endSnapshot(_ connection: inout sending Connection) -> Bool {
    guard owner == .snapshot, connection.isOpen, connection.isInAutocommit else { return false }
    alarm.set(Alarm.closed)
    return true
  }

  /// Undoes what a commit that failed has left in the journal: the readers of a pool cannot, and would fail.
  private func clearJournal(on connection: inout sending Connection) {
    guard connection.isOpen, connection.isInAutocommit, !connection.isReadOnly() else { return }
    // What fails again is tried again before the next access.
    if (try? connection.pageCount()) == nil {
      alarm.set(Alarm.journal)
    } else {
      alarm.clear(Alarm.journal)
    }
  }

  private func noteReplacement() {
    alarm.set(Alarm.replaced)
    alarm.forget()
    commits.end()
  }

  /// Sees to it that an interruption reaches nothing that comes after this.
  private func settle(_ connection: inout sending Connection) {
    guard alarm.signs.load(ordering: .acquiring) != 0, alarm.clear(Alarm.disturbed) else { return }
    connection.forgetInterruption()
  }

  /// Rolls back what a body has left open, which would swallow the work of those who come next;
  /// true if there was something.
  private func endTransaction(on connection: inout sending Connection) throws -> Bool {
    guard !keepsTransactions || connection.state.owesRollback,
      connection.state.standingWriters > 0 || !connection.isInAutocommit
    else { return false }
    return try endAll(on: &connection)
  }

  /// Ends what the connection has begun, whoever has; true if that was a transaction.
  @inline(never)
  func endAll(on connection: inout sending Connection) throws -> Bool {
    // The rollback comes first: no statement that fails to end may keep it from happening.
    let isOpen = !connection.isInAutocommit
    connection.state.owesRollback = isOpen
    if isOpen { try connection.rollBackOwed() }
    var failure: (any Error)?
    for statement in connection.writers {
      do { try statement.end() } catch { failure = failure ?? error }
    }
    if let failure, !isOpen { throw failure }
    return isOpen
  }
}
