/// An error of a request that concerns the members of a cluster.
public struct ClusterAdministrationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The reason of a failure.
  public enum Reason: Hashable, Sendable {
    /// No node that leads the cluster answered before the deadline.
    case noLeader
    /// The request contradicts the members of the cluster, and was not executed.
    case refused
    /// The cluster did not execute the request before the deadline, or not completely.
    ///
    /// Such a request can be repeated.
    case notFinished
  }

  /// The reason of the failure.
  public let reason: Reason
  /// A description for developers.
  public let description: String

  init(_ reason: Reason, _ description: String) {
    self.reason = reason
    self.description = description
  }
}
