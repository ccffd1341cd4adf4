import SluiceCore
import Synchronization

/// A shortage of the memory that SQLite allocates, for all connections of the process together.
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
/// As SQLite takes this only before it starts, and other tests would suffer, such a test has a process of its
/// own: with Swift Testing `#expect(processExitsWith: .success) { … }`.
///
/// Memory that Swift itself allocates is no part of it: a program ends when that is short.
public enum FaultyMemory {
  /// Whether a loop arms it.
  private static let isInLoop = Atomic(false)

  /// Makes SQLite's memory one that can be short, before the first connection; throws
  /// ``ResultCode/misuse`` afterwards.
  ///
  /// The corresponding C value is `SQLITE_CONFIG_MALLOC`.
  public static func install() throws { try FailingMemory.install() }

  /// Lets the allocation of this number fail, from now on and from 1 on, and all others from there if
  /// `isForEver`.
  ///
  /// It changes nothing unless the memory was installed.
  public static func arm(atAllocation number: Int = 1, isForEver: Bool = false) {
    FailingMemory.arm(max(1, number), isForEver: isForEver)
  }

  /// Lets nothing fail any more, and returns how many allocations have failed since it was armed.
  @discardableResult
  public static func disarm() -> Int {
    let failures = FailingMemory.failures
    FailingMemory.arm(0, isForEver: false)
    return failures
  }

  /// How many allocations SQLite has made since the memory was armed or disarmed.
  public static var allocationCount: Int { FailingMemory.allocations }

  /// Runs `body` again and again, with another allocation failing each time, until all have.
  ///
  /// The body makes what it needs, and calls ``FaultAttempt/failing(_:)`` with what is tested. It returns how many
  /// allocations have failed, which is 0 if the memory was not installed: then nothing was tested. A larger `step`
  /// leaves some out, where there are many. A loop inside of a loop throws ``ResultCode/misuse``.
  public static func failEachAllocation(
    isForEver: Bool = false, step: Int = 1, _ body: (FaultAttempt) throws -> Void
  ) throws -> Int {
    var rounds = try beginRounds(isForEver, step)
    defer { endRounds() }
    return try rounds.run(body)
  }

  /// Runs `body`, which waits for others, again and again, as ``failEachAllocation(isForEver:step:_:)`` does.
  @_disfavoredOverload  // A body that does not wait takes the other one, also where it could.
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
