// A connection cannot be returned from its queue, in any form of the call.
// says: conformance of 'Connection' to 'Sendable' is unavailable

import Sluice

func take(_ queue: ConnectionReadQueue) async throws {
  #if REJECTED
    let taken: Connection = try await queue.perform { connection in connection }
  #else
    let taken: Bool = try await queue.perform { connection in connection.isOpen }
  #endif
  _ = taken
}
