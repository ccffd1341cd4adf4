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
    // The first check notices writes from before the watch began.
    checks.begin()
  }

  deinit { cancel() }

  /// Ends the watch; calling this method again has no effect.
  public func cancel() {
    events.cancel()
    checks.cancel()
  }
}

extension DatabaseReader {
  /// Watches the database files, so that observations notice writes by other connections and processes.
  ///
  /// ```swift
  /// let watch = try queue.watchOtherWriters()
  /// ```
  ///
  /// Watching takes no time while nothing happens. A change to the files is only a hint: for three minutes after
  /// it, ``noticeOtherWriters()``, which asks SQLite, is called at increasing intervals. A commit is therefore
  /// noticed within milliseconds, unless the queue or the disk is busy. A commit that takes long is noticed after
  /// up to twice its duration.
  ///
  /// On Linux, inotify watches the folder of the file. It reports changes by this machine only, not by others that
  /// share the folder over a network. All watches of a process share one inotify instance, of which a user has few,
  /// and each folder counts once. On Apple platforms, where this was never run, Dispatch watches the files.
  /// Elsewhere, SQLite is asked ten times a second.
  ///
  /// A database that is not a file or was closed throws ``ResultCode/misuse``. A database that cannot be watched
  /// throws ``ResultCode/cantOpen``.
  public func watchOtherWriters() throws -> DatabaseWatch {
    let access = try observableAccess
    try access.refuseEnded()
    guard let path = access.path else {
      throw SQLiteError(.misuse, "The database is not a file, so no other process can write to it")
    }
    return try DatabaseWatch(path) { noticeOtherWriters() }
  }
}

/// A check that is repeated at increasing intervals after a hint.
///
/// The hint may arrive while a commit is being written, which becomes visible only when the commit is complete. A
/// disk may take seconds to sync, and no file changes after that. Each interval is twice the previous one; the last
/// is a minute and a half.
private final class RepeatedCheck: Sendable {
  private struct State {
    /// The number of hints that have restarted the rounds.
    var hints = 0
    /// The next round; nil if there is none.
    var next: Int?
    var isCancelled = false
  }

  private let state = Locked(State())
  private let check: @Sendable () -> Void
  /// The queue for all checks, because a check does not wait for anything.
  private static let queue = DispatchQueue(label: "sluice.watch")
  private static let rounds = 16

  init(_ check: @escaping @Sendable () -> Void) { self.check = check }

  /// Restarts the rounds.
  func begin() {
    let hint: Int? = state.withLock { state in
      // Of several hints in a row, only the first counts until its check is made.
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
