// A closure of a pool cannot use a converter that is isolated to the main actor.
// flags: -default-isolation MainActor
// article: Sources/Sluice/Sluice.docc/XcodeProjects.md
// says: main actor-isolated static property 'named' can not be referenced from a Sendable closure
import Sluice

#if REJECTED
  extension RowConverter where Value == String {
    static var named: Self { Self { row in try row.get(.string, named: "name") } }
  }
#else
  nonisolated extension RowConverter where Value == String {
    static var named: Self { Self { row in try row.get(.string, named: "name") } }
  }
#endif

func names(_ pool: ConnectionPool) async throws -> [String] {
  try await pool.read { connection in try connection.query(.named, "SELECT name FROM thing") }
}
