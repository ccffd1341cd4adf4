/// The part that a node has in elections and in the replication.
public enum NodeRole: UInt64, Hashable, Sendable, CaseIterable {
  /// The node stores the data and votes.
  case voter = 0
  /// The node stores the data, but does not vote.
  case standby = 1
  /// The node neither stores the data nor votes.
  case spare = 2
}
