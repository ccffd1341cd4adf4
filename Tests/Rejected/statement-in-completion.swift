// A statement cannot be passed to the completion of an asynchronous call.
// says: conformance of 'Statement' to 'Sendable' is unavailable

import Sluice

func take(_ queue: ConnectionQueue) {
  queue.asyncTransaction { connection, command in
    #if REJECTED
      return try connection.prepare(sql: "SELECT 1")
    #else
      return try connection.prepare(sql: "SELECT 1").columnCount
    #endif
  } completion: { _ in
  }
}
