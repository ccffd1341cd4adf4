/// What becomes of the work that a queue or pool still has when it closes.
public enum Shutdown: Hashable, Sendable, CaseIterable {
  /// What was called before is done first.
  case drain
  /// What runs is interrupted and rolled back, and throws ``ResultCode/interrupt``; what has not begun never
  /// runs, and throws ``ResultCode/misuse``.
  case interrupt
}
