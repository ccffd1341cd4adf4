import Synchronization

/// What ends a subscription: when it is told to, and when nothing refers to it any more.
public final class ValueCancellable: Sendable {
  private let end: Locked<(@Sendable () -> Void)?>

  init(_ end: @escaping @Sendable () -> Void) { self.end = Locked(end) }

  deinit { cancel() }

  /// Ends the subscription; nothing more is delivered.
  ///
  /// It can be called by any thread, and more than once.
  public func cancel() {
    let end = end.withLock { $0.take() }
    end?()
  }
}
