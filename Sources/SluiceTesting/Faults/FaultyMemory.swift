import SluiceCore
import Synchronization

/// Failures of SQLite's memory allocations, for all connections of the process together.
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
/// SQLite accepts another allocator only before it starts, and the failures would affect other tests. Run such a
/// test in a process of its own: with Swift Testing, use `#expect(processExitsWith: .success) { … }`.
///
/// Allocations of Swift itself do not fail: a program ends when Swift runs out of memory.
public enum FaultyMemory {
  /// Whether a loop of failing allocations is running.
  private static let isInLoop = Atomic(false)

  /// Installs an allocator for SQLite that can fail.
  ///
  /// Call this method before the first connection is opened. Afterwards, it throws ``ResultCode/misuse``.
  ///
  /// The corresponding C value is `SQLITE_CONFIG_MALLOC`.
  public static func install() throws { try FailingMemory.install() }

  /// Makes the allocation with this number fail, and with `isForEver` also all later ones.
  ///
  /// Counting starts now, at 1. The method has no effect unless ``install()`` was called.
  public static func arm(atAllocation number: Int = 1, isForEver: Bool = false) {
    FailingMemory.arm(max(1, number), isForEver: isForEver)
  }

  /// Makes all allocations succeed again, and returns how many have failed since the memory was armed.
  @discardableResult
  public static func disarm() -> Int {
    let failures = FailingMemory.failures
    FailingMemory.arm(0, isForEver: false)
    return failures
  }

  /// The number of allocations that SQLite has made since the memory was armed or disarmed.
  public static var allocationCount: Int { FailingMemory.allocations }

  /// Runs `body` repeatedly, with a different allocation failing each time, until every allocation has failed.
  ///
  /// The body sets up what it needs, and passes the tested code to ``FaultAttempt/failing(_:)``. A `step` larger
  /// than 1 skips allocations, which is useful if there are many.
  ///
  /// - Returns: The number of allocations that failed. If it is 0, nothing was tested: ``install()`` was not
  ///   called.
  /// - Throws: ``ResultCode/misuse`` for a loop inside another loop.
  public static func failEachAllocation(
    isForEver: Bool = false, step: Int = 1, _ body: (FaultAttempt) throws -> Void
  ) throws -> Int {
    var rounds = try beginRounds(isForEver, step)
    defer { endRounds() }
    return try rounds.run(body)
  }

  /// Runs an asynchronous `body` repeatedly, as ``failEachAllocation(isForEver:step:_:)`` does.
  @_disfavoredOverload  // A body without `await` uses the synchronous form, even in async code.
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
