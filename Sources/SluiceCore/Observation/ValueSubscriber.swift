/// A receiver of values that controls how many values it receives.
///
/// A subscriber is called on one thread at a time. It first receives its subscription, and then at most as many
/// values as it has requested. Last, it receives the completion, unless it has cancelled.
public protocol ValueSubscriber<Input>: Sendable {
  /// The type of the values.
  associatedtype Input: Sendable

  /// Receives the subscription, which the subscriber uses to request values, now or later.
  func receive(subscription: any ValueSubscription)
  /// Receives a value, and returns the number of additional values to request.
  func receive(_ value: Input) -> ValueDemand
  /// Receives the completion, which contains the reason why no more values arrive.
  func receive(completion: ValueCompletion)
}

/// The subscription of a subscriber to a publisher.
///
/// Until a subscription ends, it retains the subscriber and the publishing queue. The subscriber retains the
/// subscription; when the subscriber releases it, the subscription ends.
///
/// Any thread may use a subscription, even while the subscriber handles a call. Until the subscriber returns, it
/// receives no other call.
public protocol ValueSubscription: AnyObject, Sendable {
  /// Requests this many values in addition to earlier requests.
  func request(_ demand: ValueDemand)
  /// Ends the subscription. It releases the objects that it retains, and delivers no more values.
  func cancel()
}

/// The reason why no more values arrive.
public enum ValueCompletion: Sendable {
  /// There are no more values.
  case finished
  /// An error has occurred.
  case failure(any Error)
}

/// The number of values that a subscriber requests.
///
/// Requests add up, and each delivered value reduces the demand by one.
public struct ValueDemand: Hashable, Sendable {
  /// The number of values; nil for any number.
  public var count: Int? { raw == .max ? nil : raw }

  /// A demand for no value.
  public static var none: ValueDemand { ValueDemand(raw: 0) }
  /// A demand for all values.
  public static var unlimited: ValueDemand { ValueDemand(raw: .max) }
  /// Returns a demand for this many values; a negative number counts as 0.
  public static func max(_ count: Int) -> ValueDemand { ValueDemand(raw: Swift.max(0, count)) }

  /// Returns the sum of two demands.
  public static func + (left: ValueDemand, right: ValueDemand) -> ValueDemand {
    let (sum, isTooMuch) = left.raw.addingReportingOverflow(right.raw)
    return isTooMuch ? .unlimited : ValueDemand(raw: sum)
  }

  /// Adds the second demand to the first.
  public static func += (left: inout ValueDemand, right: ValueDemand) { left = left + right }

  /// The demand that is left after the delivery of one value.
  var afterOne: ValueDemand { raw == .max || raw == 0 ? self : ValueDemand(raw: raw - 1) }

  /// The number of requested values; the highest integer means any number.
  let raw: Int
}
