package import Sluice
import Synchronization

/// A ``NoteIndex`` that follows the table `note`.
///
/// Commits of this process update the index row by row. SQLite does not report the rows that another process has
/// changed, so the index is then built again. The same happens if more changes are waiting than `limit` allows. The
/// index is a moment behind the table, because commits do not wait for it. After an error, the follower pauses, and
/// then builds the index again.
package final class IndexFollower: Sendable {
  private let database: any DatabaseWriter
  private let limit: Int
  private let pauses: ClosedRange<Duration>
  private let state = Mutex(State())

  private struct State {
    var index = NoteIndex()
    var buildCount = 0
    /// The task that applies commits; cancelling it builds the index again.
    var following: Task<Void, any Error>?
    var isBuilding = false
    /// Whether another process has committed since the last build began.
    var isStale = false
    var isFollowing = false
    var lastProblem: String?
    /// The pause after the next error.
    var pause: Duration?
  }

  /// The database is closed, so the follower ends.
  private struct Closed: Error {}

  /// Creates a follower, whose pause after an error begins at the lower bound of `pauses`, and doubles with each error
  /// up to the upper bound.
  package init(
    _ database: any DatabaseWriter, limit: Int = 10_000,
    pauses: ClosedRange<Duration> = .milliseconds(100)...(.seconds(10))
  ) {
    self.database = database
    self.limit = limit
    self.pauses = pauses
  }

  package var index: NoteIndex { state.withLock { $0.index } }

  /// The number of times that the index was built from the table.
  package var buildCount: Int { state.withLock { $0.buildCount } }

  /// Whether the index follows the table; false before the first build, and after an error until the next build.
  package var isFollowing: Bool { state.withLock { $0.isFollowing } }

  /// The last error of the database, even if the index follows the table again.
  package var lastProblem: String? { state.withLock { $0.lastProblem } }

  /// Keeps the index in step with the table until the task is cancelled or the database is closed.
  package func run() async {
    while !Task.isCancelled {
      do {
        try await followDatabase()
      } catch is Closed {
        break
      } catch is CancellationError where Task.isCancelled {
        break
      } catch {
        let pause = state.withLock { state in
          state.isFollowing = false
          state.lastProblem = "\(error)"
          let pause = state.pause ?? pauses.lowerBound
          state.pause = min(pause * 2, pauses.upperBound)
          return pause
        }
        try? await Task.sleep(for: pause)
      }
    }
    state.withLock { $0.isFollowing = false }
  }

  private func followDatabase() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      // Subscribe before the first build, so that no commit of another process is missed.
      let others = database.tableChanges().makeAsyncIterator()
      group.addTask {
        var others = others
        while let changes = try await others.next() {
          if changes.isUnknown { self.noteOtherCommit() }
        }
      }
      group.addTask { while true { try await self.follow() } }
      // Neither child task ends without an error.
      try await group.next()
    }
  }

  /// Requests a new build; a build in progress first ends, so that frequent commits cannot prevent every build.
  private func noteOtherCommit() {
    state.withLock { state in
      state.isStale = true
      if !state.isBuilding { state.following?.cancel() }
    }
  }

  /// Builds the index and applies commits, until another process commits or too many changes are waiting.
  private func follow() async throws {
    // The task begins under the lock, so that a commit of another process cannot miss it.
    let following = state.withLock { state in
      let task = Task { try await followCommits() }
      state.following = task
      state.isBuilding = true
      state.isStale = false
      return task
    }
    do {
      try await withTaskCancellationHandler {
        try await following.value
      } onCancel: {
        following.cancel()
      }
    } catch is CancellationError {
      try Task.checkCancellation()
    }
  }

  private func followCommits() async throws {
    // Subscribe before reading the table, so that no commit is missed. Commits in between are applied twice. `perform`
    // waits on the write connection behind the subscription; a `read` could run before the subscription begins.
    var commits = database.rowChanges(in: "note", limit: limit).makeAsyncIterator()
    guard try await build() else { return }
    do {
      while let commit = try await commits.next() {
        try state.withLock { state in
          try state.index.apply(commit)
          state.pause = nil
        }
      }
    } catch SQLiteError.tooBig {
      // Too many changes are waiting, so the index is built again at once.
    }
  }

  /// Builds the index, and returns false if another process has committed in the meantime.
  private func build() async throws -> Bool {
    let notes: [Note]
    do {
      notes = try await database.perform { try $0.allNotes() }
    } catch SQLiteError.misuseClosed {
      throw Closed()
    }
    let index = NoteIndex(notes)
    return state.withLock { state in
      state.index = index
      state.buildCount += 1
      state.isBuilding = false
      state.isFollowing = true
      return !state.isStale
    }
  }
}
