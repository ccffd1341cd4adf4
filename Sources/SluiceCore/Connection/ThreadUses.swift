import CSluice
import Synchronization

/// The uses of a connection that no queue owns, of which each excludes those of other threads.
///
/// In the Swift 5 language mode, several threads can reach such a connection. SQLite's mutex protects only the state of
/// SQLite. All threads read this value, so each part is atomic.
struct ThreadUses: ~Copyable {
  /// Whether uses exclude each other; false once a queue owns the connection.
  private let excludes = Atomic(false)
  /// The thread that uses the connection at this moment, or 0.
  private let user = Atomic<UInt>(0)
  /// The number of nested uses by that thread, which only the thread itself reads and changes.
  private let depth = Atomic(0)

  var areExclusive: Bool {
    @inline(__always) get { excludes.load(ordering: .relaxed) }
    nonmutating set { excludes.store(newValue, ordering: .relaxed) }
  }

  /// Whether another thread uses the connection at this moment.
  @inline(__always)
  var isUsedElsewhere: Bool {
    guard areExclusive else { return false }
    let user = user.load(ordering: .relaxed)
    return user != 0 && user != UInt(sluice_current_thread())
  }

  /// Begins a use by this thread, which may be nested; returns false while another thread uses the connection.
  @inline(__always)
  func begin() -> Bool {
    guard areExclusive else { return true }
    let thread = UInt(sluice_current_thread())
    if user.load(ordering: .relaxed) != thread {
      guard user.compareExchange(expected: 0, desired: thread, ordering: .acquiring).exchanged
      else { return false }
    }
    depth.store(depth.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    return true
  }

  @inline(__always)
  func end() {
    let uses = depth.load(ordering: .relaxed)
    guard uses > 0 else { return }
    depth.store(uses &- 1, ordering: .relaxed)
    if uses == 1 { user.store(0, ordering: .releasing) }
  }

  /// Makes this thread the user while `body` runs, if there is a user, who waits.
  func onOtherThread<T>(_ body: () throws -> T) rethrows -> T {
    let waiting = user.load(ordering: .relaxed)
    if waiting != 0 { user.store(UInt(sluice_current_thread()), ordering: .relaxed) }
    defer { user.store(waiting, ordering: .relaxed) }
    return try body()
  }
}
