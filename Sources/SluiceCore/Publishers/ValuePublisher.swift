public import Dispatch

/// Values that come over time, to whoever subscribes, as fast as they are asked for.
///
/// ```swift
/// let titles = queue.rowPublisher(sql: "SELECT title FROM event").mapRows(.column(.string))
/// let subscription = titles.sink { completion in
///   if case .failure(let error) = completion { print("It failed:", error) }
/// } receiveValue: { title in
///   print(title)
/// }
/// ```
///
/// It is what Combine calls a publisher, for wherever Combine is not, and an `AsyncSequence` as well:
///
/// ```swift
/// for try await title in titles { print(title) }
/// ```
///
/// Each subscription is one by itself, and begins anew. Values come on a thread of their own, one after
/// another, never more than were asked for, and from there the queue can be used. A sequence asks for
/// one value at a time; if its task is cancelled, it throws `CancellationError`.
public struct ValuePublisher<Output: Sendable>: Sendable {
  private let attach: @Sendable (any ValueSubscriber<Output>) -> Void

  init(_ attach: @escaping @Sendable (any ValueSubscriber<Output>) -> Void) {
    self.attach = attach
  }

  /// Ties `subscriber` to this publisher; it gets a subscription, and then what it asks that for.
  public func subscribe(_ subscriber: some ValueSubscriber<Output>) { attach(subscriber) }

  /// Calls closures with all values, and with the end, until what is returned goes or is cancelled.
  public func sink(
    receiveCompletion: @escaping @Sendable (_ completion: ValueCompletion) -> Void,
    receiveValue: @escaping @Sendable (_ value: Output) -> Void
  ) -> ValueCancellable {
    let sink = Sink(receiveCompletion, receiveValue)
    attach(sink)
    return ValueCancellable { sink.cancel() }
  }
}

extension ValuePublisher {
  /// What `transform` makes of each value; if it throws, that is the end.
  public func map<T: Sendable>(
    _ transform: @escaping @Sendable (_ value: Output) throws -> T
  ) -> ValuePublisher<T> {
    ValuePublisher<T> { [attach] in attach(Transforming($0) { try transform($0) }) }
  }

  /// What `transform` makes of each value, without nil; if it throws, that is the end.
  public func compactMap<T: Sendable>(
    _ transform: @escaping @Sendable (_ value: Output) throws -> T?
  ) -> ValuePublisher<T> {
    ValuePublisher<T> { [attach] in attach(Transforming($0, transform)) }
  }

  /// Without values that equal the one before.
  public func removeDuplicates(
    by areEqual: @escaping @Sendable (_ old: Output, _ new: Output) throws -> Bool
  ) -> ValuePublisher {
    ValuePublisher { [attach] in
      let last = LastValue<Output>()
      attach(Transforming($0) { try last.differing($0, areEqual) })
    }
  }

  /// The same values, from `queue`: one after another, also if that could run several at once.
  public func receive(on queue: DispatchQueue) -> ValuePublisher {
    ValuePublisher { [attach] in attach(Relocating($0, queue)) }
  }
}

extension ValuePublisher where Output: Equatable {
  /// Without values that equal the one before.
  public func removeDuplicates() -> ValuePublisher { removeDuplicates(by: ==) }
}
