/// What wants values, and says how many.
///
/// It is called from one thread at a time: first with its subscription, then with as many values as
/// it has asked for at the most, and last with the end, unless it has cancelled.
public protocol ValueSubscriber<Input>: Sendable {
  /// What it takes.
  associatedtype Input: Sendable

  /// Gets the subscription, which it asks for values, now or later.
  func receive(subscription: any ValueSubscription)
  /// Gets a value, and says how many it wants in addition to those that it has asked for.
  func receive(_ value: Input) -> ValueDemand
  /// Is told that no more values come, and why.
  func receive(completion: ValueCompletion)
}

/// The tie between a publisher and a subscriber.
///
/// It keeps the subscriber, and the queue that publishes, until it is over. The subscriber keeps it: one that
/// lets go of it has ended it.
///
/// Any thread may use it, also from inside the subscriber, which is not called again in the midst of
/// a call.
public protocol ValueSubscription: AnyObject, Sendable {
  /// Asks for more values, in addition to those that were asked for before.
  func request(_ demand: ValueDemand)
  /// Ends the subscription: what it holds is let go of, and nothing more is delivered.
  func cancel()
}

/// Why no more values come.
public enum ValueCompletion: Sendable {
  /// There are no more.
  case finished
  /// Something went wrong.
  case failure(any Error)
}
