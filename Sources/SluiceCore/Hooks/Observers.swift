import Synchronization

/// An observer that can be cancelled.
class AnyObserver: AnyBox {
  let token: HookToken

  init(_ state: ConnectionState, _ token: HookToken) {
    self.token = token
    super.init(state)
  }
}

/// A closure that a hook calls for each event, and that may return an answer.
class Observer<Event: ~Copyable, Answer>: AnyObserver {
  private let body: (borrowing Event) throws -> Answer

  init(
    _ state: ConnectionState, _ token: HookToken,
    _ body: @escaping (borrowing Event) throws -> Answer
  ) {
    self.body = body
    super.init(state, token)
  }

  func tell(_ event: borrowing Event) throws -> Answer { try body(event) }
}

/// The observers that share a hook, in the order in which they were added.
struct Observers<Member: AnyObserver> {
  private(set) var all: [Member] = []

  var isEmpty: Bool { all.isEmpty }

  mutating func add(_ observer: Member) { all.append(observer) }

  /// Removes and returns the cancelled observers.
  mutating func removeCancelled() -> [AnyBox] {
    let gone = all.filter(\.token.isCancelled)
    all.removeAll(where: \.token.isCancelled)
    return gone
  }

  /// Calls each observer, until one throws.
  ///
  /// An observer that another observer adds during the call is first called for the next event.
  func tell<Event: ~Copyable>(_ event: borrowing Event) throws
  where Member == Observer<Event, Void> {
    for observer in all where !observer.token.isCancelled { try observer.tell(event) }
  }
}

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
