/// A subscriber that forwards the result of a closure for each value, unless the result is nil.
final class TryCompactMap<Input: Sendable, Output: Sendable>: ValueSubscriber {
  private let downstream: any ValueSubscriber<Output>
  /// The closure that transforms a value; returns nil to drop the value.
  private let transform: @Sendable (Input) throws -> Output?
  private let subscription = Locked<(any ValueSubscription)?>(nil)

  init(
    _ downstream: any ValueSubscriber<Output>,
    _ transform: @escaping @Sendable (Input) throws -> Output?
  ) {
    self.downstream = downstream
    self.transform = transform
  }

  func receive(subscription: any ValueSubscription) {
    self.subscription.withLock { $0 = subscription }
    downstream.receive(subscription: subscription)
  }

  func receive(_ value: Input) -> ValueDemand {
    do {
      // For a dropped value, request another one.
      guard let output = try transform(value) else { return .max(1) }
      return downstream.receive(output)
    } catch {
      takeSubscription()?.cancel()
      downstream.receive(completion: .failure(error))
      return .none
    }
  }

  func receive(completion: ValueCompletion) {
    _ = takeSubscription()
    downstream.receive(completion: completion)
  }

  private func takeSubscription() -> (any ValueSubscription)? {
    subscription.withLock { $0.take() }
  }
}

/// Storage for the previous value, to drop values that equal it.
final class LastValue<Value: Sendable>: Sendable {
  private let last = Locked<Value?>(nil)

  /// Returns the value, or nil if it equals the previous one.
  func differing(
    _ value: Value, _ areEqual: @Sendable (Value, Value) throws -> Bool
  ) rethrows -> Value? {
    if let old = last.withLock({ $0 }), try areEqual(old, value) { return nil }
    last.withLock { $0 = value }
    return value
  }
}
