import SluiceCore

/// The record of a session's commits, by which it learns whether a commit took place whose answer was lost.
///
/// Each transaction that writes has a number, which it stores in the session's row of the table `sluice_commit`. While the
/// row has the number, the transaction was the last one to be committed.
final class CommitLog {
  /// The identity of the session.
  private let client = (0..<16).map { _ in UInt8.random(in: 0...255) }
  /// The number of the last transaction that wrote.
  private var number: Int64 = 0
  private var hasPruned = false

  /// Stores the number of the next transaction in the transaction itself, and commits it by the same request.
  ///
  /// `busy` repeats its argument while the node is busy.
  ///
  /// - Returns: The number.
  @discardableResult
  func commit(
    on node: NodeConnection, _ patience: Patience,
    whileBusy busy: (() throws -> Void) throws -> Void
  ) throws -> Int64 {
    number += 1
    let values: [DatabaseValue] = [.blob(client), .integer(number)]
    if !hasPruned {
      // If the table does not exist, there is nothing to delete.
      do { _ = try node.execute(Self.prune, [], patience) } catch WireError.failure(
        _, Self.isMissing)
      {}
      hasPruned = true
    }
    let commit = { _ = try node.execute(Self.write + "; COMMIT", values, patience) }
    do { try busy(commit) } catch WireError.failure(_, Self.isMissing) {
      _ = try node.execute(Self.create, [], patience)
      try busy(commit)
    }
    return number
  }

  /// Returns the number of the last transaction in a copy of the database.
  func number(in copy: Connection) throws -> Int64 {
    guard try copy.table(named: "sluice_commit") != nil else { return 0 }
    return try copy.first(.column(.int64), sql: Self.read, parameters: client) ?? 0
  }

  /// Returns whether the last transaction was committed, although its commit failed with `error`.
  ///
  /// The question is asked in a transaction that writes itself. Its commit proves that the node that has answered was the
  /// leader, and that the lost transaction can no longer be committed.
  ///
  /// Throws ``ClusterError/outcomeUnknown(_:)`` if no leader answers in time.
  func isCommitted(after error: any Error, _ link: LeaderLink) throws -> Bool {
    let limit = ContinuousClock.now + link.options.failoverTimeout
    let patience = link.patienceWithCommit(until: limit)
    let lost = number
    var last = error
    var attempt = 0
    link.drop()
    while ContinuousClock.now < limit {
      do {
        let node = try link.established(until: limit, patience)
        _ = try link.whileBusy(patience) { try node.execute("BEGIN IMMEDIATE", [], patience) }
        let found = try recordedNumber(on: node, patience)
        // A later number is that of an earlier attempt to ask, which did not find the lost transaction.
        guard found < lost else {
          _ = try node.execute("ROLLBACK", [], patience)
          return found == lost
        }
        try commit(on: node, patience) { try link.whileBusy(patience, $0) }
        return false
      } catch let error as WireError {
        last = error
        link.drop()
      } catch {
        last = error
        link.drop()
        break
      }
      do { try link.pause(attempt, patience) } catch { break }
      attempt += 1
    }
    throw ClusterError.outcomeUnknown("\(last)")
  }

  private func recordedNumber(on node: NodeConnection, _ patience: Patience) throws -> Int64 {
    do {
      return try node.number(Self.read, [.blob(client)], patience) ?? 0
    } catch WireError.failure(_, Self.isMissing) { return 0 }
  }
}

/// The table of commits.
extension CommitLog {
  private static let create = """
    CREATE TABLE IF NOT EXISTS sluice_commit(
      client BLOB PRIMARY KEY, number INTEGER NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID
    """
  private static let write = """
    INSERT INTO sluice_commit(client, number, at) VALUES (?1, ?2, unixepoch())
    ON CONFLICT (client) DO UPDATE SET number = excluded.number, at = excluded.at
    """
  private static let read = "SELECT number FROM sluice_commit WHERE client = ?1"
  /// Deletes the records of clients that have not written for 30 days.
  private static let prune = "DELETE FROM sluice_commit WHERE at < unixepoch() - 2592000"
  /// The message of a node on which the table does not exist.
  private static let isMissing = "no such table: sluice_commit"
}
