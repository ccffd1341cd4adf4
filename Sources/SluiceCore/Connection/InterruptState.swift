import CSluice
public import Synchronization

/// Stops the work of a queue's connection, from any thread.
///
/// An interruption that comes between two statements is nothing to SQLite, so the connection asks before
/// each statement whether it is to stop; and one that has come must not reach what cleans up.
@usableFromInline final class InterruptState: Sendable {
  /// What is to be seen to, as bits; 0 if there is nothing.
  @usableFromInline let flags = Atomic<UInt>(0)
  /// The thread that has the connection, or 0.
  @usableFromInline let holder = Atomic<UInt>(0)
  private let state = Locked(State())
  /// How many times a lock was waited for.
  let busyCount = Atomic(0)

  /// A body has put another connection in place of its queue's.
  static let replaced: UInt = 1
  /// The body that has the connection is to stop.
  static let stopped: UInt = 2
  /// Nobody is to have the connection for a while.
  static let suspended: UInt = 4
  /// SQLite has been interrupted, which it remembers as long as a statement stands on a row.
  static let interrupted: UInt = 8
  /// Nobody is to have the connection any more.
  static let closed: UInt = 16
  /// The connection is not open.
  static let notOpen: UInt = 32
  /// The journal holds what a commit that failed has left, which only a connection that writes can undo.
  static let hotJournal: UInt = 64

  private struct State: Sendable {
    /// The connection, as long as it is open.
    var handle: Handle?
    /// How many things are under way that have to succeed.
    var shields = 0
  }

  @safe private struct Handle: @unchecked Sendable {
    let pointer: OpaquePointer
  }

  /// Whether a flag is set.
  func has(_ flag: UInt) -> Bool { flags.load(ordering: .acquiring) & flag != 0 }

  func set(_ flag: UInt) { flags.bitwiseOr(flag, ordering: .acquiringAndReleasing) }

  /// Takes a flag away; true if it was set.
  @discardableResult
  func clear(_ flag: UInt) -> Bool {
    flags.bitwiseAnd(~flag, ordering: .acquiringAndReleasing).oldValue & flag != 0
  }

  /// Whether what is being done is to come to an end.
  fileprivate var isStopping: Bool { has(Self.stopped | Self.suspended | Self.closed) }

  /// Stops what runs now: a statement at once, and all that would come after it.
  func interrupt(setting flag: UInt) {
    set(flag)
    interrupt()
  }

  /// Interrupts the statement that runs, unless it is one that cleans up.
  func interrupt() {
    state.withLock { state in
      guard state.shields == 0, let handle = state.handle else { return }
      // Before the interruption: who sees that has to know of it.
      set(Self.interrupted)
      unsafe sqlite3_interrupt(handle.pointer)
    }
  }

  /// Keeps interruptions away until `unshield()`.
  func shield() { state.withLock { $0.shields += 1 } }

  /// Lets interruptions in again, and makes up for those that were kept away if a statement runs.
  func unshield(isRunning: Bool) {
    state.withLock { $0.shields -= 1 }
    if isRunning, isStopping { interrupt() }
  }

  /// Takes note of the open connection.
  func watch(_ handle: OpaquePointer?) {
    let handle = unsafe handle.map { unsafe Handle(pointer: $0) }
    state.withLock { state in
      state.handle = handle
      if handle == nil { set(Self.notOpen) } else { clear(Self.notOpen) }
    }
  }

  /// Forgets the connection, which is about to close.
  func forget() { unsafe watch(nil) }
}

extension ConnectionState {
  /// Whether the work of the connection is to come to an end; what cleans up goes on.
  var isStopped: Bool { !isCleaningUp && interruptState?.isStopping == true }

  /// Why the work of the connection is to come to an end, if it is.
  var stop: SQLiteError? {
    guard isStopped, let interruptState else { return nil }
    let reason =
      if interruptState.has(InterruptState.stopped) {
        "it was cancelled, or its deadline has passed"
      } else if interruptState.has(InterruptState.closed) {
        "its queue or pool is closing without waiting for it"
      } else {
        "its queue or pool was suspended"
      }
    return SQLiteError(.interrupt, "This access was interrupted: \(reason)")
  }

  /// Refuses a statement if the work of the connection is to come to an end.
  func refuseStopped() throws {
    if let stop { throw stop }
  }

  /// Whether a lock is not waited for because the work is to come to an end, which the statement then tells.
  func refusesToWait() -> Bool {
    guard let stop else { return false }
    keepFailure(stop)
    return true
  }
}

extension Connection {
  /// Ends what stands on a row after an interruption, which would reach what comes next as well.
  func forgetInterruption() {
    state.cleaningUp {
      for statement in living where statement.isStanding {
        // The statement was interrupted, and has nothing else to report.
        try? statement.end()
      }
      for blob in dependents.all where blob is Blob { try? blob.end() }
      // What is no statement, such as a checkpoint, would still meet it.
      guard let handle = unsafe rawHandle else { return }
      unsafe sqlite3_exec(handle, "SELECT 1", nil, nil, nil)
    }
  }
}

extension Connection {
  /// Lets `interruptState` stop the work of this connection from now on.
  func listen(to interruptState: InterruptState) {
    state.interruptState = interruptState
    unsafe interruptState.watch(rawHandle)
    if let handle = unsafe rawHandle { unsafe resumeWaiting(handle) }
  }
}
