#if canImport(Combine)
  public import Combine
  public import SluiceCore

  extension ValuePublisher {
    /// A Combine publisher that delivers the same values.
    ///
    /// This code has never run: Combine is not available on Linux, where it is only type-checked against stand-in
    /// declarations.
    public var combinePublisher: AnyPublisher<Output, any Error> {
      AnyPublisher(CombinePublisher(upstream: self))
    }
  }

  private struct CombinePublisher<Output: Sendable>: Publisher {
    typealias Failure = any Error
    let upstream: ValuePublisher<Output>

    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
      upstream.subscribe(CombineBridge(subscriber))
    }
  }

  /// An adapter that connects a Combine subscriber to a value publisher.
  ///
  /// Both subscribers are called on one thread at a time.
  private final class CombineBridge<Downstream: Subscriber>: ValueSubscriber
  where Downstream.Input: Sendable, Downstream.Failure == any Error {
    typealias Input = Downstream.Input
    nonisolated(unsafe) private let downstream: Downstream

    init(_ downstream: Downstream) { unsafe self.downstream = downstream }

    func receive(subscription: any ValueSubscription) {
      unsafe downstream.receive(subscription: BridgedSubscription(subscription))
    }

    func receive(_ value: Input) -> ValueDemand {
      unsafe ValueDemand(downstream.receive(value))
    }

    func receive(completion: ValueCompletion) {
      switch completion {
      case .finished: unsafe downstream.receive(completion: .finished)
      case .failure(let error): unsafe downstream.receive(completion: .failure(error))
      }
    }
  }

  private final class BridgedSubscription: Subscription {
    private let upstream: any ValueSubscription
    init(_ upstream: any ValueSubscription) { self.upstream = upstream }
    func request(_ demand: Subscribers.Demand) { upstream.request(ValueDemand(demand)) }
    func cancel() { upstream.cancel() }
  }

  extension ValueDemand {
    fileprivate init(_ demand: Subscribers.Demand) {
      self = demand.max.map { .max($0) } ?? .unlimited
    }
  }
#endif
