import Dispatch
public import SluiceCore

/// A watch for writes of other connections and processes; see ``DatabaseReader/watchOtherWriters()``.
///
/// It goes on until it is cancelled, or nothing refers to it any more.
public final class DatabaseWatch: Sendable {
  private let events: FileEvents
  private let checks: RepeatedCheck

  fileprivate init(_ path: String, _ check: @escaping @Sendable () -> Void) throws {
    let checks = RepeatedCheck(check)
    events = try FileEvents(path) { checks.begin() }
    self.checks = checks
    // What was written before is seen as well.
    checks.begin()
  }

  deinit { cancel() }

  /// Ends it; more than once is no error.
  public func cancel() {
    events.cancel()
    checks.cancel()
  }
}

extension DatabaseReader {
  /// Sees to it that what other connections and processes write is noticed, for those who observe.
  ///
  /// ```swift
  /// let watch = try queue.watchOtherWriters()
  /// ```
  ///
  /// The files of the database are watched, which takes no time while nothing happens. A change of them is
  /// only a hint: for three minutes after it, ``noticeOtherWriters()`` is called at growing distances, which asks
  /// SQLite. So what is committed is seen within milliseconds, if the queue is not busy, nor the disk: what takes
  /// long to be committed takes up to twice as long to be seen.
  ///
  /// On Linux, the folder of the file is watched by inotify, which hears of this machine only, not of
  /// others that share a folder by network. All watches of a process have one instance of it, of which a user
  /// has few, and each folder counts once. On Apple's systems, where this was never run, Dispatch watches
  /// the files. Elsewhere SQLite is asked ten times a second.
  ///
  /// A database that is no file, or that was closed, throws ``ResultCode/misuse``, and one that cannot be watched
  /// ``ResultCode/cantOpen``.
  public func watchOtherWriters() throws -> DatabaseWatch {
    let access = try observableAccess
    try access.refuseEnded()
    guard let path = access.path else {
      throw SQLiteError(.misuse, "The database is not a file, so no other process can write to it")
    }
    return try DatabaseWatch(path) { noticeOtherWriters() }
  }
}

/// A check that is made several times after a hint, at growing distances.
///
/// The hint may come while a commit is being written, which can be seen only when that is done: a disk may take
/// seconds to sync, and no file changes after that. Each distance is twice the one before, the last a minute and a half.
private final class RepeatedCheck: Sendable {
  private struct State {
    /// How many hints have begun the rounds anew.
    var hints = 0
    /// The round that comes next; nil if none does.
    var next: Int?
    var isCancelled = false
  }

  private let state = Locked(State())
  private let check: @Sendable () -> Void
  /// One for all, as a check waits for nothing.
  private static let queue = DispatchQueue(label: "sluice.watch")
  private static let rounds = 16

  init(_ check: @escaping @Sendable () -> Void) { self.check = check }

  /// Begins the rounds anew.
  func begin() {
    let hint: Int? = state.withLock { state in
      // Of many hints one after the other, the first is enough until its check is made.
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
