// A struct whose values a closure of a pool encodes cannot be isolated to the main actor.
// flags: -default-isolation MainActor
// article: Sources/Sluice/Sluice.docc/XcodeProjects.md
// says: main actor-isolated conformance of 'Thing' to 'Encodable' cannot be used in nonisolated context
import Sluice

#if REJECTED
  struct Thing: Codable { var name: String }
#else
  nonisolated struct Thing: Codable { var name: String }
#endif

func store(_ thing: Thing, in pool: ConnectionPool) async throws {
  try await pool.write { connection in
    try connection.execute(sql: "INSERT INTO thing VALUES (:name)", encoding: thing)
  }
}
