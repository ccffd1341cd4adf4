import Dispatch

/// A stoppable access to the connection of a queue.
///
/// A job that is stopped before it begins leaves the queue immediately. Stopping a running job interrupts only the
/// work of that job.
final class Job: Sendable {
  private let state: Locked<State>
  private let deadline: ContinuousClock.Instant?
  /// The task that waits for the result, if any.
  let task: AwaitingTask?

  /// The reason why a job was stopped.
  enum Reason: Sendable {
    case cancelled
    case deadline(ContinuousClock.Instant)

    var error: any Error {
      switch self {
      case .cancelled: CancellationError()
      case .deadline(let deadline): DeadlineError(deadline: deadline)
      }
    }
  }

  typealias OnCancel = @Sendable (any Error) -> Void

  enum Phase: Sendable {
    /// The job waits for its turn. The closure is called if the job is stopped.
    case waiting(OnCancel?)
    case cancelled
    case running(InterruptState)
    case over
  }

  struct State: Sendable {
    var phase = Phase.waiting(nil)
    var reason: Reason?
    var timer: Timer?
    /// Whether a commit has failed in such a way that the transaction may or may not be on disk.
    var isUncertain = false
  }

  init(deadline: ContinuousClock.Instant? = nil, task: AwaitingTask? = nil) {
    self.deadline = deadline
    self.task = task
    state = Locked(State())
  }

  /// The reason why the job was stopped; nil if it was not stopped.
  var reason: Reason? { state.withLock { $0.reason } }
  /// The error that a stopped job reports.
  var stopped: any Error { reason?.error ?? CancellationError() }

  /// Starts waiting for a turn, until the deadline at the latest.
  ///
  /// `onCancel` is called if the job is stopped before it begins.
  ///
  /// - Returns: False if the job has already been stopped; `onCancel` is then not called.
  func wait(_ onCancel: @escaping OnCancel) -> Bool {
    if let deadline, deadline <= .now { stop(.deadline(deadline)) }
    let isWaiting = state.withLock { state in
      guard case .waiting = state.phase else { return false }
      state.phase = .waiting(onCancel)
      return true
    }
    if isWaiting, let deadline { stopWhenItIs(deadline) }
    return isWaiting
  }

  /// Whether the job was stopped before it began.
  var isCancelled: Bool {
    state.withLock { state in
      if case .cancelled = state.phase { true } else { false }
    }
  }

  /// Runs `body`, in the task that waits for the job if there is such a task, and returns the result of `body`.
  ///
  /// If the job has already been stopped, throws the error for the reason.
  func run<T: Sendable>(
    _ interruptState: InterruptState, on connection: inout sending Connection,
    _ body: (inout sending Connection) throws -> T
  ) throws -> T {
    try begin(interruptState)
    connection.state.scope.hasUncertainCommit = false
    // After the body, stopping the job must not interrupt the connection, because later work belongs to the queue
    // or to other jobs.
    defer { end(isUncertain: connection.state.scope.hasUncertainCommit) }
    guard let task else { return try body(&connection) }
    return try run(in: task, on: &connection, body)
  }

  private func run<T: Sendable>(
    in task: AwaitingTask, on connection: inout sending Connection,
    _ body: (inout sending Connection) throws -> T
  ) throws -> T {
    var lent = Lent(connection)
    var result = Result<T, any Error>.failure(CancellationError())
    task.run { result = Result { unsafe try body(&lent.value) } }
    unsafe connection = lent.value
    return try result.get()
  }

  private func begin(_ interruptState: InterruptState) throws {
    let reason = state.withLock { state in
      if case .waiting = state.phase { state.phase = .running(interruptState) }
      return state.reason
    }
    if let reason { throw reason.error }
  }

  /// Records that the work of the job has ended, so that stopping the job no longer interrupts the connection.
  private func end(isUncertain: Bool) {
    state.withLock { state in
      state.isUncertain = isUncertain
      guard case .running(let interruptState) = state.phase else { return }
      state.phase = .over
      interruptState.clear(InterruptState.stopped)
      state.timer?.cancel()
      state.timer = nil
    }
  }

  /// Completes the job.
  ///
  /// - Returns: False if the job was stopped before it began, and has already reported this.
  func complete() -> Bool {
    state.withLock { state in
      if case .cancelled = state.phase { return false }
      state.phase = .over
      state.timer?.cancel()
      state.timer = nil
      return true
    }
  }

  /// Stops the job; only the first reason counts.
  func stop(_ reason: Reason) {
    let onCancel: OnCancel? = state.withLock { state in
      guard state.reason == nil else { return nil }
      switch state.phase {
      case .waiting(let onCancel):
        state.reason = reason
        state.phase = .cancelled
        state.timer?.cancel()
        state.timer = nil
        return onCancel
      case .running(let interruptState):
        state.reason = reason
        // The job cannot end while this lock is held, so the interrupt cannot affect another job.
        interruptState.interrupt(setting: InterruptState.stopped)
        remind(&state, after: .milliseconds(1))
        return nil
      case .cancelled, .over: return nil
      }
    }
    onCancel?(reason.error)
  }

