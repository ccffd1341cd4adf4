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

  /// Publishes the result of `transform` for each value; an error ends the publisher.
  public func map<T: Sendable>(
    _ transform: @escaping @Sendable (_ value: Output) throws -> T
  ) -> ConnectionPublisher<T> {
    ConnectionPublisher<T> { attach(TryCompactMap($0) { try transform($0) }) }
  }

  /// Publishes the result of `transform` for each value, except nil; an error ends the publisher.
  public func compactMap<T: Sendable>(
    _ transform: @escaping @Sendable (_ value: Output) throws -> T?
  ) -> ConnectionPublisher<T> {
    ConnectionPublisher<T> { attach(TryCompactMap($0, transform)) }
  }

  /// Without values that equal the one before.
  public func removeDuplicates(
    by areEqual: @escaping @Sendable (_ old: Output, _ new: Output) throws -> Bool
  ) -> ConnectionPublisher {
    ConnectionPublisher {
      let last = LastValue<Output>()
      return attach(TryCompactMap($0) { try last.differing($0, areEqual) })
    }
  }
}

extension ConnectionPublisher where Output: Equatable {
  /// Without values that equal the one before.
  public func removeDuplicates() -> ConnectionPublisher { removeDuplicates(by: ==) }
}

/// Delivers the values of a ``ConnectionPublisher`` to one subscriber.
///
/// It holds the statement, and is used where the connection is used.
public final class ConnectionFeed {
  private let start: () -> Void
  private let run: () -> Void
  private let end: () -> Void

  /// `open` begins, and returns what gives the next value, or nil at the end.
  init<Value: Sendable>(
    _ subscriber: any ValueSubscriber<Value>, _ open: @escaping () throws -> () throws -> Value?
  ) {
    // What is asked for waits until the one who has the connection resumes.
    let delivery = SubscriptionState<Value>(subscriber) { _ in }
    var next: (() throws -> Value?)?
    start = { delivery.start() }
    end = {
      delivery.cancel()
      next = nil
    }
    run = {
      while delivery.begin() {
        do {
          let take = try next ?? open()
          next = take
          repeat {
            guard let value = try take() else {
              next = nil
              return delivery.finish(.finished)
            }
            guard delivery.deliver(value) else { break }
          } while true
        } catch {
          next = nil
          return delivery.finish(.failure(error))
        }
        delivery.pause()
        if delivery.isOver { next = nil }
      }
    }
  }

  func begin() {
    start()
    resume()
  }

  /// Delivers what was asked for since; nothing if it is called from inside the subscriber.
  public func resume() { run() }

  /// Ends the subscription, and lets go of the statement.
  public func cancel() { end() }
}

/// The rows of a statement, before it is said what they become.
///
/// What is published are values: a row ends with the next one.
public struct RowPublisher {
  let connection: Connection
  let sql: String
  let bind: (Statement) throws -> Void

  /// Publishes what `converter` makes of each row.
  public func mapRows<T: Sendable>(_ converter: RowConverter<T>) -> ConnectionPublisher<T> {
    ConnectionPublisher { subscriber in
      ConnectionFeed(subscriber) {
        let statement = try connection.prepare(sql: sql)
        try bind(statement)
        return {
          guard let row = try statement.step() else { return nil }
          return try converter.convert(row)
        }
      }
    }
  }
}

extension Connection {
  /// The rows of one statement, to whoever subscribes.
  ///
  /// ```swift
  /// let events = connection.rowPublisher(
  ///   sql: "SELECT description, date FROM event WHERE date >= ?1"
  /// ) {
  ///   try $0.bind(.timeIntervalSinceReferenceDate(sevenDaysAgo), toParameter: 1)
  /// }.mapRows(.event)
  /// ```
  ///
  /// `bind` binds what the statement needs. Each subscription has a statement of its own, which runs only
  /// as far as values are asked for. What goes wrong, also in the SQL, is told to the subscriber.
  ///
  /// As the connection, it stays where that is used: values come in the calls that ask for them. On
  /// a queue, ``DatabaseReader/rowPublisher(sql:bind:)`` has values come by themselves.
  public func rowPublisher(
    sql: String, bind: @escaping (_ statement: Statement) throws -> Void = { _ in }
  ) -> RowPublisher {
    RowPublisher(connection: self, sql: sql, bind: bind)
  }

  /// The rows of one statement with values, to whoever subscribes.
  public func rowPublisher(_ sql: SQL) -> RowPublisher {
    rowPublisher(sql: sql.text) { try $0.bind(SQLParameters(sql.parameters)) }
  }
}
