import SluiceCore
import TestSupport

/// A subscriber that records its events.
final class Recorder<Input: Sendable>: ValueSubscriber {
  enum Event: Sendable {
    case subscription
    case value(Input)
    case finished
    case failure(any Error)
  }

  let log = SharedLog<Event>()
  private let first: ValueDemand
  private let onValue: @Sendable (Recorder, Input) -> ValueDemand
  private let kept = SharedLog<any ValueSubscription>()

  /// Creates a subscriber that requests `first`, and after each value the demand that the closure returns.
  init(
    _ first: ValueDemand,
    onValue: @escaping @Sendable (_ me: Recorder, _ value: Input) -> ValueDemand = { _, _ in .none }
  ) {
    self.first = first
    self.onValue = onValue
  }

  var subscription: (any ValueSubscription)? { kept.entries.first }

  func receive(subscription: any ValueSubscription) {
    log.append(.subscription)
    kept.append(subscription)
    subscription.request(first)
  }

  func receive(_ value: Input) -> ValueDemand {
    log.append(.value(value))
    return onValue(self, value)
  }

  func receive(completion: ValueCompletion) {
    switch completion {
    case .finished: log.append(.finished)
    case .failure(let error): log.append(.failure(error))
    }
  }

  var values: [Input] {
    log.entries.compactMap { if case .value(let value) = $0 { value } else { nil } }
  }

  /// The number of completions received.
  var ends: Int {
    log.entries.count { event in
      switch event {
      case .finished, .failure: true
      case .subscription, .value: false
      }
    }
  }

  var error: (any Error)? {
    for case .failure(let error) in log.entries { return error }
    return nil
  }
}

extension ConnectionQueue {
  /// Waits until the queue is idle: each round completes the work that the previous round started.
  func settle() {
    for _ in 0..<4 {
      let gate = Gate()
      async { _ in
      } completion: { _ in
        gate.open()
      }
      guard gate.pass() else { return }
    }
  }
}
