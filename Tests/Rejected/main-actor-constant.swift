// A closure of a pool cannot use a constant of the main actor, even one that never changes.
// flags: -default-isolation MainActor
// article: Sources/Sluice/Sluice.docc/XcodeProjects.md
// says: main actor-isolated static property 'limit' can not be referenced from a Sendable closure
import Sluice

enum Settings {
  #if REJECTED
    static let limit = 10
  #else
    nonisolated static let limit = 10
  #endif
}

func names(_ pool: ConnectionPool) async throws -> [String] {
  try await pool.read { connection in
    try connection.query(.column(.string), "SELECT name FROM thing LIMIT \(Settings.limit)")
  }
}
