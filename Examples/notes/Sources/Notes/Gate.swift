import Synchronization

/// The requests in progress, and whether new ones may begin.
final class Gate: Sendable {
  private let state = Mutex(State())

  private struct State {
    var running = 0
    var isOpen = true
    /// The calls of `close(waiting:)` that wait for running requests.
    var onEmpty: [AsyncStream<Void>.Continuation] = []
  }

  var isOpen: Bool { state.withLock { $0.isOpen } }
  var running: Int { state.withLock { $0.running } }

  /// Begins a request, or throws if the gate is closed.
  func enter() throws {
    try state.withLock { state in
      guard state.isOpen else { throw NotesError.shuttingDown }
      state.running += 1
    }
  }

  /// Ends a request that has begun.
  func leave() {
    state.withLock { state in
      state.running -= 1
      guard state.running == 0 else { return }
      for continuation in state.onEmpty { continuation.finish() }
      state.onEmpty = []
    }
  }

  /// Lets no further request begin, and returns when none is running or the time is over.
  ///
  /// Cancelling the task does not shorten the wait.
  func close(waiting time: Duration) async {
    let (empty, continuation) = AsyncStream.makeStream(of: Void.self)
    state.withLock { state in
      state.isOpen = false
      if state.running == 0 { continuation.finish() } else { state.onEmpty.append(continuation) }
    }
    // A new task does not inherit the cancellation of the caller.
    await Task {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { for await _ in empty {} }
        // The sleep ends early if the other child task ends first.
        group.addTask { try? await Task.sleep(for: time) }
        await group.next()
        group.cancelAll()
      }
    }.value
  }
}
