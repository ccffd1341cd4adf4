// A closure of a pool cannot call a function of the main actor.
// flags: -default-isolation MainActor
// article: Sources/Sluice/Sluice.docc/XcodeProjects.md
// says: call to main actor-isolated global function 'initial(of:)' in a synchronous nonisolated context
import Sluice

#if REJECTED
  func initial(of name: String) -> String { String(name.prefix(1)) }
#else
  nonisolated func initial(of name: String) -> String { String(name.prefix(1)) }
#endif

func prepare(_ pool: ConnectionPool) async throws -> [String] {
  try await pool.read { connection in
    try connection.query(.column(.string), "SELECT name FROM thing").map { name in initial(of: name)
    }
  }
}
