import Synchronization

/// The observers of the commits of a connection.
final class CommitCenter: Sendable {
  private let isNoticing = Atomic(false)
  private let following = Atomic(false)

  typealias Observer = @Sendable (TableChangeSummary) -> Void

  private struct State {
    var count = 0
    var observers: [Int: Observer] = [:]
    var endings: [Int: @Sendable () -> Void] = [:]
  }

  private let state = Locked(State())

  /// Adds an observer, which is called in the order of the commits, where the connection is used.
  func add(_ observer: @escaping Observer) -> Int {
    state.withLock { state in
      state.count += 1
      state.observers[state.count] = observer
      return state.count
    }
  }

  func remove(_ number: Int) {
    // The observer is released outside the lock, because its release may run any code.
    _ = state.withLock { $0.observers.removeValue(forKey: number) }
  }

  /// Whether the connection reports all of its commits.
  var isFollowed: Bool { following.load(ordering: .acquiring) }

  func begin() { following.store(true, ordering: .releasing) }

  /// Adds a closure that is called when the connection stops reporting.
  func addEnding(_ ending: @escaping @Sendable () -> Void) -> Int {
    state.withLock { state in
      state.count += 1
      state.endings[state.count] = ending
      return state.count
    }
  }

  func removeEnding(_ number: Int) {
    _ = state.withLock { $0.endings.removeValue(forKey: number) }
  }

  /// Ends the reports of the connection; observers then fetch once more, and get the reason as an error.
  func end() {
    for ending in state.withLock({ $0.endings }).values { ending() }
    if following.exchange(false, ordering: .acquiringAndReleasing) { tell(.everything) }
  }

  func tell(_ changes: TableChangeSummary) {
    let observers = state.withLock { $0.observers }
    for number in observers.keys.sorted() { observers[number]?(changes) }
  }

  /// Begins a check for other writers, and returns whether it has to be made.
  ///
  /// No check is made without an observer, or while another check is waiting.
  func beginNotice() -> Bool {
    guard state.withLock({ !$0.observers.isEmpty }) else { return false }
    return !isNoticing.exchange(true, ordering: .acquiringAndReleasing)
  }

  func endNotice() { isNoticing.store(false, ordering: .releasing) }
}
