import Notes
import SluiceTesting
import Synchronization

/// The writes that the service has acknowledged.
///
/// Each request writes at most once, so a request that ends with ``NotesError/cancelled`` or ``NotesError/timedOut`` has
/// changed nothing. The ledger therefore lists all writes that are in the database.
final class Ledger: Sendable {
  struct Entries: Codable {
    /// The notes that were created.
    var created: Set<Int> = []
    /// The notes that were deleted.
    var deleted: Set<Int> = []
    /// The number of acknowledged changes of each note, each of which has increased its version by one.
    var changes: [Int: Int] = [:]
    /// The errors and violated invariants of another process.
    var problems: [String] = []
  }

  private let state = Mutex((entries: Entries(), present: [Int]()))

  var entries: Entries { state.withLock { $0.entries } }
  var presentCount: Int { state.withLock { $0.present.count } }

  func noteCreated(_ id: Int) {
    state.withLock { state in
      state.entries.created.insert(id)
      state.present.append(id)
    }
  }

  func noteChanged(_ id: Int) { state.withLock { $0.entries.changes[id, default: 0] += 1 } }

  func noteDeleted(_ id: Int) {
    state.withLock { state in
      state.entries.deleted.insert(id)
      if let index = state.present.firstIndex(of: id) {
        state.present.swapAt(index, state.present.count - 1)
        state.present.removeLast()
      }
    }
  }

  /// Returns the ID of a note that this process has created, and has not deleted.
  func randomNote(using random: inout SeededGenerator) -> Int? {
    let present = state.withLock { $0.present }
    return present.randomElement(using: &random)
  }

  /// Returns the version that a note has at least, because its changes were acknowledged.
  func knownVersion(of id: Int) -> Int { 1 + state.withLock { $0.entries.changes[id] ?? 0 } }
}

extension Ledger.Entries {
  /// The number of acknowledged writes.
  var count: Int { created.count + deleted.count + changes.values.reduce(0, +) }

  /// Adds the entries of another process.
  mutating func add(_ other: Self) {
    created.formUnion(other.created)
    deleted.formUnion(other.deleted)
    changes.merge(other.changes, uniquingKeysWith: +)
    problems += other.problems
  }

  /// Returns the differences between the ledger and all notes of the database.
  func differences(from notes: [Note]) -> [String] {
    var differences: [String] = []
    let present = Dictionary(uniqueKeysWithValues: notes.map { ($0.id, $0.version) })
    for id in created.subtracting(deleted).sorted() {
      let expected = 1 + (changes[id] ?? 0)
      switch present[id] {
      case nil: differences.append("note \(id) is lost")
      case expected: break
      case let version?: differences.append("note \(id) has version \(version), not \(expected)")
      }
    }
    for id in present.keys.sorted() where !created.contains(id) || deleted.contains(id) {
      differences.append("note \(id) exists, but nobody was told so")
    }
    return differences
  }
}
