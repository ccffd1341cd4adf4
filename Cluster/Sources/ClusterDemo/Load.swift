import Notes
import SluiceCluster
import Synchronization

/// Tasks that write, read and search notes, and check each answer.
struct Load: Sendable {
  private let database: any DatabaseWriter
  private let ledger: Ledger
  /// The notes that were acknowledged, of which readers choose one.
  private let known = Shared()

  init(_ database: any DatabaseWriter, _ ledger: Ledger) {
    self.database = database
    self.ledger = ledger
  }

  /// Adds four tasks that write, and four tasks that read.
  func add(to group: inout ThrowingTaskGroup<Void, any Error>, until end: Flag) {
    for number in 1...4 {
      group.addTask { await write(number, until: end) }
      group.addTask { await read(until: end) }
    }
  }

  /// The notes, with ten seconds for each operation.
  private var store: NotesStore { NotesStore(database: database, deadline: .now + .seconds(10)) }

  private func write(_ writer: Int, until end: Flag) async {
    var own: [Note] = []
    var count = 0
    while !end.isSet {
      let index = own.indices.randomElement()
      switch (Int.random(in: 0..<100), index) {
      case (60..<85, let index?):
        let note = own[index]
        let body = "This text has been changed \(note.version) times."
        own[index] =
          await send(note.title) {
            try await $0.update(note.id, version: note.version, title: note.title, body: body)
          } ?? note
      case (85..<95, let index?):
        let note = own[index]
        let notebook = "Notebook \(Int.random(in: 1...5))"
        own[index] = await send(note.title) { try await $0.move(note.id, to: notebook) } ?? note
      case (95..., let index?):
        await delete(own.remove(at: index))
      default:
        count += 1
        let draft = Draft(
          notebook: "Notebook \(Int.random(in: 1...5))", title: "Note \(count) of task \(writer)",
          body: "Bernoulli numbers, computed by a machine.")
        if let note = await send(draft.title, { try await $0.create(draft) }) { own.append(note) }
      }
    }
  }

  /// Sends a request that writes a note, and records its outcome.
  private func send(
    _ title: String, _ request: (_ notes: NotesStore) async throws -> Note
  ) async -> Note? {
    do {
      let note = try await request(store)
      ledger.acknowledge(title, version: note.version)
      known.add(note)
      return note
    } catch {
      record(error, title)
      return nil
    }
  }

  private func delete(_ note: Note) async {
    known.remove(note.id)
    do {
      try await store.delete(note.id)
      ledger.acknowledgeDeletion(note.title)
    } catch { record(error, note.title) }
  }

  private func record(_ error: any Error, _ title: String) {
    switch error {
    case ClusterError.outcomeUnknown: ledger.noteUncertain(title)
    case is ClusterError, is DeadlineError: ledger.noteFailure()
    default: ledger.report("\(title): \(error)")
    }
  }
}

/// Requests that read.
extension Load {
  private func read(until end: Flag) async {
    while !end.isSet {
      let begin = ContinuousClock.now
      do {
        switch Int.random(in: 0..<10) {
        case 0..<7: try await readNote()
        case 7: try await checkSizes()
        case 8: _ = try await store.page(1)
        default: try await search()
        }
        ledger.noteRead(.now - begin)
      } catch is ClusterError {
        ledger.noteFailedRead()
      } catch { ledger.report("A read failed: \(error)") }
      // The readers leave most of the time to the writers. A cancelled reader does not wait, and ends by `end`.
      try? await Task.sleep(for: .milliseconds(5))
    }
  }

  private func readNote() async throws {
    guard let (id, version) = known.random() else { return }
    do {
      let note = try await store.note(id)
      if note.version < version {
        ledger.report("Note \(id) was read with version \(note.version), after \(version)")
      }
    } catch NotesError.notFound where !known.contains(id) {}
  }

  /// Compares the sizes that the notebooks state with the number of notes.
  private func checkSizes() async throws {
    let overview = try await store.overview()
    if overview.notebooks.map(\.size).reduce(0, +) != overview.noteCount {
      ledger.report("The sizes of the notebooks are wrong")
    }
  }

  private func search() async throws {
    guard known.random() != nil else { return }
    if try await store.search("bernoulli").hits.isEmpty {
      ledger.report("A search finds nothing")
    }
  }
}

/// The notes that exist, with their acknowledged versions.
private final class Shared: Sendable {
  private let versions = Mutex<[Int: Int]>([:])

  func add(_ note: Note) { versions.withLock { $0[note.id] = note.version } }
  func remove(_ id: Int) { versions.withLock { $0[id] = nil } }
  func contains(_ id: Int) -> Bool { versions.withLock { $0[id] != nil } }
  func random() -> (id: Int, version: Int)? {
    versions.withLock { $0.randomElement().map { ($0.key, $0.value) } }
  }
}

/// A Boolean value that becomes true once.
final class Flag: Sendable {
  private let value = Atomic(false)

  var isSet: Bool { value.load(ordering: .relaxed) }
  func set() { value.store(true, ordering: .relaxed) }
}
