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
    // It can come from another thread, after a cancel.
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
