import Synchronization

/// The state between a source of values and a subscriber: the demand, and whether the subscription has ended.
///
/// A source calls `begin()`. If the result is true, the source passes the requested values to `deliver(_:)`, as
/// long as that method returns true, and then calls `pause()`. A request from inside the subscriber therefore
/// does not start the source a second time.
///
/// The type of the values is not a parameter of the class: in code for unknown types, each use of a generic type looks up
/// the metadata of that type.
final class SubscriptionState: ValueSubscription {
  private struct State {
    var subscriber: (any ValueSubscriber)?
    /// The `Receiver` of the subscriber, until the subscription ends.
    var receiver: (any AnyObject & Sendable)?
    var source: Source?
    var demand = ValueDemand.none
    var isAtWork = true

    /// Whether the subscriber wants a value now.
    var isWanted: Bool { subscriber != nil && demand != .none }
  }

  /// Closures of the source.
  ///
  /// They are released when the subscription ends, because they may retain the subscriber, which retains the
  /// subscription.
  private struct Source: Sendable {
    /// Called when the subscriber wants values and the source is idle.
    let resume: @Sendable (SubscriptionState) -> Void
    /// Called once, when the subscription ends.
    let end: @Sendable () -> Void
  }

  private final class Receiver<Value: Sendable>: Sendable {
    let receive: @Sendable (Value) -> ValueDemand

    init(_ receive: @escaping @Sendable (Value) -> ValueDemand) { self.receive = receive }
  }

  private let state: Locked<State>

  init<Value: Sendable>(
    _ subscriber: any ValueSubscriber<Value>, end: @escaping @Sendable () -> Void = {},
    resume: @escaping @Sendable (SubscriptionState) -> Void
  ) {
    state = Locked(
      State(
        subscriber: subscriber, receiver: Receiver { subscriber.receive($0) },
        source: Source(resume: resume, end: end)))
  }

  deinit { cancel() }

  /// Passes the subscription to the subscriber, and starts the source.
  func start() {
    state.withLock { $0.subscriber }?.receive(subscription: self)
    pause()
  }

  func request(_ demand: ValueDemand) {
    state.withLock { $0.demand += demand }
    resumeIfWanted()
  }

  /// Calls the source if the subscriber wants values and the source is idle.
  func resumeIfWanted() {
    let source = state.withLock { !$0.isAtWork && $0.isWanted ? $0.source : nil }
    source?.resume(self)
  }

  func cancel() {
    _ = close()
  }

  /// Returns whether the source may start to work, and if so, marks it as working.
  func begin() -> Bool {
    state.withLock { state in
      guard state.isWanted, !state.isAtWork else { return false }
      state.isAtWork = true
      return true
    }
  }

  /// Whether the subscription has ended.
  var isOver: Bool { state.withLock { $0.subscriber == nil } }

  /// The number of values that the subscriber wants now; 0 after the end.
  var wanted: Int { state.withLock { $0.subscriber == nil ? 0 : $0.demand.raw } }

  /// Delivers a value if the subscriber wants one, and returns whether it wants another one.
  ///
  /// `Value` must be the type of the subscriber's values, which only a debug build checks. Each publisher creates its
  /// subscriptions and delivers to them with one type.
  func deliver<Value: Sendable>(_ value: Value) -> Bool {
    let receiver: (any AnyObject & Sendable)? = state.withLock { state in
      guard state.demand != .none else { return nil }
      state.demand = state.demand.afterOne
      return state.receiver
    }
    guard let receiver else { return false }
    let more = unsafe unsafeDowncast(receiver, to: Receiver<Value>.self).receive(value)
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

  /// Marks the source as idle, and calls it again if the subscriber wants more values.
  func pause() {
    state.withLock { $0.isAtWork = false }
    resumeIfWanted()
  }

  /// Ends the subscription and returns the subscriber, or nil if the subscription had already ended.
  private func close() -> (any ValueSubscriber)? {
    let (subscriber, receiver, source) = state.withLock {
      ($0.subscriber.take(), $0.receiver.take(), $0.source.take())
    }
    // The release of the subscriber may run any code, so it happens outside the lock.
    withExtendedLifetime(receiver) { source?.end() }
    return subscriber
  }
}
