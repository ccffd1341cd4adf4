/// The commits that wait for a subscriber of row changes, and the error that follows them.
final class RowInbox: Sendable {
  /// The maximum number of changes that can wait.
  let limit: Int
  private let closedError: SQLiteError
  private let state = Locked(State())

  private struct State {
    var waiting: [RowChanges] = []
    /// The number of commits at the beginning of `waiting` that the subscriber has already taken.
    var taken = 0
    /// The number of changes in the commits that still wait.
    var count = 0
    var ending: (any Error)?
    var isOver = false
    var wake: (@Sendable () -> Void)?
  }

  init(limit: Int, closed: SQLiteError) {
    self.limit = limit
    closedError = closed
  }

  /// Sets the closure that is called when a commit or an error has arrived.
  func onArrival(_ wake: @escaping @Sendable () -> Void) { state.withLock { $0.wake = wake } }

  func add(_ changes: RowChanges) {
    let wake = state.withLock { state -> (@Sendable () -> Void)? in
      guard state.ending == nil, !state.isOver else { return nil }
      if state.count + changes.changes.count > limit {
        state.ending = overflowError
      } else {
        state.waiting.append(changes)
        state.count += changes.changes.count
      }
      return state.wake
    }
    wake?()
  }

  func overflow() { fail(overflowError) }

  func close() { fail(closedError) }

  /// Adds an error, which follows the waiting commits and ends the inbox; later errors are ignored.
  func fail(_ error: any Error) {
    let wake = state.withLock { state -> (@Sendable () -> Void)? in
      guard state.ending == nil, !state.isOver else { return nil }
      state.ending = error
      return state.wake
    }
    wake?()
  }

  private var overflowError: SQLiteError {
    SQLiteError(
      .tooBig,
      "More than \(limit) changed rows wait for the subscriber; read faster, or raise the limit")
  }

  var hasSomething: Bool {
    state.withLock { $0.taken < $0.waiting.count || $0.ending != nil }
  }

  /// Takes the next commit; after the last commit, returns the error, or nil if there is none.
  func take() -> Result<RowChanges, any Error>? {
    state.withLock { state in
      guard state.taken < state.waiting.count else {
        return state.ending.map { .failure($0) }
      }
      let next = state.waiting[state.taken]
      state.taken += 1
      state.count -= next.changes.count
      // Taken commits are removed from the array in bulk, so that each waiting commit is moved only a few times.
      if state.taken * 2 > state.waiting.count {
        state.waiting.removeFirst(state.taken)
        state.taken = 0
      }
      return .success(next)
    }
  }

  /// Discards everything, because the subscription has ended.
  func end() {
    let old = state.withLock { state in
      defer {
        state = State()
        state.isOver = true
      }
      return state
    }
    withExtendedLifetime(old) {}
  }
}
