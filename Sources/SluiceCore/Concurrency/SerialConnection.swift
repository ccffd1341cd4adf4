public import CSluice
import Dispatch
public import Synchronization

/// A connection that calls use one after another, in the order of the calls.
///
/// The lock admits one call at a time, and the dispatch queue keeps the jobs in order. A synchronous call acquires
/// the lock directly while no job waits, and otherwise waits behind the jobs.
///
/// The code of a synchronous call is inlined into the calling module, together with the body.
@usableFromInline final class SerialConnection: Sendable {
  @usableFromInline typealias Body<T> = (inout sending Connection) throws -> T

  @usableFromInline let connection: Locked<Connection>
  /// The number of calls that have a guaranteed place in the order of calls, behind all earlier calls.
  @usableFromInline let waiting = Atomic(0)
  /// The thread that runs a job, or that releases the objects of a job; otherwise 0.
  @usableFromInline let jobThread = Atomic<UInt>(0)
  /// The state that stops a body, and the conditions that require attention before or after a body.
  @usableFromInline let interruptState = InterruptState()
  let identity: Identity
  /// The monitor that each access is reported to, if any.
  let reporting: Reporting?
  let suspension = Locked(Suspension())
  /// The observers of the commits on this connection.
  let commits = CommitCenter()
  let jobs: DispatchQueue
  /// The queue that calls completion handlers.
  ///
  /// This queue is separate from the jobs and from their target, so that a completion handler can wait for a job.
  private let completions: DispatchQueue
  /// The live queries that fetch with this connection.
  let fetches = FetchQueue(limit: 1)
  /// The maintenance of the pool whose write connection this is, if there is any.
  let keeper: PoolKeeper?

  /// The properties of a connection and its owner that never change.
  struct Identity {
    let label: String
    let owner: Owner
    /// The path of the main database; nil if it is not a file.
    let path: String?
    /// The number of the connection, which a closure can replace by another one.
    let number: UInt64
  }

  struct Reporting {
    let monitor: any ConnectionMonitor
    /// The queue that reports jobs in order, outside the jobs.
    let queue: DispatchQueue
  }

  enum Owner {
    case queue, readQueue, pool, snapshot

    /// The name for error messages.
    var name: String {
      switch self {
      case .queue, .readQueue: "queue"
      case .pool: "pool"
      case .snapshot: "snapshot"
      }
    }

    /// Whether a transaction may remain open from one call to the next.
    var keepsTransactions: Bool { self == .readQueue || self == .snapshot }
  }

  struct Suspension {
    var isSuspended = false
    /// The number of suspensions so far.
    var count = 0
  }

  init(
    label: String, qos: DispatchQoS, target: DispatchQueue?, of owner: Owner = .queue,
    keeper: PoolKeeper? = nil, _ connection: sending Connection
  ) {
    self.keeper = keeper
    let path = connection.path().flatMap { $0.isEmpty ? nil : $0 }
    identity = Identity(label: label, owner: owner, path: path, number: connection.number)
    reporting = connection.configuration.monitor.map {
      Reporting(monitor: $0, queue: DispatchQueue(label: label + ".reports", qos: qos))
    }
    // With a monitor, the count is never 0, so that no call takes the direct path, where nothing is measured.
    if reporting != nil { waiting.store(1, ordering: .relaxed) }
    jobs = DispatchQueue(label: label, qos: qos, target: target)
    completions = DispatchQueue(label: label + ".completions", qos: qos)
    connection.listen(to: interruptState)
    self.connection = Locked(connection)
  }

  deinit {
    // Dispatch traps if a suspended queue is released.
    resume()
    // A deinit cannot report an error, but the connection closes even if there is one.
    connection.withLock { connection in
      interruptState.holder.store(sluice_current_thread(), ordering: .relaxed)
      defer { interruptState.holder.store(0, ordering: .relaxed) }
      try? connection.close()
    }
  }

