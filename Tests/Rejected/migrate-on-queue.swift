// A queue is asked to migrate; the migrations belong to a migrator.
// says: 'migrate' is unavailable: A migrator migrates: try await migrator.migrate(queue)

import Sluice

func migrate(_ queue: ConnectionQueue, _ migrator: Migrator) async throws {
  #if REJECTED
    queue.migrate(migrator)
  #else
    try await migrator.migrate(queue)
  #endif
}
