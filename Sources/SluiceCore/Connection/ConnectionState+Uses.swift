import CSluice
import Synchronization

// In the Swift 5 language mode, several threads can reach a connection that no queue owns. SQLite's mutex protects only
// the state of SQLite, so each use of such a connection excludes those of other threads.
extension ConnectionState {
  /// Begins a use of the connection by this thread, which may be nested; throws while another thread uses it.
  ///
  /// A connection of a queue is not concerned: `refuseStrangers` admits only the thread that holds it.
  @inline(__always)
  func beginUse() throws {
    guard excludesThreads else { return }
    let thread = UInt(sluice_current_thread())
    if user.load(ordering: .relaxed) != thread {
      guard user.compareExchange(expected: 0, desired: thread, ordering: .acquiring).exchanged
      else { throw simultaneous }
    }
    useDepth &+= 1
  }

  /// Ends a use of the connection.
  @inline(__always)
  func endUse() {
    guard useDepth > 0 else { return }
    useDepth &-= 1
    if useDepth == 0 { user.store(0, ordering: .releasing) }
  }

  /// Calls `body`, which uses the connection on this thread, while the thread that otherwise uses it waits.
  func onOtherThread<T>(_ body: () throws -> T) rethrows -> T {
    let thread = UInt(sluice_current_thread())
    let holder = interruptState?.holder.exchange(thread, ordering: .relaxed)
    let user = user.load(ordering: .relaxed)
    if user != 0 { self.user.store(thread, ordering: .relaxed) }
    defer {
      if let holder { interruptState?.holder.store(holder, ordering: .relaxed) }
      self.user.store(user, ordering: .relaxed)
    }
    return try body()
  }

  /// Whether another thread uses the connection at this moment.
  @inline(__always)
  var isUsedElsewhere: Bool {
    let user = user.load(ordering: .relaxed)
    return user != 0 && user != UInt(sluice_current_thread())
  }

  var simultaneous: SQLiteError {
    @inline(never) get {
      SQLiteError(
        .misuse,
        "Two threads use the connection at the same time; share a ConnectionQueue or a ConnectionPool instead"
      )
    }
  }
}
