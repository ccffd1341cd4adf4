/// A subscriber that wants all, and hands it to closures.
final class Sink<Input: Sendable>: ValueSubscriber {
  private let receiveValue: @Sendable (Input) -> Void
  private let receiveCompletion: @Sendable (ValueCompletion) -> Void
  private let subscription = Locked<(any ValueSubscription)?>(nil)

  init(
    _ receiveCompletion: @escaping @Sendable (ValueCompletion) -> Void,
    _ receiveValue: @escaping @Sendable (Input) -> Void
  ) {
    self.receiveValue = receiveValue
    self.receiveCompletion = receiveCompletion
  }

  func receive(subscription: any ValueSubscription) {
    self.subscription.withLock { $0 = subscription }
    subscription.request(.unlimited)
  }

  func receive(_ value: Input) -> Demand {
    receiveValue(value)
    return .none
  }

  func receive(completion: ValueCompletion) {
    _ = takeSubscription()
    receiveCompletion(completion)
  }

  func cancel() { takeSubscription()?.cancel() }

  private func takeSubscription() -> (any ValueSubscription)? {
    subscription.withLock { $0.take() }
  }
}
