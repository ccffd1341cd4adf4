// A statement cannot be returned from the queue of its connection.
// says: conformance of 'Statement' to 'Sendable' is unavailable

import Sluice

func take(_ queue: ConnectionQueue) throws {
  #if REJECTED
    let taken: Statement = try queue.sync { connection in try connection.prepare(sql: "SELECT 1") }
  #else
    let taken: Int = try queue.sync { connection in
      try connection.prepare(sql: "SELECT 1").columnCount
    }
  #endif
  _ = taken
}
