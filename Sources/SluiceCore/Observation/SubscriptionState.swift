import Synchronization

/// The state between a source of values and a subscriber: the demand, and whether it has ended.
///
/// A source asks `begin()` whether it is its turn, gets what is wanted, hands it to `deliver(_:)` while
/// that says to go on, and then calls `pause()`. So it works once at a time, and a request from inside
/// the subscriber finds it at work.
final class SubscriptionState<Value: Sendable>: ValueSubscription {
  private struct State {
    var subscriber: (any ValueSubscriber<Value>)?
    var source: Source?
    var demand = ValueDemand.none
    var isAtWork = true

    /// Whether a value is wanted now, and by whom.
    var isWanted: Bool { subscriber != nil && demand != .none }
  }

  /// An object that is released at the end, because it may refer to the subscriber, which keeps this.
  private struct Source: Sendable {
    /// Called when values are wanted and the source is not at work.
    let resume: @Sendable (SubscriptionState) -> Void
    /// Called once, when it is over.
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

  /// Hands the subscription over, and lets the source begin.
  func start() {
    state.withLock { $0.subscriber }?.receive(subscription: self)
    pause()
  }

  func request(_ demand: ValueDemand) {
    state.withLock { $0.demand += demand }
    resumeIfWanted()
  }

  /// Calls the source if values are wanted and it is not at work.
  func resumeIfWanted() {
    let source = state.withLock { !$0.isAtWork && $0.isWanted ? $0.source : nil }
    source?.resume(self)
  }

  func cancel() {
    _ = close()
  }

  /// Whether the source may work; if so, it does from now on.
  func begin() -> Bool {
    state.withLock { state in
      guard state.isWanted, !state.isAtWork else { return false }
      state.isAtWork = true
      return true
    }
  }

  /// Whether nothing will be delivered any more.
  var isOver: Bool { state.withLock { $0.subscriber == nil } }

  /// How many values are wanted now; none when it is over.
  var wanted: Int { state.withLock { $0.subscriber == nil ? 0 : $0.demand.raw } }

  /// Hands over one value, if it is wanted; false if none is wanted any more.
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

  /// Tells of the end, unless it is over.
  func finish(_ completion: ValueCompletion) {
    guard let subscriber = close() else { return }
    subscriber.receive(completion: completion)
  }

  /// The source has done what was wanted; if more is wanted by now, it is called again.
  func pause() {
    state.withLock { $0.isAtWork = false }
    resumeIfWanted()
  }

  /// Ends it, unless it is over, and returns who is to be told.
  private func close() -> (any ValueSubscriber<Value>)? {
    let (subscriber, source) = state.withLock { ($0.subscriber.take(), $0.source.take()) }
    source?.end()
    return subscriber
  }
}
