/// Whether the service can answer requests, for a load balancer.
public struct Health: Codable, Hashable, Sendable {
  public var isHealthy: Bool
  /// The reason why the service is not healthy.
  public var problem: String?

  public init(isHealthy: Bool, problem: String? = nil) {
    self.isHealthy = isHealthy
    self.problem = problem
  }
}
