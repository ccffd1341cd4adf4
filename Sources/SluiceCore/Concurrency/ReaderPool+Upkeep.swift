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
    // An error has no recipient, and the deinit of the reader closes the connection anyway.
    for serial in unused { try? serial.close(.interrupt, checkpoints: false) }
    return unused.count
  }

  /// Opens readers up to the limit, and compiles `statements` on each reader, including those that open later.
  ///
  /// A reader in use compiles the statements after its current access.
  func warmUp(_ statements: [String]) throws {
    let open = state.withLock { state in
      state.warmStatements = statements
      return state.connections
    }
    // The write connection has compiled the statements, so an error concerns only this reader.
    for serial in open {
      serial.async(since: nil) {
        try $0.warmUp(statements)
      } result: { _ in
      }
    }
    while state.withLock({ $0.reserveOpening(openingLimit) }) { try self.open(for: nil) }
  }

  /// Whether readers are open.
  var isOpen: Bool { state.withLock { !$0.connections.isEmpty } }

  /// The reads in progress that a monitor measures, the longest first.
  var runningReads: [RunningRead] {
    snapshot.connections.compactMap { $0.interruptState.runningRead($0.identity.label) }
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

extension ConnectionPool {
  /// Opens all readers, and compiles statements on every connection before their first use.
  ///
  /// ```swift
  /// try await pool.warmUp([
  ///   "SELECT title FROM event WHERE rowid = ?", "SELECT count(*) FROM event",
  /// ])
  /// ```
  ///
  /// Call this method when the program starts, after its migrations, so that the first requests neither open a
  /// connection nor compile SQL. Readers that are already open compile the statements after their current access,
  /// and this method does not wait for them. Readers that open later compile the statements when they open. Each call
  /// replaces the statements of the call before. See ``Connection/warmUp(_:)`` for the errors and for the text of a statement.
  public func warmUp(_ statements: [String]) async throws {
    try await writer.perform(deadline: nil) { try $0.warmUp(statements) }
    guard let readers else { return }
    try await waitingApart { try readers.warmUp(statements) }
  }

  /// Opens all readers and compiles statements on every connection, and waits on the calling thread.
  ///
  /// See ``warmUp(_:)``.
  @available(*, noasync, message: "Use warmUp, which does not block the thread")
  public func syncWarmUp(_ statements: [String]) throws {
    try refuseNested()
    try writer.sync { try $0.warmUp(statements) }
    try readers?.warmUp(statements)
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
