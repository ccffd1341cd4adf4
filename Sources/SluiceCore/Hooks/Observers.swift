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
