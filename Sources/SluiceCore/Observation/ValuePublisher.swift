public import Dispatch
import Synchronization

/// Values that come over time, to whoever subscribes, as fast as they are asked for.
///
/// ```swift
/// let titles = queue.rowPublisher(sql: "SELECT title FROM event").mapRows(.column(.string))
/// let subscription = titles.sink { completion in
///   if case .failure(let error) = completion { print("It failed:", error) }
/// } receiveValue: { title in
///   print(title)
/// }
/// ```
///
/// It is what Combine calls a publisher, for wherever Combine is not, and an `AsyncSequence` as well:
///
/// ```swift
/// for try await title in titles { print(title) }
/// ```
///
/// Each subscription is one by itself, and begins anew. Values come on a thread of their own, one after
/// another, never more than were asked for, and from there the queue can be used. A sequence asks for
/// one value at a time; if its task is cancelled, it throws `CancellationError`.
public struct ValuePublisher<Output: Sendable>: Sendable {
  private let attach: @Sendable (any ValueSubscriber<Output>) -> Void

  init(_ attach: @escaping @Sendable (any ValueSubscriber<Output>) -> Void) {
    self.attach = attach
  }

  /// Ties `subscriber` to this publisher; it gets a subscription, and then what it asks that for.
  public func subscribe(_ subscriber: some ValueSubscriber<Output>) { attach(subscriber) }

  /// Calls closures with all values, and with the end, until what is returned goes or is cancelled.
  public func sink(
    receiveCompletion: @escaping @Sendable (_ completion: ValueCompletion) -> Void,
    receiveValue: @escaping @Sendable (_ value: Output) -> Void
  ) -> ValueCancellable {
    let sink = Sink(receiveCompletion, receiveValue)
    attach(sink)
    return ValueCancellable { sink.cancel() }
  }
}

extension ValuePublisher {
  /// Publishes the result of `transform` for each value; an error ends the publisher.
  public func map<T: Sendable>(
    _ transform: @escaping @Sendable (_ value: Output) throws -> T
  ) -> ValuePublisher<T> {
    ValuePublisher<T> { [attach] in attach(TryCompactMap($0) { try transform($0) }) }
  }

  /// Publishes the result of `transform` for each value, except nil; an error ends the publisher.
  public func compactMap<T: Sendable>(
    _ transform: @escaping @Sendable (_ value: Output) throws -> T?
  ) -> ValuePublisher<T> {
    ValuePublisher<T> { [attach] in attach(TryCompactMap($0, transform)) }
  }

  /// Without values that equal the one before.
  public func removeDuplicates(
    by areEqual: @escaping @Sendable (_ old: Output, _ new: Output) throws -> Bool
  ) -> ValuePublisher {
    ValuePublisher { [attach] in
      let last = LastValue<Output>()
      attach(TryCompactMap($0) { try last.differing($0, areEqual) })
    }
  }

  /// The same values, from `queue`: one after another, also if that could run several at once.
  public func receive(on queue: DispatchQueue) -> ValuePublisher {
    ValuePublisher { [attach] in attach(ReceiveOn($0, queue)) }
  }
}

extension ValuePublisher where Output: Equatable {
  /// Without values that equal the one before.
  public func removeDuplicates() -> ValuePublisher { removeDuplicates(by: ==) }
}

extension ValuePublisher: AsyncSequence {
  public typealias Element = Output

  /// Begins a subscription, which ends when the iterator goes.
  public func makeAsyncIterator() -> Iterator {
    let inbox = Inbox<Output>()
    subscribe(inbox)
    return Iterator(inbox: inbox, token: ValueCancellable { inbox.close() })
  }

  /// An iterator that awaits the values of a publisher, one by one.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let inbox: Inbox<Output>
    fileprivate let token: ValueCancellable

    /// The next value, or nil at the end.
    public mutating func next() async throws -> Output? {
      try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { inbox.next($0) }
      } onCancel: { [inbox] in
        inbox.close()
      }
    }
  }
}

