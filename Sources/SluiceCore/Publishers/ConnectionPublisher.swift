/// Values that a connection publishes on the thread that uses it.
///
/// ```swift
/// let feed = titles.subscribe(subscriber)
/// feed.resume()
/// ```
///
/// It is a ``ValuePublisher`` that cannot leave the connection, and so does nothing by itself: what is
/// asked for is delivered in ``subscribe(_:)``, and what is asked for later in
/// ``ConnectionFeed/resume()``.
public struct ConnectionPublisher<Output: Sendable> {
  private let attach: (any ValueSubscriber<Output>) -> ConnectionFeed

  init(_ attach: @escaping (any ValueSubscriber<Output>) -> ConnectionFeed) {
    self.attach = attach
  }

  /// Ties `subscriber` to this publisher, and delivers what it asks for at once.
  @discardableResult
  public func subscribe(_ subscriber: some ValueSubscriber<Output>) -> ConnectionFeed {
    let feed = attach(subscriber)
    feed.begin()
    return feed
  }

  /// Calls closures with all values, and with the end, before it returns.
  public func sink(
    receiveCompletion: (_ completion: ValueCompletion) -> Void,
    receiveValue: (_ value: Output) -> Void
  ) {
    withoutActuallyEscaping(receiveCompletion) { receiveCompletion in
      withoutActuallyEscaping(receiveValue) { receiveValue in
        // A sink asks for all values at once, so that each call comes from here.
        nonisolated(unsafe) let (complete, take) = (receiveCompletion, receiveValue)
        subscribe(Sink({ unsafe complete($0) }, { unsafe take($0) }))
      }
    }
  }

  /// What `transform` makes of each value; if it throws, that is the end.
  public func map<T: Sendable>(
    _ transform: @escaping @Sendable (_ value: Output) throws -> T
  ) -> ConnectionPublisher<T> {
    ConnectionPublisher<T> { attach(Transforming($0) { try transform($0) }) }
  }

  /// What `transform` makes of each value, without nil; if it throws, that is the end.
  public func compactMap<T: Sendable>(
    _ transform: @escaping @Sendable (_ value: Output) throws -> T?
  ) -> ConnectionPublisher<T> {
    ConnectionPublisher<T> { attach(Transforming($0, transform)) }
  }

  /// Without values that equal the one before.
  public func removeDuplicates(
    by areEqual: @escaping @Sendable (_ old: Output, _ new: Output) throws -> Bool
  ) -> ConnectionPublisher {
    ConnectionPublisher {
      let last = LastValue<Output>()
      return attach(Transforming($0) { try last.differing($0, areEqual) })
    }
  }
}

extension ConnectionPublisher where Output: Equatable {
  /// Without values that equal the one before.
  public func removeDuplicates() -> ConnectionPublisher { removeDuplicates(by: ==) }
}
