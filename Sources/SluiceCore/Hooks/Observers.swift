import Synchronization

/// A closure that is told of events, and may have to answer.
final class Observer<Event: ~Copyable, Answer>: AnyBox {
  let token: HookToken
  /// What the observer has asked for, in the terms of its hook.
  let wish: Int
  /// What the hook remembers of the observer from one event to the next.
  var progress = 0
  private let body: (borrowing Event) throws -> Answer

  init(
    _ state: ConnectionState, _ token: HookToken, wish: Int,
    _ body: @escaping (borrowing Event) throws -> Answer
  ) {
    self.token = token
    self.wish = wish
    self.body = body
    super.init(state)
  }

  func tell(_ event: borrowing Event) throws -> Answer { try body(event) }
}

/// Those who share a hook, in the order in which they came.
struct Observers<Event: ~Copyable, Answer> {
  private(set) var all: [Observer<Event, Answer>] = []

  var isEmpty: Bool { all.isEmpty }

  mutating func add(_ observer: Observer<Event, Answer>) { all.append(observer) }

  /// Takes out those who have been cancelled.
  mutating func removeCancelled() -> [AnyBox] {
    let gone = all.filter(\.token.isCancelled)
    all.removeAll(where: \.token.isCancelled)
    return gone
  }

  /// Tells all, until one throws.
  ///
  /// They go on from the list as it is now: what is added meanwhile hears of the next event.
  func tell(_ event: borrowing Event) throws where Answer == Void {
    for observer in all where !observer.token.isCancelled { try observer.tell(event) }
  }
}

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
