import CSluice
import Synchronization

// Swift 5 lets a connection out of the closure of a queue, and a fork copies connections. Neither owner can prevent it.
extension ConnectionState {
  /// Throws if the connection belongs to the parent process, or if the calling thread has not got it from its queue.
  @inline(__always)
  func refuseStrangers() throws {
    if mayBeForeign, isForked || !isHeldHere { try refuseStranger() }
  }

  /// Whether the calling thread has got the connection from its queue; nobody has one without a queue.
  @inline(__always)
  private var isHeldHere: Bool {
    guard let interruptState = unsafe interruptReference else { return false }
    return unsafe interruptState._withUnsafeGuaranteedRef {
      $0.holder.load(ordering: .relaxed) == sluice_current_thread()
    }
  }

  /// Whether the connection is another process's, or has a queue that has not given it to the calling thread.
  var isStranger: Bool {
    guard !isForked else { return true }
    // A closure may take the connection away, and leave another one in its place.
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

// A child that a process forks has its connections, but not its locks of files, and SQLite does not know.
extension ConnectionState {
  /// Has what is looked at before anything is done with the connection marked in each child, so that this costs
  /// nothing before.
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
