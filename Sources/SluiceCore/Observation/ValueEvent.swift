/// An event between a publisher and a subscriber; see ``ValuePublisher/handleEvents(_:)``.
public enum ValueEvent<Output: Sendable>: Sendable {
  /// The subscriber receives its subscription.
  case subscription
  /// The subscriber requests values.
  case request(ValueDemand)
  /// The subscriber receives a value.
  case value(Output)
  /// The subscriber receives the completion.
  case completion(ValueCompletion)
  /// The subscriber ends the subscription.
  case cancel
}

extension ValuePublisher {
  /// Returns a publisher that calls a closure before each event, to find out what a publisher does.
  ///
  /// ```swift
  /// let titles = queue.observe(.column(.string), "SELECT title FROM event").handleEvents {
  ///   print($0)
  /// }
  /// ```
  ///
  /// The closure is called on the thread of the event: requests and the cancellation arrive on the thread of the
  /// subscriber, even while another thread delivers a value. It receives the events of all subscriptions.
  public func handleEvents(
    _ body: @escaping @Sendable (_ event: ValueEvent<Output>) -> Void
  ) -> ValuePublisher {
    ValuePublisher(
      { subscriber in subscribe(EventRelay(subscriber, body)) }, refusingToBlock: refuseToBlock)
  }
}

/// A subscriber that reports all events before it forwards them.
private final class EventRelay<Input: Sendable>: ValueSubscriber, ValueSubscription {
  private let downstream: any ValueSubscriber<Input>
  private let upstream = Locked<(any ValueSubscription)?>(nil)
  private let tell: @Sendable (ValueEvent<Input>) -> Void

  init(
    _ downstream: any ValueSubscriber<Input>,
    _ tell: @escaping @Sendable (ValueEvent<Input>) -> Void
  ) {
    self.downstream = downstream
    self.tell = tell
  }

  func receive(subscription: any ValueSubscription) {
    upstream.withLock { $0 = subscription }
    tell(.subscription)
    downstream.receive(subscription: self)
  }

  func receive(_ value: Input) -> ValueDemand {
    tell(.value(value))
    let more = downstream.receive(value)
    if more != .none { tell(.request(more)) }
    return more
  }

  func receive(completion: ValueCompletion) {
    upstream.withLock { $0 = nil }
    tell(.completion(completion))
    downstream.receive(completion: completion)
  }

  func request(_ demand: ValueDemand) {
    guard let upstream = upstream.withLock(\.self) else { return }
    tell(.request(demand))
    upstream.request(demand)
  }

  func cancel() {
    guard let upstream = upstream.withLock({ $0.take() }) else { return }
    tell(.cancel)
    upstream.cancel()
  }
}
