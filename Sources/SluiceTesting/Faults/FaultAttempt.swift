import SluiceCore

/// One round of a loop in which call after call fails.
public final class FaultAttempt {
  /// Which call fails, from 1 on.
  public let number: Int
  /// What has failed in ``failing(_:)``, such as `write`; nil if there were fewer calls than ``number``.
  public private(set) var fault: String?
  private let arm: (Int) -> Void
  private let disarm: () -> String?
  private var hasRun = false

  private init(_ number: Int, _ arm: @escaping (Int) -> Void, _ disarm: @escaping () -> String?) {
    self.number = number
    self.arm = arm
    self.disarm = disarm
  }

  /// Runs `body`, in which a call fails, and returns what it throws, or nil if it succeeds all the same.
  ///
  /// What it throws although no call has failed is thrown on. It can be called once in a round.
  public func failing(_ body: () throws -> Void) throws -> (any Error)? {
    guard !hasRun else { throw SQLiteError(.misuse, "Only one call of failing in a round") }
    hasRun = true
    arm(number)
    do {
      try body()
      fault = disarm()
      return nil
    } catch {
      fault = disarm()
      guard fault != nil else { throw error }
      return error
    }
  }

  /// Runs rounds until one has no call left that could fail, and returns how many have had one.
  static func each(
    step: Int, arm: @escaping (Int) -> Void, disarm: @escaping () -> String?,
    _ body: (FaultAttempt) throws -> Void
  ) throws -> Int {
    guard step > 0 else { throw SQLiteError(.range, "A step of \(step) does not lead anywhere") }
    var count = 0
    var number = 1
    while count < 1_000_000 {
      let attempt = FaultAttempt(number, arm, disarm)
      try body(attempt)
      guard attempt.hasRun else {
        throw SQLiteError(.misuse, "The body has to call failing, in which a call then fails")
      }
      if attempt.fault == nil { return count }
      count += 1
      let next = number.addingReportingOverflow(step)
      guard !next.overflow else { return count }
      number = next.partialValue
    }
    throw SQLiteError(.misuse, "A million calls have failed, and there is no end")
  }
}
