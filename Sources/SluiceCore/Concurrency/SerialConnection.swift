public import CSluice
import Dispatch
public import Synchronization

/// A connection that calls use one after another, in their order.
///
/// The lock lets in one call at a time, and the dispatch queue keeps the jobs in order. A synchronous call takes the lock
/// directly while no job waits, and otherwise waits behind the jobs.
///
/// What each synchronous call does is compiled into the module that calls, together with its body.
@usableFromInline final class SerialConnection: Sendable {
  @usableFromInline typealias Body<T> = (inout sending Connection) throws -> T

  @usableFromInline let connection: Locked<Connection>
  /// How many calls have been promised a place behind those that came before them.
  @usableFromInline let waiting = Atomic(0)
  /// The thread that runs a job, or releases what one has left behind, or 0.
  @usableFromInline let jobThread = Atomic<UInt>(0)
  /// What stops a body, and what is to be seen to before or after one.
  @usableFromInline let interruptState = InterruptState()
  let label: String
  /// Who is told of each access, if anybody is.
  let monitor: (any ConnectionMonitor)?
  /// True while the queue is suspended.
  let suspension = Locked(false)
  /// How often it has come to stand still.
  let halts = Atomic(0)
  /// Who is told of what is committed here.
  let commits = CommitCenter()
  /// The path of the main database, or nil if it is no file.
  let path: String?
  let number: UInt64
  let jobs: DispatchQueue
  /// Completions run apart from the jobs, and from their target, so that they can wait for a job.
  private let completions: DispatchQueue
  /// Where those who listen are told of jobs, in their order, and apart from them; nil if nobody listens.
  private let reports: DispatchQueue?
  /// Whether a transaction may stay open from one call to the next.
  let keepsTransactions: Bool
  /// The name of the owner, for errors.
  let owner: Owner

  enum Owner { case queue, pool, snapshot }

  init(
    label: String, qos: DispatchQoS, target: DispatchQueue?, keepsTransactions: Bool = false,
    of owner: Owner = .queue, _ connection: sending Connection
  ) {
    number = connection.number
    path = connection.path().flatMap { $0.isEmpty ? nil : $0 }
    self.label = label
    self.owner = owner
    monitor = connection.configuration.monitor
    // As if a job waited always: a call that takes the lock directly is not measured.
    if monitor != nil { waiting.store(1, ordering: .relaxed) }
    self.keepsTransactions = keepsTransactions
    jobs = DispatchQueue(label: label, qos: qos, target: target)
    reports = monitor.map { _ in DispatchQueue(label: label + ".reports", qos: qos) }
    completions = DispatchQueue(label: label + ".completions", qos: qos)
    connection.listen(to: interruptState)
    self.connection = Locked(connection)
  }

  deinit {
    // Dispatch stands no suspended queue that goes.
    resume()
    // Nobody is left to hear of a failure; the connection closes all the same.
    connection.withLock { connection in
      interruptState.holder.store(sluice_current_thread(), ordering: .relaxed)
      defer { interruptState.holder.store(0, ordering: .relaxed) }
      try? connection.close()
    }
  }

  /// Lends the connection on the calling thread.
  @inlinable @inline(__always)
  func sync<T: Sendable>(_ body: Body<T>) throws -> T {
    let thread = sluice_current_thread()
    guard interruptState.holder.load(ordering: .relaxed) != thread else { throw nested }
    // What a job leaves behind, which is released before the next one, cannot wait in line.
    guard waiting.load(ordering: .acquiring) == 0 || jobThread.load(ordering: .relaxed) == thread
    else { return try syncInTurn(body) }
    return try lend(to: thread, body)
  }

  /// Lends the connection on the calling thread, after those that wait in line.
  @usableFromInline
  func syncInTurn<T: Sendable>(_ body: Body<T>) throws -> T {
    try monitored(since: called) { timer in try lendInTurn(timer, body) }
  }

  /// Lends the connection on the calling thread, after those that wait in line, and tells nobody of it.
  func lendInTurn<T: Sendable>(_ timer: AccessTimer?, _ body: Body<T>) throws -> T {
    let thread = sluice_current_thread()
    // What a job leaves behind is in line already.
    guard jobThread.load(ordering: .relaxed) != thread else {
      return try lend(to: thread, timer, body)
    }
    waiting.add(1, ordering: .acquiringAndReleasing)
    return try jobs.sync {
      try lend(to: sluice_current_thread(), leavingTurn: true, timer, body)
    }
  }

  /// Lends the connection later, and hands on what came of it.
  func async<T: Sendable>(
    qos: DispatchQoS = .unspecified,
    _ body: @escaping @Sendable (inout sending Connection) throws -> T,
    result: @escaping @Sendable (Result<T, any Error>) -> Void
  ) {
    async(qos: qos, since: called, body, result: result)
  }

