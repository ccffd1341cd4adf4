import SluiceCore

/// A copy of a database of a cluster to a file, which contains everything that was committed before.
struct ClusterBackup {
  private let link: LeaderLink
  private let database: String
  private let log = CommitLog()

  init(_ link: LeaderLink, of database: String) {
    self.link = link
    self.database = database
  }

  /// Copies the database from a follower, so that the leader can work meanwhile, or from the leader.
  func run(
    to copy: ReceivedCopy, progress: ((_ byteCount: Int, _ totalByteCount: Int) throws -> Void)?
  ) throws {
    let number = try mark()
    let limit = ContinuousClock.now + link.options.failoverTimeout
    var failure: any Error = ClusterError.noLeader("No node has a copy that is new enough")
    repeat {
      for address in try candidates(until: limit) {
        do {
          let node = try NodeConnection(to: address, link.patience(.seconds(1)))
          let patience = { link.patience(.seconds(60)) }
          try node.dump(database, patience) { part in
            try copy.receive(part)
            try progress?(part.byteCount, part.totalByteCount)
          }
          if try copy.complete(if: { try log.number(in: $0) >= number }) { return }
        } catch let error as WireError {
          failure = ClusterError.interrupted("\(error)")
        }
        copy.restart()
      }
    } while ContinuousClock.now < limit
    throw failure
  }

  /// Commits a number, which a new copy contains, and returns it.
  ///
  /// The followers learn that the first commit has taken place when they receive the second one.
  private func mark() throws -> Int64 {
    let first = try commit()
    _ = try commit()
    return first
  }

  private func commit() throws -> Int64 {
    try link.withTransaction { node in
      try refuseEmpty(node)
      return try log.commit(on: node, link.patience()) { try link.whileBusy(nil, $0) }
    }
  }

  /// Throws if the database is empty, as it is if its name is misspelt.
  private func refuseEmpty(_ node: NodeConnection) throws {
    guard try node.number("SELECT count(*) FROM sqlite_schema", [], link.patience()) != 0 else {
      throw SQLiteError(
        .notFound, "The cluster has no database \"\(database)\", or it is empty")
    }
  }

  /// The nodes in the order in which they are asked: the leader is the last one.
  private func candidates(until limit: ContinuousClock.Instant) throws -> [NodeAddress] {
    let leader = try link.established(until: limit)
    let members = try leader.members(link.patience())
    let addresses = members.filter { $0.role != .spare }.compactMap {
      NodeAddress($0.address, likewise: leader.address)
    }
    return addresses.filter { $0 != leader.address } + [leader.address]
  }
}
