#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The deadline of a wait, and a check that ends the wait early.
package struct Patience {
  /// The instant at which a wait fails.
  package var deadline: ContinuousClock.Instant
  /// Throws to end a wait; called before each system call, and at least every 10 ms.
  package var check: () throws -> Void

  package init(
    deadline: ContinuousClock.Instant, check: @escaping () throws -> Void = {}
  ) {
    self.deadline = deadline
    self.check = check
  }

  /// Creates a patience that ends after `duration`.
  package init(_ duration: Duration, check: @escaping () throws -> Void = {}) {
    self.init(deadline: .now + duration, check: check)
  }

  /// The longest wait between two checks, in milliseconds.
  private static let slice: Int64 = 8

  /// Calls the check, and returns the milliseconds that a system call may wait until the next check.
  ///
  /// - Throws: ``WireError/broken(_:)`` after the deadline, or the error of the check.
  func milliseconds(for work: String) throws -> Int32 {
    try check()
    let left = deadline - .now
    guard left > .zero else { throw WireError.broken("\(work) lasted until the deadline") }
    guard left < .milliseconds(Self.slice) else { return Int32(Self.slice) }
    // Rounding up avoids calls that wait 0 ms until the deadline has passed.
    return Int32(left / .milliseconds(1)) + 1
  }

  /// Blocks the thread for this time, or until the deadline; throws only the error of the check.
  func sleep(for duration: Duration) throws {
    let end = min(deadline, .now + duration)
    while true {
      try check()
      let left = end - .now
      guard left > .zero else { return }
      usleep(UInt32(min(left, .milliseconds(Self.slice)) / .microseconds(1)))
    }
  }
}
