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
