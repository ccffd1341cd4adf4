import Dispatch
import SluiceCore

/// A subscriber that holds a publisher's next value until the main actor takes it.
///
/// There is never more than one value on its way, so the values stay in order, and a busy main actor receives only
/// recent ones.
final class LiveFeed<Value: Sendable>: ValueSubscriber {
  private struct State {
    var subscription: (any ValueSubscription)?
    /// The closure that tells the main actor about an event; nil before the start and after the end.
    var notify: (@Sendable () -> Void)?
    var value: Value?
    var completion: ValueCompletion?
    /// The last value that was received, to recognize a value that equals it.
    var last: Value?
    var isCancelled = false
  }

  private let state = Locked(State())
  /// The comparison of two values; nil if they are not equatable.
  private let areEqual: (@Sendable (Value, Value) -> Bool)? = equality(of: Value.self)
  /// The number of events that `wait` has not seen.
  private let events = DispatchSemaphore(value: 0)

  func start(_ publisher: ValuePublisher<Value>, notify: @escaping @Sendable () -> Void) {
    state.withLock { $0.notify = notify }
    publisher.subscribe(self)
  }

  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  func takeValue() -> Value? { state.withLock { $0.value.take() } }

  /// Returns the completion, unless a value before it was not taken yet.
  func takeCompletion() -> ValueCompletion? {
    state.withLock { $0.value == nil ? $0.completion.take() : nil }
  }

  /// Requests the next value.
  func request() { state.withLock { $0.subscription }?.request(.max(1)) }

  /// Blocks the thread until there is an event.
  func wait() { events.wait() }

  /// Ends the subscription, and drops a value that was not taken.
  func cancel() {
    let old = state.withLock { state in
      defer { state = State(isCancelled: true) }
      return state
    }
    old.subscription?.cancel()
    events.signal()
  }

  func receive(subscription: any ValueSubscription) {
    let isCancelled = state.withLock { state in
      if !state.isCancelled { state.subscription = subscription }
      return state.isCancelled
    }
    if isCancelled { subscription.cancel() } else { subscription.request(.max(1)) }
  }

  func receive(_ value: Value) -> ValueDemand {
    // Values arrive one after another, so `last` stays the same while it is compared.
    if let areEqual, let last = state.withLock({ $0.last }), areEqual(last, value) {
      return .max(1)
    }
    tell { state in
      state.last = value
      state.value = value
    }
    return .none
  }

  func receive(completion: ValueCompletion) {
    tell { state in
      state.completion = completion
      state.subscription = nil
    }
  }

  private func tell(_ change: (inout State) -> Void) {
    let notify = state.withLock { state -> (@Sendable () -> Void)? in
      guard !state.isCancelled else { return nil }
      change(&state)
      return state.notify
    }
    notify?()
    events.signal()
  }
}

/// Returns the comparison of two values; nil if they are not equatable.
private func equality<Value>(of type: Value.Type) -> (@Sendable (Value, Value) -> Bool)? {
  func comparison<T: Equatable & SendableMetatype>(
    _ type: T.Type
  ) -> @Sendable (Value, Value) -> Bool {
    { first, second in first as? T == second as? T }
  }
  guard let type = type as? any (Equatable & SendableMetatype).Type else { return nil }
  return comparison(type)
}
