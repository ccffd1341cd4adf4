import Dispatch

/// A suspended task in which other threads run closures until the task is resumed.
///
/// In such a closure, the task-local values, the priority and the cancellation of the task are available. The task
/// suspends itself by calling this actor, whose executor has no thread and only stores the job. `run` and `finish` run
/// that job on the calling thread. After each closure, the task suspends itself again by calling a second such
/// actor, because calling the first actor again would not suspend the task. A continuation is no alternative: it
/// would resume the task on the global executor.
///
/// A program can have many tasks that wait, so each object counts, and each variable in the frame of an asynchronous
/// function.
actor AwaitingTask: SerialExecutor {
  private nonisolated let state = Locked(State())

  private struct State: Sendable {
    /// The closure to call once the task is suspended for the first time.
    var start: (@Sendable () -> Void)?
    /// The executor job that resumes the task; nil unless the task is suspended.
    var job: UnownedJob?
    /// The second actor, if the task waits in it.
    var room: Room?
    /// The closure to run in the task, for which the thread that created it waits.
    var work: Lent<() -> Void>?
    /// The `Box` of the result, once there is one.
    var result: (any AnyObject & Sendable)?
    var hasRun = false

    /// Whether the suspended task must continue at once: it waits in its first actor, or there is a result.
    var goesOn: Bool { job != nil && (room == nil || result != nil) }
  }

  private final class Box<T: Sendable>: Sendable {
    let result: Result<T, any Error>
    init(_ result: Result<T, any Error>) { self.result = result }
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe asUnownedSerialExecutor() }

  /// Stores the closure that `wait()` calls.
  nonisolated func prepare(_ start: @escaping @Sendable () -> Void) {
    state.withLock { $0.start = start }
  }

  /// Suspends the calling task, calls the stored closure, and returns after `finish(_:)` has been called.
  @inline(__always)
  nonisolated func wait() async { await stay(Room(self)) }

  /// Runs `work` in the task, on the calling thread.
  ///
  /// No other thread may call `finish(_:)` during this call.
  nonisolated func run(_ work: () -> Void) {
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
  nonisolated var hasRun: Bool { state.withLock { $0.hasRun } }

  /// Stores the result, and resumes the task, so that `wait()` returns.
  nonisolated func finish<T: Sendable>(_ result: Result<T, any Error>) {
    let box = Box(result)
    let hasRun = state.withLock { state in
      state.result = box
      return state.hasRun
    }
    if hasRun { return goOn() }
    // The task is resumed on another thread, because the calling thread may be in the middle of suspending or
    // cancelling the task.
    DispatchQueue.global(qos: .userInitiated).async { [self] in goOn() }
  }

  /// Returns the result that `finish(_:)` has stored, which must have this type; nil if there is none.
  nonisolated func result<T: Sendable>(_ type: T.Type) -> Result<T, any Error>? {
    (state.withLock(\.result) as? Box<T>)?.result
  }

  /// Runs the task until it waits in its second actor, has ended, or is run by another thread.
  private nonisolated func goOn() {
    repeat {
      let place = state.withLock { state in state.job.take().map { ($0, state.room.take()) } }
      guard let (job, room) = place else { return }
      unsafe job.runSynchronously(on: room?.unownedExecutor ?? unownedExecutor)
    } while state.withLock { $0.goesOn }
  }

  nonisolated func enqueue(_ job: consuming ExecutorJob) { suspend(UnownedJob(job), in: nil) }

  fileprivate nonisolated func suspend(_ job: UnownedJob, in room: Room?) {
    let start = state.withLock { state in
      state.job = job
      state.room = room
      return state.start.take()
    }
    // The task may end while `start` still runs, and then release everything that `start` does not retain.
    start?()
  }

  /// Runs the task's closure each time the task is resumed, until there is a result.
  @inline(__always)
  private func stay(_ room: Room) async {
    repeat { unsafe state.withLock { $0.work.take() }?.value() } while await !room.isOver()
  }

  fileprivate nonisolated var isOver: Bool { state.withLock { $0.result != nil } }
}

/// The second actor of an `AwaitingTask`, to which it passes each job.
private actor Room: SerialExecutor {
  private nonisolated let task: AwaitingTask

  init(_ task: AwaitingTask) { self.task = task }

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe asUnownedSerialExecutor() }

  nonisolated func enqueue(_ job: consuming ExecutorJob) {
    task.suspend(UnownedJob(job), in: self)
  }

  @inline(never)
  func isOver() -> Bool { task.isOver }
}
