import Dispatch

/// A subscriber that forwards all events on a dispatch queue.
final class ReceiveOn<Input: Sendable>: ValueSubscriber, ValueSubscription {
  private let downstream: Locked<(any ValueSubscriber<Input>)?>
  private let upstream = Locked<(any ValueSubscription)?>(nil)
  /// A serial queue, which preserves the order even if its target queue is concurrent.
  private let queue: DispatchQueue

  init(_ downstream: any ValueSubscriber<Input>, _ target: DispatchQueue) {
    self.downstream = Locked(downstream)
    queue = DispatchQueue(label: "sluice.publisher", target: target)
  }

  func receive(subscription: any ValueSubscription) {
    upstream.withLock { $0 = subscription }
    queue.async { [self] in receiver?.receive(subscription: self) }
  }

  func receive(_ value: Input) -> ValueDemand {
    queue.async { [self] in
      guard let more = receiver?.receive(value), more != .none else { return }
      request(more)
    }
    return .none
  }

  func receive(completion: ValueCompletion) {
    queue.async { [self] in
      let receiver = takeReceiver()
      upstream.withLock { $0 = nil }
      receiver?.receive(completion: completion)
    }
  }

  func request(_ demand: ValueDemand) { upstream.withLock { $0 }?.request(demand) }

  func cancel() {
    _ = takeReceiver()
    upstream.withLock { $0.take() }?.cancel()
  }

  private var receiver: (any ValueSubscriber<Input>)? { downstream.withLock { $0 } }

  private func takeReceiver() -> (any ValueSubscriber<Input>)? { downstream.withLock { $0.take() } }
}
