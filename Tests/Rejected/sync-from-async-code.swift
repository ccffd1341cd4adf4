// Asynchronous code cannot block its thread with a synchronous call.
// says: unavailable from asynchronous contexts

import Sluice

func count(_ queue: ConnectionQueue) async throws {
  #if REJECTED
    _ = try queue.sync { connection in connection.changes }
  #else
    _ = try await queue.perform { connection in connection.changes }
  #endif
}
