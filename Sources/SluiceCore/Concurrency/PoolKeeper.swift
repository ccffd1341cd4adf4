import CSluice
import Dispatch
import Synchronization

/// The maintenance of a pool: its settings, and the time at which each kind of maintenance is due.
///
/// All times are durations since the creation of this object, measured by the clock of the settings. One alarm goes off
/// when maintenance is next due. While nothing is planned, there is no alarm.
final class PoolKeeper: Sendable {
  private let upkeep: PoolUpkeep
  private let label: String
  private let monitor: (any ConnectionMonitor)?
  /// Whether there were commits after the last complete checkpoint.
  private let isDirty = Atomic(false)
  /// Whether a checkpoint waits for its turn.
  private let isQueued = Atomic(false)
  /// The maintenance jobs that wait for the write connection.
  private let waitingJobs = WaitingJobs()
  /// Whether the write connection reports its commits.
  private let watchesCommits: Bool
  /// Whether checkpoints run in the background.
  private let checkpoints: Bool
  /// Whether another program runs the checkpoints of the WAL.
  private let leavesCheckpoints: Bool
  /// The number of frames at which writes are slowed or refused.
  private let limitFrames: Int
  private let clock: UpkeepClock
  private let policy: CheckpointPolicy
  private let starvation: StarvationReport
  private let state = Locked(State())

  private struct State: Sendable {
    weak var pool: ConnectionPool?
    /// The alarm that goes off when maintenance is next due, and its time.
    var alarm: (alarm: UpkeepClock.Alarm, time: Duration)?
    /// The time of the next checkpoint; the properties below are the times of the other kinds of maintenance.
    ///
    /// Each is nil while nothing of its kind is planned.
    var checkpointTime: Duration?
    var idleTime: Duration?
    var optimizeTime: Duration?
    var isEnded = false
  }

  /// Prepares to maintain the database of `connection`, or returns nil if there is nothing to maintain.
  init?(_ upkeep: PoolUpkeep, label: String, _ connection: Connection) throws {
    let isWAL = try !connection.isReadOnly() && connection.pragma(.journalMode) == .wal
    let automatic = isWAL ? try connection.walAutocheckpoint : 0
    leavesCheckpoints = isWAL && automatic == 0
    checkpoints =
      automatic > 0 && (upkeep.checkpointFrames != nil || upkeep.checkpointInterval != nil)
    watchesCommits =
      isWAL && (checkpoints || upkeep.walLimit != nil || upkeep.optimizeInterval != nil)
    guard watchesCommits || upkeep.idleReaderTimeout != nil else { return nil }
    let upkeep = upkeep.checked
    self.upkeep = upkeep
    self.label = label
    monitor = connection.configuration.monitor
    clock = UpkeepClock(upkeep.clock)
    if checkpoints, automatic == 1000, let frames = upkeep.checkpointFrames {
      try connection.setWALAutocheckpoint(4 * min(frames, 1 << 28))
    }
    if isWAL, let limit = upkeep.walLimit {
      // Each frame consists of a page and a header of 24 bytes.
      limitFrames = max(1, limit.bytes / (try connection.pragma(.pageSize) + 24))
    } else {
      limitFrames = .max
    }
    let starvation = StarvationReport()
    self.starvation = starvation
    policy = CheckpointPolicy(interval: .zero, patience: upkeep.readerPatience) { report in
      starvation.found.withLock { $0 = report }
    }
  }

  /// Begins the maintenance of a pool, whose write connection reports its commits from now on.
  func begin(for pool: ConnectionPool) throws {
    state.withLock { $0.pool = pool }
    guard watchesCommits else { return }
    _ = try pool.writer.sync { [weak self] connection in
      try connection.onWALCommit { _, commit in
        if commit.schema == "main" { self?.noteCommit(frames: commit.frames) }
      }
    }
  }

  /// Ends the maintenance.
  func end() {
    let alarm = state.withLock { state in
      state.isEnded = true
      defer { state.alarm = nil }
      return state.alarm?.alarm
    }
    alarm?.cancel()
  }

  private var pool: ConnectionPool? { state.withLock { $0.isEnded ? nil : $0.pool } }

  private func report(_ event: UpkeepRecord.Event) {
    guard let monitor else { return }
    let record = UpkeepRecord(label: label, event: event)
    inMonitor { monitor.upkeepDidRun(record) }
  }

  private func reportFailure(_ error: any Error) {
    guard let error = error as? SQLiteError else { return }
    report(.failed(error))
  }
}

// The plan.
extension PoolKeeper {
  /// Plans the work after a commit; called by the write connection.
  private func noteCommit(frames count: Int) {
    if count >= limitFrames { pool?.writer.interruptState.set(InterruptState.walLimit) }
    if checkpoints, count >= upkeep.checkpointFrames ?? .max { queueCheckpoint() }
    if !isDirty.load(ordering: .relaxed) {
      isDirty.store(true, ordering: .relaxed)
      plan { state, now in
        planCheckpoint(&state, now)
        if let interval = upkeep.optimizeInterval {
          state.optimizeTime = state.optimizeTime ?? now + interval
        }
      }
    }
  }

