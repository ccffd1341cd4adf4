// Stand-ins for what Sluice uses of the module Combine, according to its documentation.
public protocol Publisher<Output, Failure> {
  associatedtype Output
  associatedtype Failure: Error
  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure
}

public protocol Subscriber<Input, Failure> {
  associatedtype Input
  associatedtype Failure: Error
  func receive(subscription: any Subscription)
  func receive(_ input: Input) -> Subscribers.Demand
  func receive(completion: Subscribers.Completion<Failure>)
}

public protocol Cancellable {
  func cancel()
}

public protocol Subscription: AnyObject, Cancellable {
  func request(_ demand: Subscribers.Demand)
}

public enum Subscribers {
  public struct Demand: Hashable, Sendable {
    public static let unlimited = Demand(max: nil)
    public static func max(_ value: Int) -> Demand { Demand(max: value) }
    public let max: Int?
  }

  public enum Completion<Failure: Error> {
    case finished
    case failure(Failure)
  }
}

public struct AnyPublisher<Output, Failure: Error>: Publisher {
  public init<P: Publisher>(_ publisher: P) where P.Output == Output, P.Failure == Failure {}
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
  }
}
