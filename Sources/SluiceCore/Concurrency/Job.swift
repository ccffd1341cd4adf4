import Dispatch

/// One access to the connection of a queue, which can be stopped: before it begins, it leaves at once; while
/// it runs, exactly its work is interrupted.
final class Job: Sendable {
  private let state: Locked<State>
  private let deadline: ContinuousClock.Instant?
  /// The task that waits for the result, if it is one.
  let task: AwaitingTask?

  /// Why a job was stopped.
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
    /// It waits for its turn; the closure tells of it that it has left.
    case waiting(OnCancel?)
    case cancelled
    case running(InterruptState)
    case over
  }

  struct State: Sendable {
    var phase = Phase.waiting(nil)
    var reason: Reason?
    var timer: Timer?
    /// Whether nobody knows whether its transaction is on disk.
    var isUncertain = false
  }

  init(deadline: ContinuousClock.Instant? = nil, task: AwaitingTask? = nil) {
    self.deadline = deadline
    self.task = task
    state = Locked(State())
  }

  /// Why it has been stopped, if it has.
  var reason: Reason? { state.withLock { $0.reason } }
  /// The error of a job that was stopped.
  var stopped: any Error { reason?.error ?? CancellationError() }

  /// Waits for the turn, until the deadline.
  ///
  /// If the job is stopped before it begins, `onCancel` is called; if that has happened already, it is not,
  /// and false is returned.
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

  /// Whether it was stopped before it began.
  var isCancelled: Bool {
    state.withLock { state in
      if case .cancelled = state.phase { true } else { false }
    }
  }

  /// Runs `body`, in the task that waits for it if there is one; if the job was stopped before, throws why.
  func run<T: Sendable>(
    _ interruptState: InterruptState, on connection: inout sending Connection,
    _ body: (inout sending Connection) throws -> T
  ) throws -> T {
    try begin(interruptState)
    connection.state.hasUncertainCommit = false
    // All that comes after the body belongs to the queue, or to others.
    defer { end(isUncertain: connection.state.hasUncertainCommit) }
    guard let task else { return try body(&connection) }
    return try run(in: task, on: &connection, body)
  }

  private func run<T: Sendable>(
    in task: AwaitingTask, on connection: inout sending Connection,
    _ body: (inout sending Connection) throws -> T
  ) throws -> T {
    let lent = LentConnection(connection)
    var result = Result<T, any Error>.failure(CancellationError())
    task.run { result = Result { unsafe try body(&lent.connection) } }
    unsafe connection = lent.connection
    return try result.get()
  }

  private func begin(_ interruptState: InterruptState) throws {
    let reason = state.withLock { state in
      if case .waiting = state.phase { state.phase = .running(interruptState) }
      return state.reason
    }
    if let reason { throw reason.error }
  }

  /// Ends the work that can be stopped: no interruption comes any more.
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

  /// Ends the waiting; false if the job has left before, and somebody has been told so.
  func complete() -> Bool {
    state.withLock { state in
      if case .cancelled = state.phase { return false }
      state.phase = .over
      state.timer?.cancel()
      state.timer = nil
      return true
    }
  }

  /// Stops the job for a reason, of which the first counts.
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
        // The job cannot end as long as this has the lock, so it is this one that is hit.
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
        // What has left lets go of what it has captured, which may take long, and other timers wait.
        DispatchQueue(label: "Sluice.deadline", qos: .userInitiated).async { [weak self] in
          self?.stop(.deadline(deadline))
        }
      }
    }
  }

  /// Interrupts again, until the job ends: SQLite forgets what comes just before a statement begins.
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

/// A connection that is lent to a closure in a task, while the thread that has the connection waits for the closure.
private final class LentConnection: Sendable {
  nonisolated(unsafe) var connection: Connection
  init(_ connection: sending Connection) { unsafe self.connection = connection }
}

/// The result of an access, for the task that waits for it.
private final class Outcome<T: Sendable>: Sendable {
  let value = Locked(Result<T, any Error>.failure(CancellationError()))
}

extension Job {
  /// Lets the calling task wait for what `start` hands on; to cancel the task stops the job.
  static func result<T: Sendable>(
    deadline: ContinuousClock.Instant? = nil,
    of start:
      @escaping @Sendable (
        _ job: Job, _ result: @escaping @Sendable (Result<T, any Error>) -> Void
      ) -> Void
  ) async throws -> T {
    let task = AwaitingTask()
    let job = Job(deadline: deadline, task: task)
    let outcome = Outcome<T>()
    await withTaskCancellationHandler {
      await task.wait {
        start(job) { result in
          outcome.value.withLock { $0 = result }
          task.finish()
        }
      }
    } onCancel: {
      job.stop(.cancelled)
    }
    return try outcome.value.withLock { $0 }.get()
  }

  /// Returns the outcome of a call: a stopped job throws why it was stopped, unless it has returned a value or nobody knows
  /// whether its transaction is on disk.
  func verdict<T>(_ result: Result<T, any Error>) -> Result<T, any Error> {
    guard case .failure = result else { return result }
    let (reason, isUncertain) = state.withLock { ($0.reason, $0.isUncertain) }
    guard let reason, !isUncertain else { return result }
    return .failure(reason.error)
  }
}

/// The job that a source of values has under way, which is stopped when nobody wants them any more.
final class CurrentJob: Sendable {
  private struct State: Sendable {
    var job: Job?
    var isOver = false
  }

  private let state = Locked(State())

  /// Begins the next job, unless it is too late.
  func begin() -> Job? {
    state.withLock { state in
      guard !state.isOver else { return nil }
      let job = Job()
      state.job = job
      return job
    }
  }

  /// Stops the job that is under way, and lets no other begin.
  func stop() {
    let job = state.withLock { state in
      state.isOver = true
      return state.job.take()
    }
    job?.stop(.cancelled)
  }
}

/// That an access to a database was not done in time.
///
/// What it had done is rolled back, and what it had not begun never runs.
///
/// ```swift
/// do {
///   try await queue.transaction(deadline: .now + .seconds(2)) { connection in
///     try connection.execute(sql: "DELETE FROM event WHERE title LIKE '%draft%'")
///   }
/// } catch is DeadlineError {
///   print("It takes too long.")
/// }
/// ```
public struct DeadlineError: Error, Hashable, Sendable {
  /// When the access had to be done.
  public let deadline: ContinuousClock.Instant

  /// Makes an error, for example for a test of what handles it.
  public init(deadline: ContinuousClock.Instant) { self.deadline = deadline }
}

extension DeadlineError: CustomStringConvertible {
  /// A description for developers.
  public var description: String { "The access to the database was not done before its deadline" }
}
