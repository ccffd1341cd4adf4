extension ValuePublisher: AsyncSequence {
  public typealias Element = Output

  /// Begins a subscription, which ends when the iterator goes.
  public func makeAsyncIterator() -> Iterator {
    let inbox = Inbox<Output>()
    subscribe(inbox)
    return Iterator(inbox: inbox, token: ValueCancellable { inbox.close() })
  }

  /// What awaits the values of a publisher, one by one.
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
        return (.failure(SQLiteError(.misuse, "The iterator is waiting for a value already")), nil)
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
