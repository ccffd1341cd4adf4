/// An error of a cluster, other than the errors of SQLite.
///
/// Only ``outcomeUnknown(_:)`` leaves open whether a transaction was committed; after every other error, it was not. In
/// ``Cluster/perform(qos:deadline:_:)``, each statement outside a transaction is a transaction of its own, so earlier
/// statements remain committed.
public enum ClusterError: Error, Hashable, Sendable {
  /// No node leads the cluster, or the leader cannot be reached.
  ///
  /// A cluster has no leader while more than half of its voters are missing, and for a moment after a leader has failed.
  case noLeader(String)
  /// The leader has lost its leadership, or the connection to it, before the transaction was committed.
  ///
  /// The transaction has no effect. ``Cluster`` has already repeated it as often as it may.
  case interrupted(String)
  /// The transaction may have been committed, or may be committed later.
  ///
  /// The answer to its commit was lost, and no leader could be asked in time.
  case outcomeUnknown(String)
}

extension ClusterError {
  /// The error of a statement during which the connection has ended for the second time.
  static func interrupted(_ reason: String, by statement: String) -> ClusterError {
    .interrupted(
      "\(reason); the connection has ended twice, perhaps because of the statement "
        + statement.printable)
  }
}

extension ClusterError: CustomStringConvertible {
  /// A description for developers.
  public var description: String {
    switch self {
    case .noLeader(let reason): "No leader of the cluster can be used: \(reason)"
    case .interrupted(let reason):
      "The leader was lost, and the transaction has no effect: \(reason)"
    case .outcomeUnknown(let reason):
      "It is unknown whether the transaction was committed: \(reason)"
    }
  }
}
