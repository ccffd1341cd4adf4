import Dispatch
public import SluiceCore

/// A watch for writes by other connections and processes; see ``DatabaseReader/watchOtherWriters()``.
///
/// The watch ends when it is cancelled or when its last reference is released.
public final class DatabaseWatch: Sendable {
  private let events: FileEvents
  private let checks: RepeatedCheck

  fileprivate init(_ path: String, _ check: @escaping @Sendable () -> Void) throws {
    let checks = RepeatedCheck(check)
    events = try FileEvents(path) { checks.begin() }
    self.checks = checks
    // The first check detects writes that were made before the watch began.
    checks.begin()
  }

  deinit { cancel() }

  /// Ends the watch; further calls have no effect.
  public func cancel() {
    events.cancel()
    checks.cancel()
  }
}

extension DatabaseReader {
  /// Watches the database files, so that observations detect writes by other connections and processes.
  ///
  /// ```swift
  /// let watch = try queue.watchOtherWriters()
  /// ```
  ///
  /// Watching uses no CPU time while the files do not change. A change to the files is only a hint: for three
  /// minutes after it, ``noticeOtherWriters()`` is called at increasing intervals to check for commits. A commit
  /// is therefore detected within milliseconds, unless the queue or the disk is busy. A commit that takes long is
  /// detected after at most twice its duration.
  ///
  /// On Linux, inotify watches the folder that contains the file. It reports only changes by this machine, not by
  /// others that share the folder over a network. All watches of a process share one inotify instance, because
  /// each user can create only a few, and watches of the same folder share one folder watch. On Apple platforms,
  /// where this code has never been run, Dispatch watches the folder, the WAL and the journal: a change of any file in
  /// the folder causes a check, and commits without a journal go unnoticed. On other platforms, SQLite is queried ten
  /// times a second.
  ///
  /// Throws ``ResultCode/misuse`` for a database that is not a file, ``ResultCode/misuseClosed`` for one that was
  /// closed, and ``ResultCode/cantOpen`` for a database that cannot be watched.
  public func watchOtherWriters() throws -> DatabaseWatch {
    let access = try observableAccess
    try access.refuseEnded()
    guard let path = access.path else {
      throw SQLiteError(.misuse, "The database is not a file, so no other process can write to it")
    }
    return try DatabaseWatch(path) { noticeOtherWriters() }
  }
}

/// A check that is repeated at increasing intervals after each hint.
///
/// The hint may arrive while a commit is being written, and the commit becomes visible only when it is complete.
/// A disk may take seconds to sync, and no file changes when the sync ends. Each interval is twice as long as the
/// previous one; the last interval is about a minute and a half.
private final class RepeatedCheck: Sendable {
  private struct State {
    /// The number of hints that have restarted the rounds of checks.
    var hints = 0
    /// The number of the next round, counted from 0; nil if there is none.
    var next: Int?
    var isCancelled = false
  }

  private let state = Locked(State())
  private let check: @Sendable () -> Void
  /// The queue for all checks; one queue is enough, because a check does not wait for anything.
  private static let queue = DispatchQueue(label: "sluice.watch")
  private static let rounds = 16

  init(_ check: @escaping @Sendable () -> Void) { self.check = check }

  /// Restarts the rounds of checks.
  func begin() {
    let hint: Int? = state.withLock { state in
      // Ignore further hints until the first check for the current hint has run.
      guard !state.isCancelled, state.next != 0 else { return nil }
      state.hints += 1
      state.next = 0
      return state.hints
    }
    if let hint { wait(0, hint) }
  }

  func cancel() { state.withLock { $0.isCancelled = true } }

  private func wait(_ round: Int, _ hint: Int) {
    Self.queue.asyncAfter(deadline: .now() + .milliseconds(3 << round)) { [weak self] in
      self?.run(round, hint)
    }
  }

  private func run(_ round: Int, _ hint: Int) {
    let isDue = state.withLock { state in
      guard !state.isCancelled, state.hints == hint else { return false }
      state.next = round + 1 < Self.rounds ? round + 1 : nil
      return true
    }
    guard isDue else { return }
    check()
    if round + 1 < Self.rounds { wait(round + 1, hint) }
  }
}
