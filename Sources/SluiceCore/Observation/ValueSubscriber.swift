/// A receiver of values, which says how many it wants.
///
/// It is called from one thread at a time: first with its subscription, then with as many values as
/// it has asked for at the most, and last with the end, unless it has cancelled.
public protocol ValueSubscriber<Input>: Sendable {
  /// The type of the values.
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

/// How many values a subscriber wants.
///
/// What is asked for adds up, and each value that is delivered takes one off.
public struct ValueDemand: Hashable, Sendable {
  /// How many values; nil for any number.
  public var count: Int? { raw == .max ? nil : raw }

  /// No value for now.
  public static var none: ValueDemand { ValueDemand(raw: 0) }
  /// All values that there will ever be.
  public static var unlimited: ValueDemand { ValueDemand(raw: .max) }
  /// This many values; less than none is none.
  public static func max(_ count: Int) -> ValueDemand { ValueDemand(raw: Swift.max(0, count)) }

  /// Both together.
  public static func + (left: ValueDemand, right: ValueDemand) -> ValueDemand {
    let (sum, isTooMuch) = left.raw.addingReportingOverflow(right.raw)
    return isTooMuch ? .unlimited : ValueDemand(raw: sum)
  }

  /// Both together, in the place of the first.
  public static func += (left: inout ValueDemand, right: ValueDemand) { left = left + right }

  /// The demand that is left after one value.
  var afterOne: ValueDemand { raw == .max || raw == 0 ? self : ValueDemand(raw: raw - 1) }

  /// How many values are wanted, where any number is the highest.
  let raw: Int
}
