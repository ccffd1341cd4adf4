import Dispatch
import Synchronization

extension ReaderPool {
  /// A request for a connection, which receives a connection or an error.
  final class Waiter: Sendable {
    let receive: @Sendable (Result<SerialConnection, any Error>) -> Void
    /// Notifies a waiting thread of an idle connection, which another thread may take first.
    let call: (@Sendable () -> Void)?
    /// Whether `call` was called, which happens at most once.
    ///
    /// The value changes only under the pool's lock.
    let isCalled = Atomic(false)
    /// The time after which the next returned connection is reserved for this waiter.
    let overdue: DispatchTime

    /// Creates a waiter; without `call`, the waiter receives the next connection.
    init(
      call: (@Sendable () -> Void)? = nil,
      _ receive: @escaping @Sendable (Result<SerialConnection, any Error>) -> Void
    ) {
      self.receive = receive
      self.call = call
      overdue = call == nil ? DispatchTime(uptimeNanoseconds: 0) : .now() + .milliseconds(10)
    }

    var isOverdue: Bool { call == nil || overdue <= .now() }
  }
}
