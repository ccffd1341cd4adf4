import CSluice
import Dispatch
import Synchronization

extension ReaderPool {
  /// Runs `body` with a reader, and returns its result without blocking a thread.
  func perform<T: Sendable>(
    deadline: ContinuousClock.Instant?,
    _ body: @escaping @Sendable (inout sending Connection) throws -> T
  ) async throws -> T {
    try await Job.result(deadline: deadline) { job, result in
      self.start(job, body, result: result)
    }
  }

  /// Schedules `body` to run with a reader, unless the job is stopped first, and calls `result` with the result.
  ///
  /// `keeping` returns true if the connection is not to be returned to the pool after `body`.
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
    // If the job was stopped after `wait` but before the request, the first `forget` found no waiter to remove.
    if job.isCancelled { forget(waiter) }
  }

  /// Waits for a reader, runs `body` with it on the calling thread, and returns the result.
  func sync<T: Sendable>(
    deadline: ContinuousClock.Instant?, _ body: (inout sending Connection) throws -> T
  ) throws -> T {
    let called = called
    let own = takeOwn()
    let serial = try own?.serial ?? waitForConnection(until: deadline)
    let (result, report) = serial.measured(since: called) { timer in
      defer { if own?.isLent != true { give(serial) } }
      if let deadline {
        return try serial.lend(Job(deadline: deadline), isInTurn: false, timer, body)
      }
      return timer == nil ? try serial.sync(body) : try serial.lendInTurn(timer, body)
    }
    serial.tell(report)
    return try result.get()
  }

  /// The current time, for a call whose wait is to be measured; nil without a monitor.
  private var called: ContinuousClock.Instant? {
    monitorsAccess && sluice_is_in_monitor() == 0 ? .now : nil
  }

  /// Takes the connection whose job is ending on the calling thread; nil if there is none, or the pool is closed.
  ///
  /// A job that ends releases its objects, and their deinits may call this pool.
  /// `isLent` is true if another access has received the connection in the meantime. That access may be queued
  /// behind the job, so waiting for the access could last forever.
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
      // `isOverdue` is read before `takeIdle` is called: if it is true, a connection that is returned after that
      // call is given directly to an overdue waiter, so this waiter need not poll.
      let isOverdue = waiter.isOverdue
      let (serial, hasLeft) = takeIdle(for: waiter, orLeaveIf: isOver)
      if let serial { return serial }
      if isOver, let deadline {
        if hasLeft { throw DeadlineError(deadline: deadline) }
        // The pool has already chosen a connection for this waiter.
        end = .distantFuture
      }
      // A signal only announces an idle connection, which another thread may take first. No second signal comes
      // before this waiter is overdue, so the waiter polls until then.
      let next = isOverdue ? end : min(end, waiter.overdue, .now() + .milliseconds(pause))
      pause = min(2 * pause, 8)
      isOver = turn.semaphore.wait(timeout: next) == .timedOut && next == end
    }
  }

  /// The answer to a thread that waits for a connection.
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

// The connections that row streams keep between batches.
extension ReaderPool {
  /// Leases a connection to a stream.
  ///
  /// - Returns: False if the pool is closing, because it does not wait for streams.
  func lease(_ serial: SerialConnection, to stream: UInt64) -> Bool {
    state.withLock { state in
      guard !state.isClosed else { return false }
      state.leases[stream] = serial
      return true
    }
  }

  /// Returns the connection that is leased to a stream.
  func leasedConnection(to stream: UInt64) -> SerialConnection? {
    state.withLock { $0.leases[stream] }
  }

  /// Ends the lease of a stream that no longer has a statement on its connection.
  func endLease(of stream: UInt64) {
    if let serial = state.withLock({ $0.leases.removeValue(forKey: stream) }) { give(serial) }
  }

  /// Ends the statement of a stream, and then its lease.
  func cancelLease(of stream: UInt64) {
    leasedConnection(to: stream)?.async { connection in
      _ = connection.dependents.removeStream(stream)
    } result: { [self] _ in
      endLease(of: stream)
    }
  }
}
