// The state of an app on the main actor, with live values for its views.
import Observation
import Sluice
import SluiceModels

@Observable final class Store {
  let pool: ConnectionPool
  let notes: LiveValue<[Note]>
  let count: LiveValue<Int>
  private(set) var draft = "Draft"
  private(set) var updates = 0

  init(_ pool: ConnectionPool) {
    self.pool = pool
    notes = pool.live(Note.order(by: \.title))
    count = pool.live(initial: 0) { connection in
      try connection.first(.column(.int), "SELECT count(*) FROM note") ?? 0
    }
    notes.onUpdate { [weak self] update in
      update()
      self?.updates += 1
    }
  }

  func load() throws {
    try notes.syncLoad()
    try count.syncLoad()
  }

  /// Saves the draft: a closure of the pool gets a copy of the main actor's state.
  func save() async throws {
    _ = try await pool.write { [draft] connection in
      try connection.insert(Note(title: draft, priority: .high))
    }
    draft = ""
  }

  /// Waits until a view would show the note and the number of notes.
  func showsNotes() async {
    while notes.value.isEmpty || count.value == 0 {
      await withCheckedContinuation { continuation in
        withObservationTracking {
          _ = (notes.value, count.value)
        } onChange: {
          continuation.resume()
        }
      }
      await Task.yield()
    }
  }
}
