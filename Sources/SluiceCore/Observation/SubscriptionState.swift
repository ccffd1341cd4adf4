import Synchronization

/// The state between a source of values and a subscriber: the demand, and whether it has ended.
///
/// A source calls `begin()` to ask whether it may work, gets the requested values, passes them to `deliver(_:)`
/// as long as that method returns true, and then calls `pause()`. So a source works once at a time: a request
/// from inside the subscriber finds the source at work.
final class SubscriptionState<Value: Sendable>: ValueSubscription {
  private struct State {
    var subscriber: (any ValueSubscriber<Value>)?
    var source: Source?
    var demand = ValueDemand.none
    var isAtWork = true

    /// Whether a subscriber wants a value now.
    var isWanted: Bool { subscriber != nil && demand != .none }
  }

  /// The closures of a source.
  ///
  /// They are released at the end, because they may refer to the subscriber, which retains the subscription.
  private struct Source: Sendable {
    /// Called when values are wanted and the source is not at work.
    let resume: @Sendable (SubscriptionState) -> Void
    /// Called once, when the subscription ends.
    let end: @Sendable () -> Void
  }

  private let state: Locked<State>

  init(
    _ subscriber: any ValueSubscriber<Value>, end: @escaping @Sendable () -> Void = {},
    resume: @escaping @Sendable (SubscriptionState) -> Void
  ) {
    state = Locked(State(subscriber: subscriber, source: Source(resume: resume, end: end)))
  }

  deinit { cancel() }

  /// Passes the subscription to the subscriber, and lets the source begin.
  func start() {
    state.withLock { $0.subscriber }?.receive(subscription: self)
    pause()
  }

  func request(_ demand: ValueDemand) {
    state.withLock { $0.demand += demand }
    resumeIfWanted()
  }

  /// Calls the source if values are wanted and the source is not at work.
  func resumeIfWanted() {
    let source = state.withLock { !$0.isAtWork && $0.isWanted ? $0.source : nil }
    source?.resume(self)
  }

  func cancel() {
    _ = close()
  }

  /// Returns whether the source may work, and if so marks it as at work.
  func begin() -> Bool {
    state.withLock { state in
      guard state.isWanted, !state.isAtWork else { return false }
      state.isAtWork = true
      return true
    }
  }

  /// Whether nothing more will be delivered.
  var isOver: Bool { state.withLock { $0.subscriber == nil } }

  /// The number of values that are wanted now; 0 after the end.
  var wanted: Int { state.withLock { $0.subscriber == nil ? 0 : $0.demand.raw } }

  /// Delivers a value if one is wanted, and returns whether another one is wanted.
  func deliver(_ value: Value) -> Bool {
    let subscriber: (any ValueSubscriber<Value>)? = state.withLock { state in
      guard state.demand != .none else { return nil }
      state.demand = state.demand.afterOne
      return state.subscriber
    }
    guard let subscriber else { return false }
    let more = subscriber.receive(value)
    return state.withLock { state in
      state.demand += more
      return state.isWanted
    }
  }

  /// Delivers the completion, unless the subscription has ended.
  func finish(_ completion: ValueCompletion) {
    guard let subscriber = close() else { return }
    subscriber.receive(completion: completion)
  }

  /// Marks the source as no longer at work, and calls it again if more values are wanted by now.
  func pause() {
    state.withLock { $0.isAtWork = false }
    resumeIfWanted()
  }

  /// Ends the subscription and returns the subscriber, or nil if the subscription had ended before.
  private func close() -> (any ValueSubscriber<Value>)? {
    let (subscriber, source) = state.withLock { ($0.subscriber.take(), $0.source.take()) }
    source?.end()
    return subscriber
  }
}
