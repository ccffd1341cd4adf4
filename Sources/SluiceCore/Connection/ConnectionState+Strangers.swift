import CSluice
import Synchronization

// In the Swift 5 language mode, a connection can escape a queue's closure. In any mode, a fork of the process copies
// connections. Sluice cannot prevent either, so it checks each use of a connection.
extension ConnectionState {
  /// Throws if the connection belongs to another process, or to a queue from which this thread has not received it, or
  /// if another thread uses it.
  @inline(__always)
  func refuseStrangers() throws {
    if ownership.mayBeForeign {
      if isForked || !isHeldHere { try refuseStranger() }
    } else if uses.isUsedElsewhere {
      throw simultaneous
    }
  }

  /// Whether this thread has received the connection from its queue; false if no queue owns the connection.
  @inline(__always)
  private var isHeldHere: Bool {
    guard let interruptState = unsafe ownership.interruptReference else { return false }
    return unsafe interruptState._withUnsafeGuaranteedRef {
      $0.holder.load(ordering: .relaxed) == sluice_current_thread()
    }
  }

  /// Whether the connection belongs to another process, or to a queue from which this thread has not received it.
  var isStranger: Bool {
    guard !isForked else { return true }
    // A closure may have replaced its queue's connection with another one; the old connection then no longer belongs
    // to the queue.
    guard let interruptState, !interruptState.has(InterruptState.replaced) else { return false }
    return !isHeldHere
  }

  @inline(never)
  private func refuseStranger() throws {
    if isStranger { throw stranger }
  }

  private var stranger: SQLiteError {
    @inline(never) get {
      SQLiteError(
        .misuse,
        isForked
          ? "The connection belongs to the parent process; a forked child cannot use it"
          : "The connection belongs to a queue or pool; use it only inside the closure that receives it, and on its thread"
      )
    }
  }
}

// A forked child inherits connections but not their file locks, and SQLite does not detect this.
extension ConnectionState {
  /// Registers the connection, so that each forked child marks its copy as forked.
  ///
  /// Every operation checks this mark together with other conditions, so the mark makes no operation slower.
  func watchForks() throws {
    let me = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe ownership.forkWatch = sluice_watch_forks(me) { me in
      unsafe Unmanaged<ConnectionState>.fromOpaque(me!)._withUnsafeGuaranteedRef { state in
        state.isForked = true
      }
    }
    guard unsafe ownership.forkWatch != nil else {
      throw SQLiteError(.noMemory, "Out of memory for a connection")
    }
  }
}
