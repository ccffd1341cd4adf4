/// A node of a cluster, as another node describes it.
public struct NodeMember: Hashable, Sendable {
  /// The number that identifies the node for ever.
  public let id: UInt64
  /// The text of the node's address, which another program may have chosen.
  public let address: String
  /// The part that the node has in elections.
  public let role: NodeRole

  /// Creates a member.
  public init(id: UInt64, address: String, role: NodeRole) {
    self.id = id
    self.address = address
    self.role = role
  }
}

/// The part that a node has in elections and in the replication.
public enum NodeRole: UInt64, Hashable, Sendable, CaseIterable {
  /// The node stores the data and votes.
  case voter = 0
  /// The node stores the data, but does not vote.
  case standby = 1
  /// The node neither stores the data nor votes.
  case spare = 2
}