  private func planCheckpoint(_ state: inout State, _ now: Duration) {
    guard checkpoints, let interval = upkeep.checkpointInterval else { return }
    state.checkpointTime = state.checkpointTime ?? now + interval
  }

  /// Plans the closing of unused readers; called after a reader was opened.
  func noteReader() {
    guard let timeout = upkeep.idleReaderTimeout else { return }
    plan { state, now in state.idleTime = state.idleTime ?? now + timeout }
  }

  /// Changes the due times, and sets the alarm to the earliest one.
  private func plan(_ change: (inout State, _ now: Duration) -> Void) {
    let now = clock.now()
    let old = state.withLock { state -> UpkeepClock.Alarm? in
      change(&state, now)
      guard !state.isEnded else { return nil }
      let times = [state.checkpointTime, state.idleTime, state.optimizeTime].compactMap { $0 }
      let next = times.min()
      // An alarm that fires too early only sets the next alarm.
      if let next, let alarm = state.alarm, alarm.time <= next { return nil }
      defer { state.alarm = next.map { (clock.alarm($0) { [weak self] in self?.wake() }, $0) } }
      return state.alarm?.alarm
    }
    old?.cancel()
  }

  /// Starts the maintenance that is due.
  private func wake() {
    let now = clock.now()
    var due: [() -> Void] = []
    plan { state, _ in
      state.alarm = nil
      if let time = state.idleTime, time <= now {
        state.idleTime = nil
        due.append(closeIdleReaders)
      }
      if let time = state.checkpointTime, time <= now {
        state.checkpointTime = nil
        due.append(queueCheckpoint)
      }
      if let time = state.optimizeTime, time <= now {
        state.optimizeTime = nil
        due.append(optimize)
      }
    }
    for work in due { work() }
    releaseMemory()
  }
}

// The kinds of maintenance.
extension PoolKeeper {
  /// The number of accesses of the program that wait for the write connection.
  func waitingCount(of writer: SerialConnection) -> Int {
    max(0, writer.waitingCount - waitingJobs.count.load(ordering: .relaxed))
  }

  private func queueCheckpoint() {
    guard !isQueued.exchange(true, ordering: .relaxed) else { return }
    guard let writer = pool?.writer, !writer.isSuspended else {
      isQueued.store(false, ordering: .relaxed)
      return plan(planCheckpoint)
    }
    let place = WaitingJob(waitingJobs)
    writer.async(since: nil) { [weak self] connection in
      place.leave()
      return try self?.checkpoint(connection)
    } result: { [weak self] result in
      self?.tellCheckpoint(result)
    }
  }

  /// Runs a passive checkpoint on the write connection, unless other work is waiting for the connection.
  ///
  /// - Returns: The checkpoint and its duration; nil if none ran.
  private func checkpoint(_ connection: Connection) throws -> (Checkpoint, Duration)? {
    isQueued.store(false, ordering: .relaxed)
    guard let writer = pool?.writer, waitingCount(of: writer) == 0 else { return nil }
    let start = clock.now()
    guard let checkpoint = try policy.apply(to: connection, at: .epoch + start) else { return nil }
    if checkpoint.isComplete {
      isDirty.store(false, ordering: .relaxed)
      plan { state, _ in state.checkpointTime = nil }
    }
    return (checkpoint, clock.now() - start)
  }

  private func tellCheckpoint(_ result: Result<(Checkpoint, Duration)?, any Error>) {
    // A job whose connection was suspended just before has not called `checkpoint(_:)`.
    isQueued.store(false, ordering: .relaxed)
    // An incomplete checkpoint is repeated.
    if isDirty.load(ordering: .relaxed) { plan(planCheckpoint) }
    switch result {
    case .success(nil): break
    case .success(let (checkpoint, duration)?):
      report(.checkpoint(checkpoint, duration))
      let found = starvation.found.withLock { found in
        defer { found = nil }
        return found
      }
      guard let found, let pool else { break }
      report(
        .heldWAL(found, readers: pool.readers?.runningReads ?? [], walSize: pool.walSize ?? 0))
    case .failure(let error):
      if pool != nil { reportFailure(error) }
    }
  }

  private func closeIdleReaders() {
    guard let readers = pool?.readers else { return }
    let count = readers.closeUnused()
    if count > 0 { report(.closedReaders(count: count)) }
    if readers.isOpen { noteReader() }
  }

