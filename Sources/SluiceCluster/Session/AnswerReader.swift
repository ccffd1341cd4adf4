/// The reading of results from the connection to the leader, which sends one answer at a time.
final class AnswerReader {
  private let link: LeaderLink
  private let transaction: LeaderTransaction
  /// The result whose rows are still to come.
  private var pending: ResultRows?
  /// Whether a row of that result is the current one.
  private var hasCurrentRow = false

  init(_ link: LeaderLink, _ transaction: LeaderTransaction) {
    self.link = link
    self.transaction = transaction
  }

  /// Begins to read a result; no other may be pending.
  func begin(_ answer: RemoteRows) -> ResultRows {
    let rows = ResultRows(answer, of: self)
    pending = rows
    hasCurrentRow = false
    return rows
  }

  /// Moves to the next row of the answer, and returns whether there is one.
  func next(_ answer: RemoteRows) throws -> Bool {
    do {
      hasCurrentRow = try answer.next(link.patience())
      return hasCurrentRow
    } catch { throw transaction.failed(error) }
  }

  /// Reads the rest of a pending answer into memory, so that another request can be sent.
  func keepPending() throws {
    let rows = pending
    pending = nil
    try rows?.keep(current: hasCurrentRow)
  }

  func forget(_ rows: ResultRows) { if pending === rows { pending = nil } }

  /// Ends the reading of an answer; if it is long, the connection ends instead, unless a transaction needs it.
  func discard(_ answer: RemoteRows) {
    do {
      guard transaction.isOpen else { return try answer.finish(link.patience()) }
      while try answer.next(link.patience()) {}
    } catch { _ = transaction.failed(error) }
  }
}