  /// Runs `body` with the connection on the calling thread, and returns its result.
  @inlinable @inline(__always)
  func sync<T: Sendable>(_ body: Body<T>) throws -> T {
    let thread = sluice_current_thread()
    guard interruptState.holder.load(ordering: .relaxed) != thread else { throw nested }
    // A job releases its objects before the next job begins. If the deinit of such an object makes this call, the
    // call cannot wait for its turn.
    guard waiting.load(ordering: .acquiring) == 0 || jobThread.load(ordering: .relaxed) == thread
    else { return try syncInTurn(body) }
    return try lend(to: thread, body)
  }

  /// Runs `body` with the connection on the calling thread, after the waiting jobs.
  @usableFromInline
  func syncInTurn<T: Sendable>(_ body: Body<T>) throws -> T {
    try monitored(since: called) { timer in try lendInTurn(timer, body) }
  }

  /// Runs `body` with the connection on the calling thread, after the waiting jobs, without a report to the
  /// monitor.
  func lendInTurn<T: Sendable>(_ timer: AccessTimer?, _ body: Body<T>) throws -> T {
    let thread = sluice_current_thread()
    // A call from the deinit of an object that a job releases does not wait, because the job still has its turn.
    guard jobThread.load(ordering: .relaxed) != thread else {
      return try lend(to: thread, timer, body)
    }
    waiting.add(1, ordering: .acquiringAndReleasing)
    return try jobs.sync {
      try lend(to: sluice_current_thread(), leavingTurn: true, timer, body)
    }
  }

  /// Schedules `body` to run with the connection, and calls `result` with the result.
  func async<T: Sendable>(
    qos: DispatchQoS = .unspecified,
    _ body: @escaping @Sendable (inout sending Connection) throws -> T,
    result: @escaping @Sendable (Result<T, any Error>) -> Void
  ) {
    async(qos: qos, since: called, body, result: result)
  }

  /// Schedules `body` to run with the connection, and calls `leaving` and then `result` with the result.
  ///
  /// `leaving` is called on the dispatch queue of the jobs. `result` is called after the report to the monitor,
  /// which is made in `task` if a closure has run there.
  func async<T: Sendable>(
    qos: DispatchQoS = .unspecified, since called: ContinuousClock.Instant?,
    tellingIn task: AwaitingTask? = nil,
    _ body: @escaping @Sendable (inout sending Connection) throws -> T,
    leaving: (@Sendable (Result<T, any Error>) -> Void)? = nil,
    result: @escaping @Sendable (Result<T, any Error>) -> Void
  ) {
    waiting.add(1, ordering: .acquiringAndReleasing)
    nonisolated(unsafe) var job: (() -> Void)? = { [self] in
      let (outcome, report) = measured(since: called) { timer in
        try lend(to: sluice_current_thread(), leavingTurn: true, timer, body)
      }
      leaving?(outcome)
      guard let reporting else { return result(outcome) }
      // A monitor may use the connection, and from inside this job it would wait for the job itself.
      reporting.queue.async { [self] in
        if let task, task.hasRun { task.run { tell(report) } } else { tell(report) }
        result(outcome)
      }
    }
    jobs.async(qos: qos) { [self] in
      jobThread.store(sluice_current_thread(), ordering: .relaxed)
      unsafe job?()
      // The release happens now, while `jobThread` still identifies this job.
      unsafe job = nil
      jobThread.store(0, ordering: .relaxed)
    }
  }

  /// Schedules `body` to run with the connection, and calls the optional `completion` with the result.
  func async<T: Sendable>(
    group: DispatchGroup?, qos: DispatchQoS,
    _ body: @escaping @Sendable (inout sending Connection) throws -> T,
    completion: (@Sendable (Result<T, any Error>) -> Void)?
  ) {
    group?.enter()
    async(qos: qos, body) { [self] result in
      complete(result, group: group, qos: qos, completion)
    }
  }

