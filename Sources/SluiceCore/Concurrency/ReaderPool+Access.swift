import CSluice
import Dispatch
import Synchronization

extension ReaderPool {
  /// Lends a connection later, and lets the calling task wait without blocking a thread.
  func perform<T: Sendable>(
    deadline: ContinuousClock.Instant?,
    _ body: @escaping @Sendable (inout sending Connection) throws -> T
  ) async throws -> T {
    try await Job.result(deadline: deadline) { job, result in
      self.start(job, body, result: result)
    }
  }

  /// Lends a connection later, unless the job is stopped before, and hands on what has come of it.
  ///
  /// `keeping` may say that the connection leases with its user.
  func start<T: Sendable>(
    _ job: Job, qos: DispatchQoS = .unspecified,
    _ body: @escaping @Sendable (inout sending Connection) throws -> T,
    keeping: @escaping @Sendable (SerialConnection, Result<T, any Error>) -> Bool = { _, _ in false
    },
    result: @escaping @Sendable (Result<T, any Error>) -> Void
  ) {
    let waiter = Waiter { [self, called] answer in
      switch answer {
      case .success(let serial):
        serial.async(qos: qos, since: called, tellingIn: job.task) {
          [interruptState = serial.interruptState] connection in
          try job.run(interruptState, on: &connection, body)
        } leaving: { [self] outcome in
          if !keeping(serial, outcome) { give(serial) }
        } result: { outcome in
          if job.complete() { result(job.verdict(outcome)) }
        }
      case .failure(let error):
        if job.complete() { result(.failure(error)) }
      }
    }
    let isWaiting = job.wait { [self] error in
      forget(waiter)
      result(.failure(error))
    }
    guard isWaiting else { return result(.failure(job.stopped)) }
    request(waiter)
    // A job that was cancelled just before was not in line yet.
    if job.isCancelled { forget(waiter) }
  }

  /// Lends a connection on the calling thread, which waits for one.
  func sync<T: Sendable>(
    deadline: ContinuousClock.Instant?, _ body: (inout sending Connection) throws -> T
  ) throws -> T {
    let called = called
    let own = takeOwn()
    let serial = try own?.serial ?? waitForConnection(until: deadline)
    let (result, record) = serial.measured(since: called) { timer in
      defer { if own?.isLent != true { give(serial) } }
      if let deadline {
        return try serial.lend(Job(deadline: deadline), isInTurn: false, timer, body)
      }
      return timer == nil ? try serial.sync(body) : try serial.lendInTurn(timer, body)
    }
    serial.tell(record)
    return try result.get()
  }

  /// When a call was made, if anybody wants to know how long it waits.
  private var called: ContinuousClock.Instant? {
    monitorsAccess && sluice_is_in_monitor() == 0 ? .now : nil
  }

  /// The connection of the job that has left behind what calls, and whether somebody has got it meanwhile.
  ///
  /// Who has got it may be in line behind that job, so that to wait for it would have no end.
  private func takeOwn() -> (serial: SerialConnection, isLent: Bool)? {
    let thread = sluice_current_thread()
    return state.withLock { state in
      guard !state.isClosed,
        let serial = state.connections.first(where: {
          $0.jobThread.load(ordering: .relaxed) == thread
        })
      else { return nil }
      guard let index = state.idle.firstIndex(where: { $0 === serial }) else {
        return (serial, true)
      }
      state.idle.remove(at: index)
      return (serial, false)
    }
  }

  private func waitForConnection(until deadline: ContinuousClock.Instant?) throws
    -> SerialConnection
  {
    let turn = Turn()
    let waiter = Waiter(call: { turn.semaphore.signal() }, { turn.come($0) })
    request(waiter)
    var end = DispatchTime.distantFuture
    if let deadline { end = .now() + (deadline - .now).dispatchInterval }
    var isOver = false
    var pause = 1
    while true {
      if let answer = turn.answer { return try answer.get() }
      // Asked first: what comes back after the look is given to a waiter that is overdue by then.
      let isOverdue = waiter.isOverdue
      if let serial = takeIdle(for: waiter) { return serial }
      if isOver, let deadline {
        if forget(waiter) { throw DeadlineError(deadline: deadline) }
        // The connection is on its way.
        end = .distantFuture
      }
      // A connection that another has taken can be idle again at any time, of which nobody tells until this one is overdue.
      let next = isOverdue ? end : min(end, waiter.overdue, .now() + .milliseconds(pause))
      pause = min(2 * pause, 8)
      isOver = turn.semaphore.wait(timeout: next) == .timedOut && next == end
    }
  }

  /// A signal that a thread waits for.
  private final class Turn: Sendable {
    private let state = Locked<Result<SerialConnection, any Error>?>(nil)
    let semaphore = DispatchSemaphore(value: 0)

    var answer: Result<SerialConnection, any Error>? { state.withLock { $0 } }

    func come(_ result: Result<SerialConnection, any Error>) {
      state.withLock { $0 = result }
      semaphore.signal()
    }
  }
}

// Connections that a stream of rows keeps from one batch to the next.
extension ReaderPool {
  /// Leaves a connection to a stream; false if the pool closes, which waits for no stream.
  func lease(_ serial: SerialConnection, to stream: UInt64) -> Bool {
    state.withLock { state in
      guard !state.isClosed else { return false }
      state.leases[stream] = serial
      return true
    }
  }

  /// The connection that a stream keeps.
  func leasedConnection(to stream: UInt64) -> SerialConnection? {
    state.withLock { $0.leases[stream] }
  }

  /// Takes back the connection of a stream that has nothing there any more.
  func endLease(of stream: UInt64) {
    if let serial = state.withLock({ $0.leases.removeValue(forKey: stream) }) { give(serial) }
  }

  /// Ends the statement of a stream, and takes its connection back.
  func cancelLease(of stream: UInt64) {
    leasedConnection(to: stream)?.async { connection in
      _ = connection.cursors.removeValue(forKey: stream)
    } result: { [self] _ in
      endLease(of: stream)
    }
  }
}
