import SluiceCore

/// The connection to the leader, which is established when it is needed, and again when it is lost.
final class LeaderLink {
  private unowned let connection: Connection
  private let directory: NodeDirectory
  private let database: String
  let options: Cluster.Options
  /// The connection to a node that was the leader; nil if none exists.
  private(set) var node: NodeConnection?
  /// The pragmas that each new connection needs, by their names.
  ///
  /// A node does not support that SQLite writes pages to the WAL before the commit, as it does by default when a
  /// transaction has changed more pages than its cache holds.
  var settings = ["cache_spill": "PRAGMA cache_spill = 0"]
  /// Whether the database may be one that is being restored.
  var acceptsIncomplete = false

  init(
    of connection: Connection, to database: String, in directory: NodeDirectory,
    _ options: Cluster.Options
  ) {
    self.connection = connection
    self.directory = directory
    self.database = database
    self.options = options
  }

  /// Returns the connection, which is established if it does not exist.
  ///
  /// Throws ``ClusterError/noLeader(_:)`` if no leader is found by the `limit`.
  func established(
    until limit: ContinuousClock.Instant, _ patience: Patience? = nil
  ) throws -> NodeConnection {
    if let node, node.isOpen { return node }
    var attempt = 0
    while true {
      do {
        let node = try directory.connect(
          to: database, acceptsIncomplete: acceptsIncomplete, patience ?? self.patience())
        for setting in settings.values {
          _ = try node.execute(setting, [], patience ?? self.patience())
        }
        self.node = node
        return node
      } catch let error as WireError {
        guard ContinuousClock.now < limit else { throw ClusterError.noLeader("\(error)") }
      } catch let error as ClusterError {
        guard ContinuousClock.now < limit else { throw error }
      }
      try pause(attempt, patience)
      attempt += 1
    }
  }

  /// Closes the connection, whose transaction is then rolled back.
  func close() {
    node?.close()
    node = nil
  }

  /// Closes the connection, and begins with another node when the leader is looked for.
  func drop() {
    if let node { directory.forget(leader: node.address) }
    close()
  }

  /// Returns the leader's address as another node knows it.
  func leader(accordingTo address: NodeAddress) throws -> NodeAddress? {
    try directory.leader(accordingTo: address, patience(.seconds(1)))
  }
}

extension LeaderLink {
  /// Begins a transaction on the leader, and calls `body`, which commits it; again if the leader is lost.
  ///
  /// An error of `body` rolls the transaction back. If the connection has broken three times, nothing is repeated, because
  /// a statement can be the reason why a node ends.
  func withTransaction<T>(_ body: (_ node: NodeConnection) throws -> T) throws -> T {
    let limit = ContinuousClock.now + options.failoverTimeout
    var (attempt, brokenCount) = (0, 0)
    while true {
      do {
        let node = try established(until: limit)
        _ = try whileBusy { try node.execute("BEGIN IMMEDIATE", [], patience()) }
        return try body(node)
      } catch let error as WireError {
        drop()
        if error.isRejection { throw error.sqliteError }
        if case .broken = error { brokenCount += 1 }
        guard ContinuousClock.now < limit, brokenCount < 3 else {
          throw ClusterError.interrupted("\(error)")
        }
      } catch {
        drop()
        throw error
      }
      try pause(attempt)
      attempt += 1
    }
  }
}

/// Waiting.
extension LeaderLink {
  /// Patience that ends when the work of the connection is stopped.
  func patience(_ limit: Duration? = nil) -> Patience {
    Patience(deadline: .now + (limit ?? options.requestTimeout)) { [unowned connection] in
      try connection.throwIfStopped()
    }
  }

  /// Patience that lasts for another second after the work was stopped: the fate of a commit is worth it.
  func patienceWithCommit(until deadline: ContinuousClock.Instant? = nil) -> Patience {
    var stopped: ContinuousClock.Instant?
    return Patience(deadline: deadline ?? .now + options.requestTimeout) {
      [unowned connection] in
      do { try connection.throwIfStopped() } catch {
        let since = stopped ?? .now
        stopped = since
        if ContinuousClock.now - since > .seconds(1) { throw error }
      }
    }
  }

  /// Waits before the next attempt, for a random time that grows with each attempt.
  func pause(_ attempt: Int, _ patience: Patience? = nil) throws {
    let longest = 1 << min(attempt, 6)
    let patience = patience ?? self.patience()
    try patience.sleep(for: .milliseconds(Int.random(in: (longest + 1) / 2...longest)))
  }

  /// Repeats `body` while another client or the node itself is busy.
  ///
  /// A node answers at once that it is busy, and has then not executed the request.
  func whileBusy<T>(_ patience: Patience? = nil, _ body: () throws -> T) throws -> T {
    let limit = ContinuousClock.now + options.busyTimeout
    var attempt = 0
    while true {
      do { return try body() } catch let error as WireError where error.isBusy {
        guard ContinuousClock.now < limit else { throw error }
      }
      try pause(attempt, patience)
      attempt += 1
    }
  }
}
