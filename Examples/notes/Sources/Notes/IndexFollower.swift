package import Sluice
import Synchronization

/// A ``NoteIndex`` that follows the table `note`.
///
/// Commits of this process update the index row by row. SQLite does not report the rows that another process has
/// changed, so the index is then built again. The same happens if more changes are waiting than `limit` allows. The
/// index is a moment behind the table, because commits do not wait for it.
package final class IndexFollower: Sendable {
  private let database: any DatabaseWriter
  private let limit: Int
  private let state = Mutex(State())

  private struct State {
    var index = NoteIndex()
    var buildCount = 0
    /// The task that applies commits; cancelling it builds the index again.
    var following: Task<Void, any Error>?
  }

  package init(_ database: any DatabaseWriter, limit: Int = 10_000) {
    self.database = database
    self.limit = limit
  }

  package var index: NoteIndex { state.withLock { $0.index } }

  /// The number of times that the index was built from the table.
  package var buildCount: Int { state.withLock { $0.buildCount } }

  /// Keeps the index in step with the table until the task is cancelled or the database fails.
  package func run() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for try await changes in self.database.tableChanges() where changes.isUnknown {
          self.state.withLock { $0.following?.cancel() }
        }
      }
      group.addTask { while true { try await self.follow() } }
      // Neither child task ends without an error.
      try await group.next()
    }
  }

  /// Builds the index and applies commits, until another process commits or too many changes are waiting.
  private func follow() async throws {
    // The task begins under the lock, so that a commit of another process cannot miss it.
    let following = state.withLock { state in
      let task = Task { try await followCommits() }
      state.following = task
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
    // Subscribe before reading the table, so that no commit is missed. Commits in between are applied twice.
    var commits = database.rowChanges(in: "note", limit: limit).makeAsyncIterator()
    let notes = try await database.perform { try $0.allNotes() }
    state.withLock { state in
      state.index = NoteIndex(notes)
      state.buildCount += 1
    }
    do {
      while let commit = try await commits.next() {
        try state.withLock { try $0.index.apply(commit) }
      }
    } catch SQLiteError.tooBig, SQLiteError.misuse {
      // Too many changes are waiting, or SQLite has not reported them. If the pool is closed, the next read throws.
    }
  }
}
