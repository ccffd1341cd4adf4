// Declarations for an app whose default isolation is the main actor.

// snippet.hide
import Foundation
import Observation
import Sluice

// snippet.show
nonisolated struct Person: Codable {
  var name: String
  var age: Int?
}

nonisolated func initial(of name: String) -> String { String(name.prefix(1)) }

@MainActor @Observable final class Editor {
  private let pool: ConnectionPool
  private(set) var people: [Person] = []
  var draft = ""

  init(_ pool: ConnectionPool) { self.pool = pool }

  func save() async throws {
    // This task waits while the pool writes; the main actor stays free. The closure has a copy of the draft.
    try await pool.write { [draft] connection in
      try connection.execute(
        sql: "INSERT INTO person(name, age) VALUES (:name, :age)",
        encoding: Person(name: draft, age: nil))
    }
    draft = ""
    people = try await pool.read { connection in
      try connection.query(Person.self, "SELECT name, age FROM person")
    }
  }
}
// snippet.hide

let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let pool = try ConnectionPool(path: folder.appending(path: "app.db").path)
try await pool.write { connection in
  try connection.execute("CREATE TABLE person(name TEXT, age INTEGER)")
}
let editor = Editor(pool)
editor.draft = "Ada"
try await editor.save()
guard editor.people.map(\.name) == ["Ada"], initial(of: "Ada") == "A" else { fatalError() }
try await pool.close()