  private func optimize() {
    guard let writer = pool?.writer else { return }
    guard !writer.isSuspended else { return optimizeSoon() }
    let place = WaitingJob(waitingJobs)
    writer.async(since: nil) { [weak self, weak writer] connection -> Duration? in
      place.leave()
      guard let self, let writer, waitingCount(of: writer) == 0 else { return nil }
      let start = clock.now()
      inMonitor { connection.optimizeWithoutWaiting() }
      return clock.now() - start
    } result: { [weak self] result in
      guard let self, pool != nil else { return }
      switch result {
      case .success(let duration?): report(.optimized(duration))
      case .success(nil): optimizeSoon()
      case .failure(let error):
        reportFailure(error)
        optimizeSoon()
      }
    }
  }

  /// Plans another attempt, because the write connection was in use or suspended.
  private func optimizeSoon() {
    plan { state, now in state.optimizeTime = state.optimizeTime ?? now + .seconds(60) }
  }

  /// Releases memory if SQLite uses more than its soft limit.
  private func releaseMemory() {
    guard let limit = SQLiteLibrary.softHeapLimit, let pool,
      sqlite3_memory_used() > Int64(clamping: limit)
    else { return }
    pool.releaseMemoryLater { [weak self] in self?.report(.releasedMemory) }
  }
}

// The WAL limit.
extension PoolKeeper {
  /// Tries to restart a WAL that has reached its limit; called before an access to the write connection.
  func relieveWAL(_ connection: Connection, _ interruptState: InterruptState) {
    guard let limit = upkeep.walLimit else { return }
    let start = clock.now()
    var patience = Duration.zero
    if case .slowWrites(_, let duration) = limit { patience = duration }
    // While a replicator runs, a RESTART checkpoint would only hold locks that the replicator's own checkpoint needs.
    let isRelieved =
      leavesCheckpoints
      ? connection.checkpointPassively(waiting: patience, below: limitFrames)
      : connection.restartWAL(waiting: patience)
    if isRelieved { interruptState.clear(InterruptState.walLimit) }
    if case .refuseWrites(let bytes) = limit {
      connection.state.writes.policy.walLimit = isRelieved ? nil : refusal(bytes)
    }
    let event = UpkeepRecord.Event.walLimit(
      walSize: pool?.walSize ?? 0, isRelieved: isRelieved, clock.now() - start)
    pool?.writer.afterCompletions { [weak self] in self?.report(event) }
  }

  private func refusal(_ bytes: Int) -> SQLiteError {
    let reader = pool?.readers?.runningReads.first.flatMap { read in
      read.sql.map { "; \(read.label) runs: \($0)" }
    }
    return SQLiteError(
      .busy,
      "The WAL has reached the limit of \(bytes) bytes, and readers keep it from restarting"
        + (reader ?? ""))
  }
}

/// The number of maintenance jobs that wait for the write connection.
private final class WaitingJobs: Sendable {
  let count = Atomic(0)
}

/// A maintenance job that counts as waiting until it begins, or until it is released without having run.
private final class WaitingJob: Sendable {
  private let jobs: WaitingJobs
  private let hasLeft = Atomic(false)

  init(_ jobs: WaitingJobs) {
    self.jobs = jobs
    jobs.count.add(1, ordering: .relaxed)
  }

  deinit { leave() }

  func leave() {
    if !hasLeft.exchange(true, ordering: .relaxed) { jobs.count.subtract(1, ordering: .relaxed) }
  }
}

/// The latest report of the checkpoint policy, until the report is passed to the monitor.
private final class StarvationReport: Sendable {
  let found = Locked<WALStarvation?>(nil)
}

extension ContinuousClock.Instant {
  /// The origin of the times that are passed to a checkpoint policy.
  fileprivate static let epoch = ContinuousClock.now
}

/// A wrapper for any clock, which measures the time since the wrapper was created.
private struct UpkeepClock: Sendable {
  let now: @Sendable () -> Duration
  /// Returns an alarm that calls a closure at a time, unless it is cancelled first.
  let alarm: @Sendable (_ time: Duration, _ body: @escaping @Sendable () -> Void) -> Alarm

  struct Alarm: Sendable {
    let cancel: @Sendable () -> Void
  }

  init(_ clock: some Clock<Duration>) {
    let start = clock.now
    let now = { @Sendable in start.duration(to: clock.now) }
    self.now = now
    guard clock is ContinuousClock else {
      alarm = { time, body in
        let task = Task.detached(priority: .background) {
          // The sleep throws only if the alarm is cancelled.
          guard (try? await clock.sleep(until: start.advanced(by: time), tolerance: nil)) != nil,
            !Task.isCancelled
          else { return }
          body()
        }
        return Alarm { task.cancel() }
      }
      return
    }
    // Swift keeps the memory of a sleep that is cancelled until its time, which can be hours away.
    alarm = { time, body in
      let timer = Timer(after: time - now()) {
        DispatchQueue.global(qos: .background).async(execute: body)
      }
      return Alarm { timer.cancel() }
    }
  }
}
