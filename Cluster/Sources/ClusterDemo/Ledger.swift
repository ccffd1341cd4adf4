import Synchronization

/// The writes that the cluster has acknowledged.
final class Ledger: Sendable {
  /// The entries, whose keys are titles, each of which is used once.
  struct Entries: Sendable {
    /// The version that each existing note has.
    var versions: [String: Int] = [:]
    /// The notes that were deleted.
    var deleted: Set<String> = []
    /// The notes whose last write may or may not have been committed.
    var uncertain: Set<String> = []
    /// The times of the acknowledgements, in their order.
    var times: [ContinuousClock.Instant] = []
    /// The number of writes that failed, and changed nothing.
    var failed = 0
    /// The number of reads that succeeded.
    var reads = 0
    var longestRead = Duration.zero
    var failedReads = 0
    /// Wrong answers, and unexpected errors.
    var problems: [String] = []
  }

  private let state = Mutex(Entries())

  var entries: Entries { state.withLock { $0 } }
  var count: Int { state.withLock { $0.times.count } }

  func hasAcknowledged(since time: ContinuousClock.Instant) -> Bool {
    state.withLock { $0.times.last.map { $0 > time } ?? false }
  }

  /// Records the version of a note that exists.
  func acknowledge(_ title: String, version: Int) {
    state.withLock { state in
      state.versions[title] = version
      state.times.append(.now)
    }
  }

  func acknowledgeDeletion(_ title: String) {
    state.withLock { state in
      state.versions[title] = nil
      state.deleted.insert(title)
      state.times.append(.now)
    }
  }

  /// Records a write that may or may not have been committed.
  func noteUncertain(_ title: String) {
    state.withLock { state in
      state.versions[title] = nil
      state.uncertain.insert(title)
    }
  }

  func noteFailure() { state.withLock { $0.failed += 1 } }

  func noteFailedRead() { state.withLock { $0.failedReads += 1 } }

  func noteRead(_ duration: Duration) {
    state.withLock { state in
      state.reads += 1
      state.longestRead = max(state.longestRead, duration)
    }
  }

  func report(_ problem: String) { state.withLock { $0.problems.append(problem) } }
}

extension Ledger.Entries {
  /// Returns the differences between the ledger and all notes of the database.
  func differences(from notes: [(title: String, version: Int)]) -> [String] {
    var differences: [String] = []
    let found = Dictionary(notes.map { ($0.title, $0.version) }, uniquingKeysWith: max)
    for (title, version) in versions where found[title] != version {
      differences.append(
        found[title].map { "\(title) has version \($0), not \(version)" } ?? "\(title) is missing")
    }
    for title in deleted where found[title] != nil {
      differences.append("\(title) was deleted, and exists")
    }
    for title in found.keys
    where versions[title] == nil && !uncertain.contains(title) && !deleted.contains(title) {
      differences.append("\(title) exists, and was not acknowledged")
    }
    if found.count < notes.count {
      differences.append("\(notes.count - found.count) notes exist twice")
    }
    return differences.sorted()
  }
}
