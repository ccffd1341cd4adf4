import CSluice
import Synchronization

extension ConnectionState {
  /// Begins a use of the connection by this thread, which may be nested; throws while another thread uses it.
  ///
  /// A connection of a queue is not concerned: `refuseStrangers` admits only the thread that holds it.
  @inline(__always)
  func beginUse() throws {
    guard uses.begin() else { throw simultaneous }
  }

  /// Ends a use of the connection.
  @inline(__always)
  func endUse() { uses.end() }

  /// Calls `body`, which uses the connection on this thread, while the thread that otherwise uses it waits.
  func onOtherThread<T>(_ body: () throws -> T) rethrows -> T {
    let holder = interruptState?.holder.exchange(sluice_current_thread(), ordering: .relaxed)
    defer {
      if let holder { interruptState?.holder.store(holder, ordering: .relaxed) }
    }
    return try uses.onOtherThread(body)
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
