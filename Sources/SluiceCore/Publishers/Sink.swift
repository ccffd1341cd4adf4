/// A subscriber that wants all, and hands it to closures.
final class Sink<Input: Sendable>: ValueSubscriber {
  private let receiveValue: @Sendable (Input) -> Void
  private let receiveCompletion: @Sendable (ValueCompletion) -> Void
  private let state = Locked(State.waiting)

  private enum State {
    case waiting
    case subscribed(any ValueSubscription)
    case ended
  }

  init(
    _ receiveCompletion: @escaping @Sendable (ValueCompletion) -> Void,
    _ receiveValue: @escaping @Sendable (Input) -> Void
  ) {
    self.receiveValue = receiveValue
    self.receiveCompletion = receiveCompletion
  }

  func receive(subscription: any ValueSubscription) {
    let isWaiting = state.withLock { state in
      guard case .waiting = state else { return false }
      state = .subscribed(subscription)
      return true
    }
    // It may come late, from another queue, when nobody wants it any more.
    if isWaiting { subscription.request(.unlimited) } else { subscription.cancel() }
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
    state.withLock { state in
      defer { state = .ended }
      guard case .subscribed(let subscription) = state else { return nil }
      return subscription
    }
  }
}
