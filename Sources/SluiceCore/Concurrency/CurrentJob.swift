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
