import CSluice
public import Synchronization

/// The state through which any thread can stop the work of a queue's connection.
///
/// SQLite ignores an interrupt that arrives between two statements, so the connection checks before each statement
/// whether it must stop. An interrupt must not affect cleanup work.
@usableFromInline final class InterruptState: Sendable {
  /// The flags that are set, such as `stopped`; 0 if none is set.
  @usableFromInline let flags = Atomic<UInt>(0)
  /// The thread that holds the connection, or 0.
  @usableFromInline let holder = Atomic<UInt>(0)
  private let state = Locked(State())
  /// The number of waits for locks.
  let busyCount = Atomic(0)

  /// A closure has replaced the connection of its queue with another one.
  static let replaced: UInt = 1
  /// The closure that holds the connection must stop.
  static let stopped: UInt = 2
  /// No closure may hold the connection until the queue is resumed.
  static let suspended: UInt = 4
  /// SQLite has been interrupted.
  ///
  /// The interrupt remains in effect while a statement is at a row.
  static let interrupted: UInt = 8
  /// No closure may hold the connection from now on.
  static let closed: UInt = 16
  /// The connection is not open.
  static let notOpen: UInt = 32
  /// A failed commit left a hot journal, which only a connection that writes can roll back.
  static let hotJournal: UInt = 64
  /// The WAL has reached the limit of a pool.
  static let walLimit: UInt = 128

  /// The start of the access that a monitor measures now, and the SQL of the statement that started last in it.
  private let running = Locked<(since: ContinuousClock.Instant, sql: String?)?>(nil)

  /// Returns the access that a monitor measures now, with the label of its connection; nil if there is none.
  func runningRead(_ label: String) -> RunningRead? {
    running.withLock { $0 }.map { RunningRead(label: label, since: $0.since, sql: $0.sql) }
  }

  /// Records the start of a measured access.
  func beginRead(at time: ContinuousClock.Instant) { running.withLock { $0 = (time, nil) } }

  /// Records that a statement of the measured access has started.
  func noteStatement(_ sql: String?) { running.withLock { $0?.sql = sql } }

  /// Records the end of a measured access.
  func endRead() { running.withLock { $0 = nil } }

  private struct State: Sendable {
    /// The handle of the connection while it is open.
    var handle: SharedPointer?
    /// The number of operations in progress that must not be interrupted.
    var shields = 0
  }

  /// Returns whether a flag is set.
  func has(_ flag: UInt) -> Bool { flags.load(ordering: .acquiring) & flag != 0 }

  func set(_ flag: UInt) { flags.bitwiseOr(flag, ordering: .acquiringAndReleasing) }

  /// Clears a flag, and returns whether it was set.
  @discardableResult
  func clear(_ flag: UInt) -> Bool {
    flags.bitwiseAnd(~flag, ordering: .acquiringAndReleasing).oldValue & flag != 0
  }

  /// Whether the work in progress must stop.
  fileprivate var isStopping: Bool { has(Self.stopped | Self.suspended | Self.closed) }

  /// Interrupts the running statement, and stops the work in progress before its next statement.
  func interrupt(setting flag: UInt) {
    set(flag)
    interrupt()
  }

  /// Interrupts the running statement, except during cleanup work.
  func interrupt() {
    state.withLock { state in
      guard state.shields == 0, let handle = state.handle else { return }
      // The flag is set before the interrupt, because code that sees the interrupt relies on the flag.
      set(Self.interrupted)
      unsafe sqlite3_interrupt(handle.opaque)
    }
  }

  /// Prevents interrupts until `unshield(isRunning:)` is called.
  func shield() { state.withLock { $0.shields += 1 } }

  /// Allows interrupts again, and interrupts a running statement if its work must stop.
  func unshield(isRunning: Bool) {
    state.withLock { $0.shields -= 1 }
    if isRunning, isStopping { interrupt() }
  }

  /// Stores the handle of the open connection.
  func watch(_ handle: OpaquePointer?) {
    let handle = unsafe handle.map { unsafe SharedPointer($0) }
    state.withLock { state in
      state.handle = handle
      if handle == nil { set(Self.notOpen) } else { clear(Self.notOpen) }
    }
  }

  /// Forgets the connection, which is about to close.
  func forget() { unsafe watch(nil) }
}

extension ConnectionState {
  /// Whether the work of the connection must stop; false during cleanup work.
  var isStopped: Bool { !calls.isCleaningUp && interruptState?.isStopping == true }

  /// The error that states why the work of the connection must stop, or nil if it may continue.
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

  /// Throws if the work of the connection must stop.
  func refuseStopped() throws {
    if let stop { throw stop }
  }

  /// Returns whether to stop waiting for a lock because the work must stop.
  ///
  /// In this case, the method also records the reason, which the statement then throws.
  func refusesToWait() -> Bool {
    guard let stop else { return false }
    keepFailure(stop)
    return true
  }
}

extension Connection {
  /// Ends active statements and blobs after an interrupt, so that the interrupt does not stop later work.
  func forgetInterruption() {
    state.cleaningUp {
      for statement in living where statement.isStanding {
        // The error is ignored: the interrupt has been reported, and the statement has nothing else to report.
        try? statement.end()
      }
      for each in dependents.all where each.remembersInterrupts { try? each.end() }
      // Running a statement clears the interrupt, which would otherwise stop work such as a checkpoint.
      guard let handle = unsafe rawHandle else { return }
      unsafe sqlite3_exec(handle, "SELECT 1", nil, nil, nil)
    }
  }
}

extension Connection {
  /// Sets the state through which other threads can stop the work of this connection.
  func listen(to interruptState: InterruptState) {
    state.interruptState = interruptState
    unsafe interruptState.watch(rawHandle)
    if let handle = unsafe rawHandle { unsafe resumeWaiting(handle) }
  }
}
