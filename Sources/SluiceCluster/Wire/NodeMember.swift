/// A node of a cluster, as another node describes it.
public struct NodeMember: Hashable, Sendable {
  /// The number of the node, which never changes.
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
