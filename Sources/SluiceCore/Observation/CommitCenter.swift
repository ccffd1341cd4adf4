import Synchronization

/// Who is to be told of what was committed.
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

  /// Adds an observer, which is called in the order of the commits, by the one who has the connection.
  func add(_ observer: @escaping Observer) -> Int {
    state.withLock { state in
      state.count += 1
      state.observers[state.count] = observer
      return state.count
    }
  }

  func remove(_ number: Int) {
    // The observer is released outside the lock, because it may hold anything.
    _ = state.withLock { $0.observers.removeValue(forKey: number) }
  }

  /// Whether the connection tells of all that it commits.
  var isFollowed: Bool { following.load(ordering: .acquiring) }

  func begin() { following.store(true, ordering: .releasing) }

  /// Adds a closure that is called once the connection tells nothing any more.
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

  /// Takes note that the connection tells nothing any more: who observes looks, and hears why.
  func end() {
    for ending in state.withLock({ $0.endings }).values { ending() }
    if following.exchange(false, ordering: .acquiringAndReleasing) { tell(.everything) }
  }

  func tell(_ changes: TableChangeSummary) {
    let observers = state.withLock { $0.observers }
    for number in observers.keys.sorted() { observers[number]?(changes) }
  }

  /// Whether anybody observes, and nobody waits yet to look for other writers; if so, somebody does now.
  func beginNotice() -> Bool {
    guard state.withLock({ !$0.observers.isEmpty }) else { return false }
    return !isNoticing.exchange(true, ordering: .acquiringAndReleasing)
  }

  func endNotice() { isNoticing.store(false, ordering: .releasing) }
}
