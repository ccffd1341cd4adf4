/// The health of a service, for a load balancer.
public struct Health: Codable, Hashable, Sendable {
  /// Whether the service can read its database, and the file at its path is the one that is open.
  public var isHealthy: Bool
  /// The reason why the service is not healthy.
  public var problem: String?

  public init(isHealthy: Bool, problem: String? = nil) {
    self.isHealthy = isHealthy
    self.problem = problem
  }
}
