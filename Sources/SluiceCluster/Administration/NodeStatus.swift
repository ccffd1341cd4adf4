/// The state of a node, which ``ClusterAdministrator/status(deadline:)`` returns.
public struct NodeStatus: Hashable, Sendable {
  /// The id, the address and the role of the node; nil if the node is not a member of the cluster.
  public let member: NodeMember?
  /// The address of the node.
  public let address: String
  /// The member that the node believes to be the leader; nil if it knows none, or if it does not answer.
  public let leader: NodeMember?
  /// The number that nodes share if they can fail together; nil if the node does not answer.
  public let failureDomain: UInt64?
  /// The members of the cluster that the node knows, in the order of their ids; nil if the node does not answer.
  ///
  /// All nodes know the same members soon after a change. If a node of dqlite 1.11 does not, start it again.
  public let knownMembers: [NodeMember]?
  /// The reason why the node does not answer; nil if it answers.
  public let failure: String?

  /// Whether the node believes that it leads the cluster; a node that was cut off may be wrong.
  public var isLeader: Bool { leader?.address == address }
}
