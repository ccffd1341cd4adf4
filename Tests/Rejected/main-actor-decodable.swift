// A struct that a closure of a pool decodes cannot be isolated to the main actor, as types of a new app are.
// flags: -default-isolation MainActor
// article: Sources/Sluice/Sluice.docc/XcodeProjects.md
// says: main actor-isolated conformance of 'Thing' to 'Decodable' cannot satisfy conformance requirement for a 'Sendable' type parameter
import Sluice

#if REJECTED
  struct Thing: Codable { var name: String }
#else
  nonisolated struct Thing: Codable { var name: String }
#endif

func things(_ pool: ConnectionPool) async throws -> [Thing] {
  try await pool.read { connection in
    try connection.query(Thing.self, "SELECT name FROM thing")
  }
}
