import SluiceCore

/// One round of a loop, in which one call fails; each round makes a later call fail.
public final class FaultAttempt {
  /// The number of the call that fails in this round, starting at 1.
  public let number: Int
  /// The call that failed, such as `write`; nil if ``failing(_:)`` made fewer calls than ``number``.
  public private(set) var fault: String?
  private let arm: (Int) -> Void
  private let disarm: () -> String?
  fileprivate private(set) var hasRun = false

  fileprivate init(
    _ number: Int, _ arm: @escaping (Int) -> Void, _ disarm: @escaping () -> String?
  ) {
    self.number = number
    self.arm = arm
    self.disarm = disarm
  }

  /// Runs `body` while one call fails, and returns the error that `body` throws; nil if `body` succeeds despite
  /// the failure.
  ///
  /// Call this method once in each round. Work that `body` leaves unfinished when it returns is not tested.
  ///
  /// - Throws: The error that `body` throws, if no call has failed.
  public func failing(_ body: () throws -> Void) throws -> (any Error)? {
    try begin()
    return try end(Result { try body() })
  }

  /// Runs an asynchronous `body` while one call fails, like ``failing(_:)``.
  @_disfavoredOverload  // A body without `await` uses the synchronous overload.
  public func failing(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Void
  ) async throws -> (any Error)? {
    try begin()
    do { try await body() } catch { return try end(.failure(error)) }
    return try end(.success(()))
  }

  private func begin() throws {
    guard !hasRun else { throw SQLiteError(.misuse, "failing can be called only once in a round") }
    hasRun = true
    arm(number)
  }

  private func end(_ result: Result<Void, any Error>) throws -> (any Error)? {
    fault = disarm()
    guard case .failure(let error) = result else { return nil }
    guard fault != nil else { throw error }
    return error
  }
}

/// The rounds of a loop, which ends after the first round in which no call fails.
struct FaultRounds {
  /// The number of rounds in which a call failed.
  private(set) var count = 0
  private var number = 1
  private let step: Int
  private let arm: (Int) -> Void
  private let disarm: () -> String?

  init(step: Int, arm: @escaping (Int) -> Void, disarm: @escaping () -> String?) throws {
    guard step > 0 else { throw SQLiteError(.range, "The step must be positive (got \(step))") }
    self.step = step
    self.arm = arm
    self.disarm = disarm
  }

  /// The next round.
  var attempt: FaultAttempt { FaultAttempt(number, arm, disarm) }

  /// Returns whether another round follows `attempt`.
  mutating func goesOn(after attempt: FaultAttempt) throws -> Bool {
    guard attempt.hasRun else {
      throw SQLiteError(.misuse, "The body must call failing(_:) in each round")
    }
    if attempt.fault == nil { return false }
    count += 1
    guard count < 1_000_000 else {
      throw SQLiteError(.misuse, "A million calls have failed, and the body makes more")
    }
    let next = number.addingReportingOverflow(step)
    number = next.partialValue
    return !next.overflow
  }

  /// Runs all rounds, and returns the number of rounds in which a call failed.
  mutating func run(_ body: (FaultAttempt) throws -> Void) throws -> Int {
    while true {
      let attempt = attempt
      try body(attempt)
      guard try goesOn(after: attempt) else { return count }
    }
  }

  /// Runs all rounds of an asynchronous body, and returns the number of rounds in which a call failed.
  mutating func run(
    isolation: isolated (any Actor)?, _ body: (FaultAttempt) async throws -> Void
  ) async throws -> Int {
    while true {
      let attempt = attempt
      try await body(attempt)
      guard try goesOn(after: attempt) else { return count }
    }
  }

  static var nested: SQLiteError {
    SQLiteError(
      .misuse,
      "Another loop of failing calls is running, and would not see the calls that fail here")
  }
}
