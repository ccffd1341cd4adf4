import Synchronization

/// A token that ends an observation, such as one that ``Connection/onCommit(_:)`` has begun.
///
/// ```swift
/// let token = try connection.onRollback { pending.removeAll() }
/// token.cancel()
/// ```
///
/// You need not keep the token: if nothing cancels it, the observation ends when the connection closes.
public final class HookToken: Sendable {
  private let isOver = Atomic(false)
  private let flag: CancellationFlag

  init(_ flag: CancellationFlag) { self.flag = flag }

  /// Ends the observation, so that its closure is no longer called.
  ///
  /// You can call this method on any thread, in the closure itself, and more than once. The closure is released on
  /// the thread that uses the connection, when the connection's next statement begins or the connection closes.
  public func cancel() {
    isOver.store(true, ordering: .releasing)
    flag.isSet.store(true, ordering: .releasing)
  }

  /// Whether ``cancel()`` has been called.
  public var isCancelled: Bool { isOver.load(ordering: .acquiring) }
}

/// A flag that is set when some of a connection's observers have been cancelled.
final class CancellationFlag: Sendable {
  let isSet = Atomic(false)
}
