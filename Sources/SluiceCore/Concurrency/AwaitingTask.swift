import Dispatch

/// A suspended task in which other threads run closures until the task is resumed.
///
/// In such a closure, the task-local values, the priority and the cancellation of the task are available. The task
/// suspends itself by calling an actor whose executor has no thread and only stores the job. `run` and `finish` run
/// that job on the calling thread. After each closure, the task suspends itself again by calling a second such
/// actor, because calling the first actor again would not suspend the task. A continuation is no alternative: it
/// would resume the task on the global executor.
final class AwaitingTask: Sendable {
  private let state = Locked(State())

  private struct State: Sendable {
    /// The closure to call once the task is suspended for the first time.
    var start: (@Sendable () -> Void)?
    /// The executor job that resumes the task, and its actor; nil unless the task is suspended.
    var place: Place?
    /// The closure to run in the task, for which the thread that created it waits.
    var work: Lent<() -> Void>?
    var hasRun = false
    var isOver = false

    /// Whether the suspended task must continue at once: it waits in its first actor, or `finish()` was called.
    var goesOn: Bool { place.map { isOver || $0.room.isEntrance } ?? false }
  }

  private struct Place: Sendable {
    let job: UnownedJob
    let room: Room
  }

  /// Suspends the calling task, calls `start`, and returns after `finish()` has been called.
  ///
  /// Each asynchronous function that is not inlined needs a frame. If all frames of a task fit into its first kilobyte,
  /// the task does not allocate a second one.
  @inline(__always)
  func wait(_ start: @escaping @Sendable () -> Void) async {
    state.withLock { $0.start = start }
    await Room(self, isEntrance: true).stay(Room(self, isEntrance: false))
  }

  /// Runs `work` in the task, on the calling thread.
  ///
  /// No other thread may call `finish()` during this call.
  func run(_ work: () -> Void) {
    withoutActuallyEscaping(work) { work in
      let work = Lent(work)
      state.withLock { state in
        state.work = work
        state.hasRun = true
      }
      goOn()
    }
  }

  /// Whether a closure has run in the task.
  var hasRun: Bool { state.withLock { $0.hasRun } }

  /// Resumes the task, so that `wait(_:)` returns.
  func finish() {
    let hasRun = state.withLock { state in
      state.isOver = true
      return state.hasRun
    }
    if hasRun { return goOn() }
    // The task is resumed on another thread, because the calling thread may be in the middle of suspending or
    // cancelling the task.
    DispatchQueue.global(qos: .userInitiated).async { [self] in goOn() }
  }

  /// Runs the task until it waits in its second actor, has ended, or is run by another thread.
  private func goOn() {
    repeat {
      guard let place = state.withLock({ $0.place.take() }) else { return }
      unsafe place.job.runSynchronously(on: place.room.unownedExecutor)
    } while state.withLock { $0.goesOn }
  }

  fileprivate func suspend(_ job: UnownedJob, in room: Room) {
    let start = state.withLock { state in
      state.place = Place(job: job, room: room)
      return state.start.take()
    }
    // The task may end while `start` still runs, and then release everything that `start` does not retain.
    start?()
  }

  fileprivate func work() {
    unsafe state.withLock { $0.work.take() }?.value()
  }

  fileprivate var isOver: Bool { state.withLock { $0.isOver } }
}

/// An actor that is its own executor, and passes each job to an `AwaitingTask` instead of running the job.
private actor Room: SerialExecutor {
  private nonisolated let task: AwaitingTask
  nonisolated let isEntrance: Bool

  init(_ task: AwaitingTask, isEntrance: Bool) {
    self.task = task
    self.isEntrance = isEntrance
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe asUnownedSerialExecutor() }

  nonisolated func enqueue(_ job: consuming ExecutorJob) {
    task.suspend(UnownedJob(job), in: self)
  }

  /// Runs the task's closure each time the task is resumed, until `finish()` is called.
  func stay(_ other: Room) async {
    repeat { task.work() } while await !other.isOver()
  }

  @inline(never)
  private func isOver() -> Bool { task.isOver }
}
