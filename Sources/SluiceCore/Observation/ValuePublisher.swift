public import Dispatch
import Synchronization

/// A publisher of values over time, which delivers values as subscribers request them.
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
/// This type corresponds to a Combine publisher, is available on platforms without Combine, and is also an
/// `AsyncSequence`:
///
/// ```swift
/// for try await title in titles { print(title) }
/// ```
///
/// Subscriptions are independent of each other, and each starts from the beginning. Values arrive on a separate
/// thread, one after another, and never more than were requested. A subscriber can use the queue or pool on that
/// thread. Iteration with `for try await` requests one value at a time. If the task that iterates is cancelled, the
/// sequence throws `CancellationError`.
public struct ValuePublisher<Output: Sendable>: Sendable {
  private let attach: @Sendable (any ValueSubscriber<Output>) -> Void
  /// Throws if no value can arrive while the calling thread, which is the main thread, waits for one.
  package let refuseToBlock: @Sendable () throws -> Void

  init(
    _ attach: @escaping @Sendable (any ValueSubscriber<Output>) -> Void,
    refusingToBlock refuseToBlock: @escaping @Sendable () throws -> Void = {}
  ) {
    self.attach = attach
    self.refuseToBlock = refuseToBlock
  }

  /// Returns the same publisher, for which a thread cannot wait while it uses a connection of `access`.
  func waiting(for access: DatabaseAccess) -> ValuePublisher {
    ValuePublisher(attach, refusingToBlock: { try access.refuseNested() })
  }

  /// Attaches a subscriber, which receives a subscription, and then the values that it requests.
  public func subscribe(_ subscriber: some ValueSubscriber<Output>) { attach(subscriber) }

  /// Calls the closures with all values, and with the completion.
  ///
  /// - Returns: A token that ends the subscription when it is cancelled or deallocated.
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
  /// Returns a publisher of the result of `transform` for each value; an error ends the publisher.
  public func map<T: Sendable>(
    _ transform: @escaping @Sendable (_ value: Output) throws -> T
  ) -> ValuePublisher<T> {
    ValuePublisher<T>(
      { [attach] in attach(TryCompactMap($0) { try transform($0) }) },
      refusingToBlock: refuseToBlock)
  }

  /// Returns a publisher of the results of `transform` that are not nil; an error ends the publisher.
  public func compactMap<T: Sendable>(
    _ transform: @escaping @Sendable (_ value: Output) throws -> T?
  ) -> ValuePublisher<T> {
    ValuePublisher<T>(
      { [attach] in attach(TryCompactMap($0, transform)) }, refusingToBlock: refuseToBlock)
  }

  /// Returns a publisher of the values that do not equal the previous one.
  public func removeDuplicates(
    by areEqual: @escaping @Sendable (_ old: Output, _ new: Output) throws -> Bool
  ) -> ValuePublisher {
    ValuePublisher(
      { [attach] in
        let last = LastValue<Output>()
        attach(TryCompactMap($0) { try last.differing($0, areEqual) })
      }, refusingToBlock: refuseToBlock)
  }

  /// Returns a publisher that delivers the same values on a dispatch queue.
  ///
  /// The values arrive one after another, even if the queue is concurrent.
  public func receive(on queue: DispatchQueue) -> ValuePublisher {
    ValuePublisher(
      { [attach] in attach(ReceiveOn($0, queue)) },
      refusingToBlock: { [refuseToBlock] in
        try refuseToBlock()
        // On Linux, each use of `main` returns another object for the same queue.
        guard queue.label != DispatchQueue.main.label else {
          throw SQLiteError(
            .misuse,
            "The publisher delivers on the main queue, which cannot run while it is blocked")
        }
      })
  }
}

extension ValuePublisher where Output: Equatable {
  /// Returns a publisher of the values that do not equal the previous one.
  public func removeDuplicates() -> ValuePublisher { removeDuplicates(by: ==) }
}

extension ValuePublisher: AsyncSequence {
  public typealias Element = Output

  /// Starts a subscription, which ends when the iterator is released.
  public func makeAsyncIterator() -> Iterator {
    let inbox = Inbox<Output>()
    subscribe(inbox)
    return Iterator(inbox: inbox, token: ValueCancellable { inbox.close() })
  }

  /// An iterator that awaits a publisher's values one by one.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let inbox: Inbox<Output>
    fileprivate let token: ValueCancellable

    /// Returns the next value, or nil at the end.
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
    /// The end of the subscription, until the iterator has reported it; nil from then on.
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
    // The subscription can arrive after the first call of `next(_:)`.
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

  /// Ends the subscription, because the iterator was released or its task was cancelled.
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

/// A subscriber that requests all values, and passes them to closures.
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
    // The subscription can arrive on another thread, after it was cancelled.
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

/// A token that ends a subscription when it is cancelled or deallocated.
public final class ValueCancellable: Sendable {
  private let end: Locked<(@Sendable () -> Void)?>

  init(_ end: @escaping @Sendable () -> Void) { self.end = Locked(end) }

  deinit { cancel() }

  /// Ends the subscription; no more values are delivered.
  ///
  /// This method can be called on any thread, any number of times.
  public func cancel() {
    let end = end.withLock { $0.take() }
    end?()
  }
}
