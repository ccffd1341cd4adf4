import Synchronization

/// The observers of a connection's commits.
final class CommitCenter: Sendable {
  private let isNoticing = Atomic(false)
  private let following = Atomic(false)
  private let told = Atomic(0)

  typealias Observer = @Sendable (TableChangeSummary) -> Void

  private struct State {
    var count = 0
    var observers: [Int: Observer] = [:]
    var index = ObserverIndex()
    var endings: [Int: @Sendable () -> Void] = [:]
  }

  private let state = Locked(State())

  /// Adds an observer of commits, and returns the observer's number.
  ///
  /// The observer is called after each commit, on the thread that uses the connection.
  func add(_ observer: @escaping Observer) -> Int {
    state.withLock { state in
      state.count += 1
      state.observers[state.count] = observer
      state.index.insert(state.count)
      return state.count
    }
  }

  func remove(_ number: Int) {
    // The observer is released outside the lock, because its release may run any code.
    _ = state.withLock { state in
      state.index.remove(number)
      return state.observers.removeValue(forKey: number)
    }
  }

  /// Calls an observer only after commits that may have changed what it has read.
  ///
  /// It is still called after some commits that have not changed it, such as those of a table with the same name in another
  /// database.
  func limit(_ number: Int, to region: ReadRegion) {
    state.withLock { state in
      if state.observers[number] != nil { state.index.limit(number, to: region) }
    }
  }

  /// Whether the connection reports all of its commits.
  var isFollowed: Bool { following.load(ordering: .acquiring) }

  func begin() { following.store(true, ordering: .releasing) }

  /// Adds a closure that is called when the connection stops reporting, and returns the closure's number.
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

  /// Ends the connection's reports.
  ///
  /// Observers then fetch once more, and that fetch throws the reason for the end.
  func end() {
    for ending in state.withLock({ $0.endings }).values { ending() }
    if following.exchange(false, ordering: .acquiringAndReleasing) { tell(.everything) }
  }

  /// The number of commits, which grows before the observers are called.
  var count: Int { told.load(ordering: .acquiring) }

  func tell(_ changes: TableChangeSummary) {
    told.add(1, ordering: .acquiringAndReleasing)
    let observers = state.withLock { state in
      let numbers = state.index.observers(of: changes)?.sorted() ?? state.observers.keys.sorted()
      return numbers.compactMap { state.observers[$0] }
    }
    for observer in observers { observer(changes) }
  }

  /// Begins a check for writes by others, and returns whether the caller must perform the check.
  ///
  /// No check is needed without an observer, or while an earlier check is waiting.
  func beginNotice() -> Bool {
    guard state.withLock({ !$0.observers.isEmpty }) else { return false }
    return !isNoticing.exchange(true, ordering: .acquiringAndReleasing)
  }

  func endNotice() { isNoticing.store(false, ordering: .releasing) }
}
