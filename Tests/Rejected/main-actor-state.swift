// A closure of a pool cannot read the state of the main actor, but can capture a copy.
// flags: -default-isolation MainActor
// article: Sources/Sluice/Sluice.docc/XcodeProjects.md
// says: main actor-isolated property 'draft' can not be referenced from a Sendable closure
import Sluice

final class Editor {
  var draft = ""

  func save(in pool: ConnectionPool) async throws {
    #if REJECTED
      try await pool.write { connection in
        try connection.execute("INSERT INTO thing VALUES (\(self.draft))")
      }
    #else
      try await pool.write { [draft] connection in
        try connection.execute("INSERT INTO thing VALUES (\(draft))")
      }
    #endif
  }
}
