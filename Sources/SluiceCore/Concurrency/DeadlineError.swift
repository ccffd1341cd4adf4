/// That an access to a database was not done in time.
///
/// What it had done is rolled back, and what it had not begun never runs.
///
/// ```swift
/// do {
///   try await queue.transaction(deadline: .now + .seconds(2)) { connection in
///     try connection.execute(sql: "DELETE FROM event WHERE title LIKE '%draft%'")
///   }
/// } catch is DeadlineError {
///   print("It takes too long.")
/// }
/// ```
public struct DeadlineError: Error, Hashable, Sendable {
  /// When the access had to be done.
  public let deadline: ContinuousClock.Instant

  /// Makes an error, for example for a test of what handles it.
  public init(deadline: ContinuousClock.Instant) { self.deadline = deadline }
}

extension DeadlineError: CustomStringConvertible {
  /// What has happened, in words for a developer.
  public var description: String { "The access to the database was not done before its deadline" }
}