  /// Lends the connection later, and hands on what came of it: to `leaving` from the queue of the jobs, and
  /// to `result` when those who listen were told, in the task if it has run.
  func async<T: Sendable>(
    qos: DispatchQoS = .unspecified, since called: ContinuousClock.Instant?,
    tellingIn task: AwaitingTask? = nil,
    _ body: @escaping @Sendable (inout sending Connection) throws -> T,
    leaving: @escaping @Sendable (Result<T, any Error>) -> Void = { _ in },
    result: @escaping @Sendable (Result<T, any Error>) -> Void
  ) {
    waiting.add(1, ordering: .acquiringAndReleasing)
    nonisolated(unsafe) var job: (() -> Void)? = { [self] in
      let (outcome, record) = measured(since: called) { timer in
        try lend(to: sluice_current_thread(), leavingTurn: true, timer, body)
      }
      leaving(outcome)
      guard let reports else { return result(outcome) }
      // A monitor may use the connection, and would wait for this job.
      reports.async(qos: qos) { [self] in
        if let task, task.hasRun { task.run { tell(record) } } else { tell(record) }
        result(outcome)
      }
    }
    jobs.async(qos: qos) { [self] in
      jobThread.store(sluice_current_thread(), ordering: .relaxed)
      unsafe job?()
      // Dispatch would release it only when nobody can tell any more whose job it was.
      unsafe job = nil
      jobThread.store(0, ordering: .relaxed)
    }
  }

  /// Lends the connection later, and calls `completion`, if there is one.
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

  /// Calls a completion, if there is one, where it may use this connection again, and leaves the group.
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

  /// Calls `body` where completions are called, after those that wait there.
  func afterCompletions(_ body: @escaping @Sendable () -> Void) { completions.async(execute: body) }

  /// Lends the connection to the calling thread, when it is its turn, and measures for how long.
  func lend<T: Sendable>(
    to thread: UInt, leavingTurn: Bool = false, _ timer: AccessTimer?, _ body: Body<T>
  ) throws -> T {
    guard let timer else { return try lend(to: thread, leavingTurn: leavingTurn, body) }
    return try lend(to: thread, leavingTurn: leavingTurn) { connection in
      timer.begin()
      defer { timer.end() }
      return try body(&connection)
    }
  }

  /// Lends the connection to the calling thread, when it is its turn.
  @inlinable @inline(__always)
  func lend<T: Sendable>(
    to thread: UInt, leavingTurn: Bool = false, _ body: Body<T>
  ) throws -> T {
    try connection.withLock { connection in
      if leavingTurn { waiting.subtract(1, ordering: .acquiringAndReleasing) }
      return try lend(&connection, to: thread, body)
    }
  }

  /// Lends the connection to the calling thread, which has the lock.
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
        .misuse, "The \(owner) is in use by this very call: use the connection that it has lent")
    }
  }

  var replaced: SQLiteError {
    SQLiteError(
      .misuse,
      "A body has put another connection in place of the \(owner)'s, which is closed for good")
  }

  var closed: SQLiteError { SQLiteError(.misuse, "The \(owner) is closed") }
}

// Accesses that can be stopped: by their task, by a deadline, or by a queue that closes.
extension SerialConnection {
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
    async(qos: qos, since: called, tellingIn: job.task) { [interruptState] connection in
      try job.run(interruptState, on: &connection, body)
    } result: { outcome in
      guard job.complete() else { return }
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
    guard interruptState.holder.load(ordering: .relaxed) != sluice_current_thread() else {
      throw nested
    }
    return try monitored(since: called) { timer in
      try lend(Job(deadline: deadline), isInTurn: true, timer, body)
    }
  }

  /// Lends the connection on the calling thread, unless `current` is stopped before.
  func sync<T: Sendable>(_ current: CurrentJob, _ body: Body<T>) throws -> T {
    guard interruptState.holder.load(ordering: .relaxed) != sluice_current_thread() else {
      throw nested
    }
    guard let job = current.begin() else { throw CancellationError() }
    return try monitored(since: called) { timer in
      try lend(job, isInTurn: true, timer, body)
    }
  }

  /// Lends the connection on the calling thread, unless the job is stopped before, and tells nobody of it.
  ///
  /// It need not wait in line if nobody else can be there.
  func lend<T: Sendable>(
    _ job: Job, isInTurn: Bool, _ timer: AccessTimer?, _ body: Body<T>
  ) throws -> T {
    let thread = sluice_current_thread()
    let turn = DispatchSemaphore(value: 0)
    guard job.wait({ _ in turn.signal() }) else { throw job.stopped }
    // What a job leaves behind, which is released before the next one, cannot wait in line.
    let isInTurn = isInTurn && jobThread.load(ordering: .relaxed) != thread
    let over = DispatchSemaphore(value: 0)
    if isInTurn {
      waiting.add(1, ordering: .acquiringAndReleasing)
      jobs.async {
        // The job keeps the place in line, from where the calling thread goes on.
        turn.signal()
        over.wait()
      }
      turn.wait()
    }
    defer { over.signal() }
    let result = Result {
      try lendSoon(job, to: thread, leavingTurn: isInTurn) { connection in
        timer?.begin()
        defer { timer?.end() }
        return try body(&connection)
      }
    }
    guard job.complete() else { throw job.stopped }
    return try job.verdict(result).get()
  }

  /// Lends the connection as soon as nobody else has it, who has taken the lock directly.
  private func lendSoon<T: Sendable>(
    _ job: Job, to thread: UInt, leavingTurn: Bool, _ body: Body<T>
  ) throws -> T {
    defer { if leavingTurn { waiting.subtract(1, ordering: .acquiringAndReleasing) } }
    while true {
      if let reason = job.reason { throw reason.error }
      let value = try connection.withLockIfAvailable { connection in
        try lend(&connection, to: thread) { connection in
          try job.run(interruptState, on: &connection, body)
        }
      }
      if let value { return value }
      sqlite3_sleep(1)
    }
  }
}