  private func stopWhenItIs(_ deadline: ContinuousClock.Instant) {
    state.withLock { state in
      guard case .waiting = state.phase else { return }
      state.timer = Timer(after: deadline - .now) { [weak self] in
        // Stopping a job releases the objects that the job captured, which may take a long time and would delay
        // other timers.
        DispatchQueue(label: "Sluice.deadline", qos: .userInitiated).async { [weak self] in
          self?.stop(.deadline(deadline))
        }
      }
    }
  }

  /// Interrupts the job repeatedly until it ends.
  ///
  /// SQLite ignores an interrupt that arrives just before a statement begins.
  private func remind(_ state: inout State, after delay: Duration) {
    state.timer?.cancel()
    state.timer = Timer(after: delay) { [weak self] in
      self?.state.withLock { state in
        guard case .running(let interruptState) = state.phase else { return }
        interruptState.interrupt()
        self?.remind(&state, after: min(delay * 2, .milliseconds(100)))
      }
    }
  }
}

extension Job {
  /// Starts a job by calling `start`, and returns the value that `start` passes to its argument `result`.
  ///
  /// Cancelling the calling task stops the job.
  static func result<T: Sendable>(
    deadline: ContinuousClock.Instant? = nil,
    of start:
      @escaping @Sendable (
        _ job: Job, _ result: @escaping @Sendable (Result<T, any Error>) -> Void
      ) -> Void
  ) async throws -> T {
    let job = awaited(deadline: deadline, start)
    await withTaskCancellationHandler {
      await job.task?.wait()
    } onCancel: {
      job.stop(.cancelled)
    }
    return try job.awaitedResult(T.self).get()
  }

  /// Returns a job for a task to await.
  // The functions that `result(deadline:of:)` calls are not inlined, because their variables would enlarge its frame.
  @inline(never)
  private static func awaited<T: Sendable>(
    deadline: ContinuousClock.Instant?,
    _ start:
      @escaping @Sendable (
        _ job: Job, _ result: @escaping @Sendable (Result<T, any Error>) -> Void
      ) -> Void
  ) -> Job {
    let task = AwaitingTask()
    let job = Job(deadline: deadline, task: task)
    task.prepare { start(job) { task.finish($0) } }
    return job
  }

  @inline(never)
  private func awaitedResult<T: Sendable>(_ type: T.Type) -> Result<T, any Error> {
    guard let result = task?.result(type) else {
      preconditionFailure("A task was resumed without a result")
    }
    return result
  }

  /// Returns the result to report for the job: `result`, or the reason why the job was stopped, as a failure.
  ///
  /// The reason never replaces a value. It does not replace an error either if a commit has failed in such a way that
  /// the transaction may or may not be on disk.
  func verdict<T>(_ result: Result<T, any Error>) -> Result<T, any Error> {
    guard case .failure = result else { return result }
    let (reason, isUncertain) = state.withLock { ($0.reason, $0.isUncertain) }
    guard let reason, !isUncertain else { return result }
    return .failure(reason.error)
  }
}

/// The current job of an activity that consists of several jobs, such as a row publisher.
///
/// Stopping the activity stops this job, and prevents later ones.
final class CurrentJob: Sendable {
  private struct State: Sendable {
    var job: Job?
    var isOver = false
  }

  private let state = Locked(State())

  /// Creates the next job, or returns nil after `stop()`.
  func begin() -> Job? {
    state.withLock { state in
      guard !state.isOver else { return nil }
      let job = Job()
      state.job = job
      return job
    }
  }

  /// Stops the current job, prevents any other job from beginning, and returns the job.
  @discardableResult
  func stop() -> Job? {
    let job = state.withLock { state in
      state.isOver = true
      return state.job.take()
    }
    job?.stop(.cancelled)
    return job
  }
}

/// The error of a database access that missed its deadline.
///
/// An open transaction of the access is rolled back. Work that had not begun never runs.
///
/// ```swift
/// do {
///   try await queue.transaction(deadline: .now + .seconds(2)) { connection in
///     try connection.execute(sql: "DELETE FROM event WHERE title LIKE '%draft%'")
///   }
/// } catch is DeadlineError {
///   print("The write took too long.")
/// }
/// ```
public struct DeadlineError: Error, Hashable, Sendable {
  /// The deadline of the access.
  public let deadline: ContinuousClock.Instant

  /// Creates an error, for example to test the code that handles it.
  public init(deadline: ContinuousClock.Instant) { self.deadline = deadline }
}

extension DeadlineError: CustomStringConvertible {
  /// A description for developers.
  public var description: String { "The database access did not finish before its deadline" }
}
