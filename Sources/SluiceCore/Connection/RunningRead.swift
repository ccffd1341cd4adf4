/// A read of a ``ConnectionPool`` that is in progress.
public struct RunningRead: Hashable, Sendable {
  /// The label of the connection.
  public let label: String
  /// The time at which the read acquired the connection.
  public let since: ContinuousClock.Instant
  /// The SQL of the latest statement, without bound values; nil before the first statement.
  public let sql: String?
}
