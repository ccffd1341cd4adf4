import CSluice
import Dispatch
import Synchronization

// Accesses that can be stopped: by their task, by a deadline, or by a queue that closes.
extension ConnectionLine {
  /// Lends the connection later, and lets the calling task wait without blocking a thread.
  func perform<T: Sendable>(
    qos: DispatchQoS = .unspecified, deadline: ContinuousClock.Instant?,
    _ body: @escaping @Sendable (inout sending Connection) throws -> T
  ) async throws -> T {
    try await Job.result(deadline: deadline) { job, result in
      self.start(job, qos: qos, body, result: result)
    }
  }

  /// Lends the connection later, unless the job is stopped before, and hands on what has come of it.
  func start<T: Sendable>(
    _ job: Job, qos: DispatchQoS = .unspecified,
    _ body: @escaping @Sendable (inout sending Connection) throws -> T,
    result: @escaping @Sendable (Result<T, any Error>) -> Void
  ) {
    guard job.wait({ result(.failure($0)) }) else {
      return result(.failure(job.stopped))
    }
    async(qos: qos, since: called, tellingIn: job.task) { [alarm] connection in
      try job.run(alarm, on: &connection, body)
    } result: { outcome in
      guard job.arrive() else { return }
      result(job.verdict(outcome))
    }
  }

  /// Lends the connection on the calling thread, with a deadline or without one.
  @inlinable
  func sync<T: Sendable>(until deadline: ContinuousClock.Instant?, _ body: Body<T>) throws -> T {
    guard let deadline else { return try sync(body) }
    return try sync(deadline: deadline, body)
  }

  /// Lends the connection on the calling thread, if its turn comes before the deadline.
  @usableFromInline
  func sync<T: Sendable>(deadline: ContinuousClock.Instant, _ body: Body<T>) throws -> T {
    guard alarm.holder.load(ordering: .relaxed) != sluice_current_thread() else { throw nested }
    return try monitored(since: called) { timer in
      try lend(Job(deadline: deadline), isInLine: true, timer, body)
    }
  }

  /// Lends the connection on the calling thread, unless `current` is stopped before.
  func sync<T: Sendable>(_ current: CurrentJob, _ body: Body<T>) throws -> T {
    guard alarm.holder.load(ordering: .relaxed) != sluice_current_thread() else { throw nested }
    guard let job = current.begin() else { throw CancellationError() }
    return try monitored(since: called) { timer in
      try lend(job, isInLine: true, timer, body)
    }
  }

  /// Lends the connection on the calling thread, unless the job is stopped before, and tells nobody of it.
  ///
  /// It need not wait in line if nobody else can be there.
  func lend<T: Sendable>(
    _ job: Job, isInLine: Bool, _ timer: AccessTimer?, _ body: Body<T>
  ) throws -> T {
    let thread = sluice_current_thread()
    let turn = DispatchSemaphore(value: 0)
    guard job.wait({ _ in turn.signal() }) else { throw job.stopped }
    // What a job leaves behind, which is released before the next one, cannot wait in line.
    let isInLine = isInLine && jobThread.load(ordering: .relaxed) != thread
    let over = DispatchSemaphore(value: 0)
    if isInLine {
      waiting.add(1, ordering: .acquiringAndReleasing)
      jobs.async {
        // It keeps the place in line, from where the calling thread goes on.
        turn.signal()
        over.wait()
      }
      turn.wait()
    }
    defer { over.signal() }
    let result = Result {
      try lendSoon(job, to: thread, leavingLine: isInLine) { connection in
        timer?.begin()
        defer { timer?.end() }
        return try body(&connection)
      }
    }
    guard job.arrive() else { throw job.stopped }
    return try job.verdict(result).get()
  }

  /// Lends the connection as soon as nobody else has it, who has got it past the line.
  private func lendSoon<T: Sendable>(
    _ job: Job, to thread: UInt, leavingLine: Bool, _ body: Body<T>
  ) throws -> T {
    defer { if leavingLine { waiting.subtract(1, ordering: .acquiringAndReleasing) } }
    while true {
      if let reason = job.reason { throw reason.error }
      let value = try connection.withLockIfAvailable { connection in
        try lend(&connection, to: thread) { connection in
          try job.run(alarm, on: &connection, body)
        }
      }
      if let value { return value }
      sqlite3_sleep(1)
    }
  }
}