  /// Calls an optional completion handler on a queue where it may use this connection, and leaves the group.
  func complete<T: Sendable>(
    _ result: Result<T, any Error>, group: DispatchGroup?, qos: DispatchQoS,
    _ completion: (@Sendable (Result<T, any Error>) -> Void)?
  ) {
    guard let completion else {
      group?.leave()
      return
    }
    completions.async(qos: qos) {
      completion(result)
      group?.leave()
    }
  }

  /// Calls `body` on the queue of completion handlers, after the handlers that already wait there.
  func afterCompletions(_ body: @escaping @Sendable () -> Void) { completions.async(execute: body) }

  /// Runs `body` on the calling thread when it is the thread's turn, and measures the duration.
  func lend<T: Sendable>(
    to thread: UInt, leavingTurn: Bool = false, _ timer: AccessTimer?, _ body: Body<T>
  ) throws -> T {
    guard let timer else { return try lend(to: thread, leavingTurn: leavingTurn, body) }
    return try connection.withLock { connection in
      if leavingTurn { waiting.subtract(1, ordering: .acquiringAndReleasing) }
      return try lend(&connection, to: thread, explainingFor: timer) { connection in
        timer.begin()
        defer { timer.end() }
        return try body(&connection)
      }
    }
  }

  /// Runs `body` on the calling thread when it is the thread's turn.
  @inlinable @inline(__always)
  func lend<T: Sendable>(
    to thread: UInt, leavingTurn: Bool = false, _ body: Body<T>
  ) throws -> T {
    try connection.withLock { connection in
      if leavingTurn { waiting.subtract(1, ordering: .acquiringAndReleasing) }
      return try lend(&connection, to: thread, body)
    }
  }

  /// Runs `body` on the calling thread, which holds the lock.
  @inlinable @inline(__always)
  func lend<T: Sendable>(
    _ connection: inout sending Connection, to thread: UInt, _ body: Body<T>
  ) throws -> T {
    interruptState.holder.store(thread, ordering: .relaxed)
    defer { interruptState.holder.store(0, ordering: .relaxed) }
    if interruptState.flags.load(ordering: .acquiring) != 0 { try prepare(&connection) }
    let value: T
    do { value = try body(&connection) } catch {
      finishFailed(&connection, error)
      throw error
    }
    try finish(&connection)
    return value
  }
}

extension SerialConnection {
  @usableFromInline var nested: SQLiteError {
    @inline(never) get {
      SQLiteError(
        .misuse,
        "The \(identity.owner.name) is already in use by this call; use the connection that the closure received"
      )
    }
  }

  var replaced: SQLiteError {
    SQLiteError(
      .misuse,
      "A closure replaced the connection of the \(identity.owner.name), which is therefore closed permanently"
    )
  }

  var closed: SQLiteError { SQLiteError(.misuseClosed, "The \(identity.owner.name) is closed") }
}

// Accesses that can be stopped: by their task, by a deadline, or by a queue that closes.
extension SerialConnection {
  /// Runs `body` with the connection, and returns its result without blocking a thread.
  @inline(__always)
  func perform<T: Sendable>(
    qos: DispatchQoS = .unspecified, deadline: ContinuousClock.Instant?,
    _ body: @escaping @Sendable (inout sending Connection) throws -> T
  ) async throws -> T {
    try await Job.result(deadline: deadline) { job, result in
      self.start(job, qos: qos, body, result: result)
    }
  }

  /// Schedules `body` to run with the connection, unless the job is stopped first, and calls `result` with the
  /// result.
  func start<T: Sendable>(
    _ job: Job, qos: DispatchQoS = .unspecified,
    _ body: @escaping @Sendable (inout sending Connection) throws -> T,
    result: @escaping @Sendable (Result<T, any Error>) -> Void
  ) {
    guard job.wait({ result(.failure($0)) }) else {
      return result(.failure(job.stopped))
    }
    async(qos: qos, since: called, tellingIn: job.task) { [interruptState] connection in
      try job.run(interruptState, on: &connection, body)
    } result: { outcome in
      guard job.complete() else { return }
      result(job.verdict(outcome))
    }
  }

