import Dispatch
import SluiceCore

/// A subscriber that holds a publisher's latest value until the main actor takes it.
///
/// At most one value waits, so the values are in order, and a busy main actor receives only recent ones.
final class LiveFeed<Value: Sendable>: ValueSubscriber {
  /// A value, as an object that the state of a feed can contain.
  final class Received: Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
  }

  private let state = Locked(FeedState())
  /// The comparison of two values; nil if they are not equatable.
  private let areEqual: (@Sendable (Value, Value) -> Bool)? = equality(of: Value.self)
  /// The number of events that `wait` has not seen.
  private let events = DispatchSemaphore(value: 0)

  func start(_ publisher: ValuePublisher<Value>, notify: @escaping @Sendable () -> Void) {
    state.withLock { state in
      state.notify = notify
      state.refuseToBlock = publisher.refuseToBlock
    }
    publisher.subscribe(self)
  }

  /// Returns the value and the completion that have arrived.
  func take() -> (value: Received?, completion: ValueCompletion?) {
    let (value, completion, idle) = state.withLock { $0.take() }
    idle?.request(.max(1))
    return (value as? Received, completion)
  }

  /// Whether the values are known to be equal.
  func isEqual(_ first: Value, _ second: Value) -> Bool { areEqual?(first, second) ?? false }

  /// Throws if there can be no event while the main thread is blocked.
  func refuseToBlock() throws { try state.withLock { $0.refuseToBlock }?() }

  /// Blocks the thread until there is an event.
  func wait() { events.wait() }

  /// Ends the subscription, and drops a value that was not taken.
  func cancel() {
    let old = state.withLock { state in
      defer { state = FeedState(isCancelled: true) }
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
    // Values arrive one after another, so `last` does not change while it is compared.
    if let areEqual, let last = state.withLock({ $0.last }) as? Received,
      areEqual(last.value, value)
    {
      return .max(1)
    }
    let received = Received(value)
    var isFull = false
    tell { state in
      state.isFull = state.value != nil
      isFull = state.isFull
      if areEqual != nil { state.last = received }
      state.value = received
    }
    return isFull ? .none : .max(1)
  }

  func receive(completion: ValueCompletion) {
    tell { state in
      state.completion = completion
      state.subscription = nil
    }
  }

  private func tell(_ change: (inout FeedState) -> Void) {
    let notify = state.withLock { state -> (@Sendable () -> Void)? in
      guard !state.isCancelled else { return nil }
      // The main actor has been told about an event that it has not taken, and takes this one with it.
      let isTold = state.value != nil
      change(&state)
      return isTold ? nil : state.notify
    }
    notify?()
    events.signal()
  }
}

/// The state of a feed, which is not generic: the layout of a generic structure would be looked up at each access.
private struct FeedState {
  var subscription: (any ValueSubscription)?
  /// The closure that tells the main actor about an event; nil before the start and after the end.
  var notify: (@Sendable () -> Void)?
  /// The publisher's check whether a thread can wait for an event; nil before the start and after the end.
  var refuseToBlock: (@Sendable () throws -> Void)?
  var value: (any AnyObject & Sendable)?
  var completion: ValueCompletion?
  /// The last value that was received, to recognize a value that equals it.
  var last: (any AnyObject & Sendable)?
  /// Whether no value was requested, because two arrived before the main actor took the first.
  var isFull = false
  var isCancelled = false

  /// Removes the events, and returns them with the subscription if a value must be requested.
  mutating func take() -> (
    value: (any AnyObject & Sendable)?, completion: ValueCompletion?,
    idle: (any ValueSubscription)?
  ) {
    let events = (value, completion, isFull ? subscription : nil)
    (value, completion, isFull) = (nil, nil, false)
    return events
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
