// A connection cannot be returned from its queue.
// says: conformance of 'Connection' to 'Sendable' is unavailable

import Sluice

func take(_ queue: ConnectionQueue) throws {
  #if REJECTED
    let taken: Connection = try queue.sync { connection in connection }
  #else
    let taken: Int64 = try queue.sync { connection in connection.lastInsertRowid }
  #endif
  _ = taken
}
