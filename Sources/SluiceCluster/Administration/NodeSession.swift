/// A connection to a node that executes administrative requests until a deadline.
struct NodeSession {
  let address: NodeAddress
  let deadline: ContinuousClock.Instant
  private let connection: NodeConnection

  /// Connects to a node.
  ///
  /// A node that does not answer at once is given up early, because the others may answer.
  init(_ address: NodeAddress, _ deadline: ContinuousClock.Instant) throws {
    self.address = address
    self.deadline = deadline
    connection = try NodeConnection(to: address, Self.shortPatience(deadline))
  }

  private var patience: Patience { Patience(deadline: deadline) }

  private static func shortPatience(_ deadline: ContinuousClock.Instant) -> Patience {
    Patience(deadline: min(deadline, .now + ClusterAdministrator.longestProbe))
  }

  /// Returns the member that the node believes to be the leader.
  func knownLeader() throws -> NodeMember? {
    try connection.leader(Self.shortPatience(deadline))
  }

  func members() throws -> [NodeMember] { try connection.members(Self.shortPatience(deadline)) }

  func failureDomain() throws -> UInt64 {
    try connection.failureDomain(Self.shortPatience(deadline))
  }

  func add(_ id: UInt64, _ address: NodeAddress) throws {
    try connection.add(id: id, address: address, patience)
  }

  func assign(_ role: NodeRole, to id: UInt64) throws {
    try connection.assign(id: id, role: role, patience)
  }

  func remove(_ id: UInt64) throws { try connection.remove(id: id, patience) }

  func transfer(to id: UInt64) throws { try connection.transfer(to: id, patience) }

  func dump(
    _ database: String, to receive: (_ part: NodeConnection.FilePart) throws -> Void
  ) throws {
    do { try connection.dump(database, { patience }, to: receive) } catch WireError.failure(
      _, let message)
    {
      // Older nodes answer with empty files if there is no such database, newer ones with a failure.
      throw ClusterAdministrationError(.refused, "\"\(database)\" cannot be copied: \(message)")
    }
  }
}
