import SluiceCore
import Synchronization

/// Failures of SQLite's memory allocations, for all connections of the process.
///
/// ```swift
/// try FaultyMemory.install()
/// let count = try FaultyMemory.failEachAllocation { attempt in
///   let connection = try openBank(":memory:", Configuration())
///   let error = try attempt.failing { try transfer(30, in: connection) }
///   let sum = try connection.first(.column(.int), sql: "SELECT sum(amount) FROM account")
///   precondition(sum == 100, "\(error as Any)")
/// }
/// precondition(count > 0)
/// ```
///
/// SQLite accepts another allocator only before it starts, and the failures would affect other tests. Therefore,
/// run such a test in a separate process: with Swift Testing, use `#expect(processExitsWith: .success) { … }`.
///
/// Swift's own allocations do not fail, because a program crashes when Swift runs out of memory.
public enum FaultyMemory {
  /// Whether a loop of failing allocations is running.
  private static let isInLoop = Atomic(false)

  /// Installs an allocator for SQLite that can fail.
  ///
  /// Call this method before the first connection is opened; later, it throws ``ResultCode/misuse``.
  ///
  /// The corresponding C value is `SQLITE_CONFIG_MALLOC`.
  public static func install() throws { try FailingMemory.install() }

  /// Makes the allocation with this number fail; if `isForEver` is true, all later ones fail, too.
  ///
  /// Allocations are counted from now on, starting at 1. Without a call of ``install()``, this method has no
  /// effect.
  public static func arm(atAllocation number: Int = 1, isForEver: Bool = false) {
    FailingMemory.arm(max(1, number), isForEver: isForEver)
  }

  /// Makes all allocations succeed again, and returns how many failed since the failure was armed.
  @discardableResult
  public static func disarm() -> Int {
    let failures = FailingMemory.failures
    FailingMemory.arm(0, isForEver: false)
    return failures
  }

  /// The number of allocations that SQLite has requested since the last call of `arm` or ``disarm()``.
  public static var allocationCount: Int { FailingMemory.allocations }

  /// Runs `body` repeatedly, each time with a different failing allocation, until every allocation has failed
  /// once.
  ///
  /// `body` prepares the test, and passes the tested code to ``FaultAttempt/failing(_:)``. If there are many
  /// allocations, use a `step` larger than 1 to skip some of them.
  ///
  /// - Returns: The number of allocations that failed. If it is 0, nothing was tested, because ``install()`` was
  ///   not called.
  /// - Throws: ``ResultCode/misuse`` if another such loop is running.
  public static func failEachAllocation(
    isForEver: Bool = false, step: Int = 1, _ body: (FaultAttempt) throws -> Void
  ) throws -> Int {
    var rounds = try beginRounds(isForEver, step)
    defer { endRounds() }
    return try rounds.run(body)
  }

  /// Runs an asynchronous `body` repeatedly, like ``failEachAllocation(isForEver:step:_:)``.
  @_disfavoredOverload  // A body without `await` uses the synchronous overload.
  public static func failEachAllocation(
    isolation: isolated (any Actor)? = #isolation, isForEver: Bool = false, step: Int = 1,
    _ body: (FaultAttempt) async throws -> Void
  ) async throws -> Int {
    var rounds = try beginRounds(isForEver, step)
    defer { endRounds() }
    return try await rounds.run(isolation: isolation, body)
  }

  private static func beginRounds(_ isForEver: Bool, _ step: Int) throws -> FaultRounds {
    let rounds = try FaultRounds(
      step: step, arm: { arm(atAllocation: $0, isForEver: isForEver) },
      disarm: { disarm() > 0 ? "allocation" : nil })
    guard !isInLoop.exchange(true, ordering: .acquiringAndReleasing) else {
      throw FaultRounds.nested
    }
    return rounds
  }

  private static func endRounds() {
    disarm()
    isInLoop.store(false, ordering: .releasing)
  }
}
