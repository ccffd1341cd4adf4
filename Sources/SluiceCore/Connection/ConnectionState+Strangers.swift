import CSluice
import Synchronization

// Swift 5 lets a connection escape the closure of a queue, and a fork copies connections. Neither owner can
// prevent this.
extension ConnectionState {
  /// Throws if the connection belongs to another process, or its queue has not given it to this thread.
  @inline(__always)
  func refuseStrangers() throws {
    if mayBeForeign, isForked || !isHeldHere { try refuseStranger() }
  }

  /// Whether the queue has given the connection to this thread; false if no queue owns it.
  @inline(__always)
  private var isHeldHere: Bool {
    guard let interruptState = unsafe interruptReference else { return false }
    return unsafe interruptState._withUnsafeGuaranteedRef {
      $0.holder.load(ordering: .relaxed) == sluice_current_thread()
    }
  }

  /// Whether the connection belongs to another process, or its queue has not given it to this thread.
  var isStranger: Bool {
    guard !isForked else { return true }
    // A closure may remove the connection from its queue and leave another one in its place.
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
  /// Every operation checks this mark together with other conditions, so the check costs nothing before a fork.
  func watchForks() throws {
    let me = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe forkWatch = sluice_watch_forks(me) { me in
      unsafe Unmanaged<ConnectionState>.fromOpaque(me!)._withUnsafeGuaranteedRef { state in
        state.isForked = true
      }
    }
    guard unsafe forkWatch != nil else {
      throw SQLiteError(.noMemory, "Out of memory for a connection")
    }
  }
}