  /// Runs `body` with the connection on the calling thread, with an optional deadline.
  @inlinable
  func sync<T: Sendable>(until deadline: ContinuousClock.Instant?, _ body: Body<T>) throws -> T {
    guard let deadline else { return try sync(body) }
    return try sync(deadline: deadline, body)
  }

  /// Runs `body` with the connection on the calling thread, unless the deadline passes first.
  ///
  /// If the deadline passes while `body` runs, `body` is interrupted.
  @usableFromInline
  func sync<T: Sendable>(deadline: ContinuousClock.Instant, _ body: Body<T>) throws -> T {
    guard interruptState.holder.load(ordering: .relaxed) != sluice_current_thread() else {
      throw nested
    }
    return try monitored(since: called) { timer in
      try lend(Job(deadline: deadline), isInTurn: true, timer, body)
    }
  }

  /// Runs `body` with the connection on the calling thread, unless `current` is stopped first.
  func sync<T: Sendable>(_ current: CurrentJob, _ body: Body<T>) throws -> T {
    guard interruptState.holder.load(ordering: .relaxed) != sluice_current_thread() else {
      throw nested
    }
    guard let job = current.begin() else { throw CancellationError() }
    return try monitored(since: called) { timer in
      try lend(job, isInTurn: true, timer, body)
    }
  }

  /// Runs `body` on the calling thread without reporting to the monitor, unless the job is stopped first.
  ///
  /// If `isInTurn` is true, the call first waits for its turn. Pass false if no other call can be waiting.
  func lend<T: Sendable>(
    _ job: Job, isInTurn: Bool, _ timer: AccessTimer?, _ body: Body<T>
  ) throws -> T {
    let thread = sluice_current_thread()
    let turn = DispatchSemaphore(value: 0)
    guard job.wait({ _ in turn.signal() }) else { throw job.stopped }
    // A job releases its objects before the next job begins. If the deinit of such an object makes this call, the
    // call cannot wait for its turn.
    let isInTurn = isInTurn && jobThread.load(ordering: .relaxed) != thread
    let over = DispatchSemaphore(value: 0)
    if isInTurn {
      waiting.add(1, ordering: .acquiringAndReleasing)
      jobs.async {
        // The job keeps the place in the queue, while the calling thread does the work.
        turn.signal()
        over.wait()
      }
      turn.wait()
    }
    defer { over.signal() }
    let result = Result {
      try lendSoon(job, to: thread, leavingTurn: isInTurn, timer) { connection in
        timer?.begin()
        defer { timer?.end() }
        return try body(&connection)
      }
    }
    guard job.complete() else { throw job.stopped }
    return try job.verdict(result).get()
  }

  /// Runs `body` as soon as the lock is free: a call that did not wait for a turn may still hold it.
  ///
  /// The method polls, because no wait for a `Mutex` can be stopped, and a signal at each release would slow down every
  /// access. It waits only for calls that began earlier: later ones see that this one waits, and take a turn.
  private func lendSoon<T: Sendable>(
    _ job: Job, to thread: UInt, leavingTurn: Bool, _ timer: AccessTimer?, _ body: Body<T>
  ) throws -> T {
    defer { if leavingTurn { waiting.subtract(1, ordering: .acquiringAndReleasing) } }
    while true {
      if let reason = job.reason { throw reason.error }
      let value = try connection.withLockIfAvailable { connection in
        try lend(&connection, to: thread, explainingFor: timer) { connection in
          try job.run(interruptState, on: &connection, body)
        }
      }
      if let value { return value }
      sqlite3_sleep(1)
    }
  }
}
