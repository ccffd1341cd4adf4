import SluiceCore

/// One round of a loop in which call after call fails.
public final class FaultAttempt {
  /// Which call fails, from 1 on.
  public let number: Int
  /// The call that has failed in ``failing(_:)``, such as `write`; nil if there were fewer calls than ``number``.
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

  /// Runs `body`, in which a call fails, and returns what it throws, or nil if it succeeds all the same.
  ///
  /// What it throws although no call has failed is thrown on. It can be called once in a round. What `body` leaves
  /// to others, who are not done when it returns, is not tested.
  public func failing(_ body: () throws -> Void) throws -> (any Error)? {
    try begin()
    return try end(Result { try body() })
  }

  /// Runs `body`, which waits for others, as ``failing(_:)`` does.
  @_disfavoredOverload  // A body that does not wait takes the other one, also where it could.
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

/// Rounds, until one has no call left that could fail.
struct FaultRounds {
  /// How many have had one.
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

  /// Whether there is another round after this one.
  mutating func goesOn(after attempt: FaultAttempt) throws -> Bool {
    guard attempt.hasRun else {
      throw SQLiteError(.misuse, "The body must call failing")
    }
    if attempt.fault == nil { return false }
    count += 1
    guard count < 1_000_000 else {
      throw SQLiteError(.misuse, "A million calls have failed without an end")
    }
    let next = number.addingReportingOverflow(step)
    number = next.partialValue
    return !next.overflow
  }

  /// Runs all rounds, and returns how many have had a call that failed.
  mutating func run(_ body: (FaultAttempt) throws -> Void) throws -> Int {
    while true {
      let attempt = attempt
      try body(attempt)
      guard try goesOn(after: attempt) else { return count }
    }
  }

  /// Runs all rounds, which may wait, and returns how many have had a call that failed.
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
