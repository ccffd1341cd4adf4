import Synchronization

/// What ends an observation, such as one that ``Connection/onCommit(_:)`` has begun.
///
/// ```swift
/// let token = try connection.onRollback { pending.removeAll() }
/// token.cancel()
/// ```
///
/// Nobody needs to keep it: without it, the observation ends with the connection.
public final class HookToken: Sendable {
  private let isOver = Atomic(false)
  private let flag: CancellationFlag

  init(_ flag: CancellationFlag) { self.flag = flag }

  /// Ends the observation: from now on, its closure is not called any more.
  ///
  /// It can be called by any thread, also by the closure itself, and more than once. The closure is
  /// released by those who use the connection, with their next statement, or when it closes.
  public func cancel() {
    isOver.store(true, ordering: .releasing)
    flag.isSet.store(true, ordering: .releasing)
  }

  /// Whether ``cancel()`` has been called.
  public var isCancelled: Bool { isOver.load(ordering: .acquiring) }
}

/// Tells a connection that some of its observers have been cancelled.
final class CancellationFlag: Sendable {
  let isSet = Atomic(false)
}
