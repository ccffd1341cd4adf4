/// The treatment of pending work when a queue or pool closes.
public enum CloseMode: Hashable, Sendable, CaseIterable {
  /// Work that was called before runs first.
  case drain
  /// Running work is interrupted and rolled back, and throws ``ResultCode/interrupt``. Work that has not begun
  /// never runs, and throws ``ResultCode/misuse``.
  case interrupt
}
