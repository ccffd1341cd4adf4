/// A publisher that delivers values of a connection on the thread that uses the connection.
///
/// ```swift
/// let feed = titles.subscribe(subscriber)
/// feed.resume()
/// ```
///
/// Unlike a ``ValuePublisher``, this type cannot leave its connection, and never delivers values in the
/// background. ``subscribe(_:)`` delivers the values that the subscriber requests during that call.
/// ``ConnectionFeed/resume()`` delivers the values that the subscriber requests later.
public struct ConnectionPublisher<Output: Sendable> {
  private let attach: (any ValueSubscriber<Output>) -> ConnectionFeed

  init(_ attach: @escaping (any ValueSubscriber<Output>) -> ConnectionFeed) {
    self.attach = attach
  }

  /// Attaches a subscriber, delivers the values that it requests during this call, and returns the subscription.
  @discardableResult
  public func subscribe(_ subscriber: some ValueSubscriber<Output>) -> ConnectionFeed {
    let feed = attach(subscriber)
    feed.begin()
    return feed
  }

  /// Calls the closures with all values, and with the completion, and then returns.
  public func sink(
    receiveCompletion: (_ completion: ValueCompletion) -> Void,
    receiveValue: (_ value: Output) -> Void
  ) {
    withoutActuallyEscaping(receiveCompletion) { receiveCompletion in
      withoutActuallyEscaping(receiveValue) { receiveValue in
        // A sink requests all values at once, so these closures are called only before `subscribe` returns.
        let (complete, take) = (Lent(receiveCompletion), Lent(receiveValue))
        subscribe(Sink({ unsafe complete.value($0) }, { unsafe take.value($0) }))
      }
    }
  }

  /// Returns a publisher of the result of `transform` for each value; an error ends the publisher.
  public func map<T: Sendable>(
    _ transform: @escaping @Sendable (_ value: Output) throws -> T
  ) -> ConnectionPublisher<T> {
    ConnectionPublisher<T> { attach(TryCompactMap($0) { try transform($0) }) }
  }

  /// Returns a publisher of the results of `transform` that are not nil; an error ends the publisher.
  public func compactMap<T: Sendable>(
    _ transform: @escaping @Sendable (_ value: Output) throws -> T?
  ) -> ConnectionPublisher<T> {
    ConnectionPublisher<T> { attach(TryCompactMap($0, transform)) }
  }

  /// Returns a publisher of the values that do not equal the previous one.
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
  /// Returns a publisher of the values that do not equal the previous one.
  public func removeDuplicates() -> ConnectionPublisher { removeDuplicates(by: ==) }
}

/// A subscription that delivers the values of a ``ConnectionPublisher`` to one subscriber.
///
/// A feed retains its statement, and must be used where the connection is used.
public final class ConnectionFeed {
  private let start: () -> Void
  private let run: () -> Void
  private let end: () -> Void

  /// Creates a feed.
  ///
  /// `open` starts the feed, and returns a closure that returns the next value, or nil at the end.
  init<Value: Sendable>(
    _ subscriber: any ValueSubscriber<Value>, _ open: @escaping () throws -> () throws -> Value?
  ) {
    // A request alone delivers nothing: the values wait until the user of the connection calls `resume()`.
    let delivery = SubscriptionState(subscriber) { _ in }
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

  /// Delivers the values that were requested since the last delivery.
  ///
  /// This method has no effect when it is called from inside the subscriber.
  public func resume() { run() }

  /// Ends the subscription, and releases the statement.
  public func cancel() { end() }
}

/// The rows of a statement, before their conversion to values.
///
/// Only converted values can be published, because each row is valid only until the next step.
public struct RowPublisher {
  let connection: Connection
  let sql: String
  let bind: (Statement) throws -> Void

  /// Returns a publisher of the values that `converter` creates from the rows.
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
  /// Returns a publisher of the rows of a statement.
  ///
  /// ```swift
  /// let events = connection.rowPublisher(
  ///   sql: "SELECT description, date FROM event WHERE date >= ?1"
  /// ) {
  ///   try $0.bind(.timeIntervalSinceReferenceDate(sevenDaysAgo), toParameter: 1)
  /// }.mapRows(.event)
  /// ```
  ///
  /// `bind` binds the parameters of the statement. Each subscription has its own statement, which is stepped only
  /// for requested values. The subscriber receives every error, including errors in the SQL.
  ///
  /// Like the connection, the publisher is confined to one thread or task: values arrive during the calls that
  /// request them.
  /// On a queue, the values of ``DatabaseReader/rowPublisher(sql:bind:)`` arrive automatically.
  public func rowPublisher(
    sql: String, bind: @escaping (_ statement: Statement) throws -> Void = { _ in }
  ) -> RowPublisher {
    RowPublisher(connection: self, sql: sql, bind: bind)
  }

  /// Returns a publisher of the rows of a statement with bound values.
  public func rowPublisher(_ sql: SQL) -> RowPublisher {
    rowPublisher(sql: sql.text) { try $0.bind(SQLParameters(sql.parameters)) }
  }
}