/// A subscriber that a task waits for.
private final class Inbox<Value: Sendable>: ValueSubscriber {
  private struct State {
    var subscription: (any ValueSubscription)?
    var waiting: CheckedContinuation<Value?, any Error>?
    /// How it ended, until that has been told; then nil for good.
    var ending: Result<Value?, any Error>?
    var isOver = false
  }

  private let state = Locked(State())

  func next(_ continuation: CheckedContinuation<Value?, any Error>) {
    let (answer, subscription) = state.withLock {
      state -> (Result<Value?, any Error>?, (any ValueSubscription)?) in
      if state.isOver {
        defer { state.ending = nil }
        return (state.ending ?? .success(nil), nil)
      }
      guard state.waiting == nil else {
        return (
          .failure(
            SQLiteError(
              .misuse, "The iterator is already waiting for a value; only one task can iterate")),
          nil
        )
      }
      state.waiting = continuation
      return (nil, state.subscription)
    }
    if let answer { continuation.resume(with: answer) }
    subscription?.request(.max(1))
  }

  func receive(subscription: any ValueSubscription) {
    // A subscription can come later than the first that waits.
    let (isOver, isWanted) = state.withLock { state in
      if !state.isOver { state.subscription = subscription }
      return (state.isOver, state.waiting != nil)
    }
    if isOver { subscription.cancel() }
    if isWanted { subscription.request(.max(1)) }
  }

  func receive(_ value: Value) -> ValueDemand {
    state.withLock { $0.waiting.take() }?.resume(returning: value)
    return .none
  }

  func receive(completion: ValueCompletion) {
    switch completion {
    case .finished: end(.success(nil))
    case .failure(let error): end(.failure(error))
    }
  }

  /// Ends the subscription, because the iterator has gone or its task was cancelled.
  func close() { end(.failure(CancellationError()))?.cancel() }

  @discardableResult
  private func end(_ ending: Result<Value?, any Error>) -> (any ValueSubscription)? {
    let (waiting, subscription) = state.withLock {
      state -> (CheckedContinuation<Value?, any Error>?, (any ValueSubscription)?) in
      guard !state.isOver else { return (nil, nil) }
      state.isOver = true
      if state.waiting == nil { state.ending = ending }
      return (state.waiting.take(), state.subscription.take())
    }
    waiting?.resume(with: ending)
    return subscription
  }
}

/// A subscriber that wants all, and hands it to closures.
final class Sink<Input: Sendable>: ValueSubscriber {
  private let receiveValue: @Sendable (Input) -> Void
  private let receiveCompletion: @Sendable (ValueCompletion) -> Void
  private let state = Locked(State())

  private struct State {
    var subscription: (any ValueSubscription)?
    var isOver = false
  }

  init(
    _ receiveCompletion: @escaping @Sendable (ValueCompletion) -> Void,
    _ receiveValue: @escaping @Sendable (Input) -> Void
  ) {
    self.receiveValue = receiveValue
    self.receiveCompletion = receiveCompletion
  }

  func receive(subscription: any ValueSubscription) {
    // The subscription can arrive on another thread, after a cancellation.
    let isOver = state.withLock { state in
      if !state.isOver { state.subscription = subscription }
      return state.isOver
    }
    if isOver { subscription.cancel() } else { subscription.request(.unlimited) }
  }

  func receive(_ value: Input) -> ValueDemand {
    receiveValue(value)
    return .none
  }

  func receive(completion: ValueCompletion) {
    _ = end()
    receiveCompletion(completion)
  }

  func cancel() { end()?.cancel() }

  private func end() -> (any ValueSubscription)? {
    state.withLock { state in
      state.isOver = true
      return state.subscription.take()
    }
  }
}

/// Ends a subscription when it is cancelled, and when nothing refers to it any more.
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
