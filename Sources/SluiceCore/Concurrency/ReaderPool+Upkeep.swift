import CSluice
import Synchronization

// The maintenance of the readers.
extension ReaderPool {
  /// Closes the readers that were idle since the last call, and returns their number.
  func closeUnused() -> Int {
    let unused = state.withLock { state -> [SerialConnection] in
      guard !state.isClosed, !state.isHeldBack, state.waiters.isEmpty else { return [] }
      // The reader that was returned last is used next, so the unused readers are at the start of `idle`.
      let unused = Array(state.idle.prefix(state.idleFloor))
      state.idle.removeFirst(unused.count)
      state.connections.removeAll { open in unused.contains { $0 === open } }
      state.idleFloor = state.idle.count
      return unused
    }
    // Nobody waits for the result, and the connection closes even if this call throws.
    for serial in unused { try? serial.close(.interrupt, checkpoints: false) }
    return unused.count
  }

  /// Whether readers are open.
  var isOpen: Bool { state.withLock { !$0.connections.isEmpty } }

  /// The reads in progress that a monitor measures, the longest first.
  var runningReads: [RunningRead] {
    snapshot.connections.compactMap { $0.interruptState.runningRead($0.label) }
      .sorted { $0.since < $1.since }
  }
}

extension ConnectionPool {
  /// Frees memory of all connections that are not in use, such as pages that SQLite can read again.
  ///
  /// The task waits for the write connection without blocking a thread. Call this method when the system warns of
  /// low memory. Connections in use keep their memory.
  public func releaseMemory() async throws {
    try await writer.perform(deadline: nil) { try $0.releaseMemory() }
    try readers?.releaseMemory()
  }

  /// Frees memory of all connections that are not in use, and waits on the calling thread.
  @available(*, noasync, message: "Use releaseMemory, which does not block the thread")
  public func syncReleaseMemory() throws {
    try refuseNested()
    try writer.sync { try $0.releaseMemory() }
    try readers?.releaseMemory()
  }

  /// Schedules the freeing of memory after the waiting accesses, and calls `completion` if it succeeds.
  func releaseMemoryLater(_ completion: @escaping @Sendable () -> Void) {
    guard !writer.isSuspended else { return }
    writer.async(since: nil) { [readers] connection in
      try connection.releaseMemory()
      try readers?.releaseMemory()
    } result: { result in
      if case .success = result { completion() }
    }
  }
}

extension ReaderPool {
  /// Frees memory of the connections that are not in use.
  fileprivate func releaseMemory() throws {
    let thread = sluice_current_thread()
    for serial in snapshot.connections {
      _ = try serial.connection.withLockIfAvailable { connection in
        serial.interruptState.holder.store(thread, ordering: .relaxed)
        defer { serial.interruptState.holder.store(0, ordering: .relaxed) }
        if connection.isOpen { try connection.releaseMemory() }
      }
    }
  }
}
