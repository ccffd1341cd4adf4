/// What delivers the values of a ``ConnectionPublisher`` to one subscriber.
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
    let delivery = Delivery<Value>(subscriber) { _ in }
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
