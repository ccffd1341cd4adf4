// A connection cannot be stored outside the closure that borrows it.
// says: 'inout sending' parameter 'connection' cannot be task-isolated at end of function

import Sluice

func keep(_ queue: ConnectionQueue) throws {
  #if REJECTED
    var kept: Connection?
    try queue.sync { connection in kept = connection }
  #else
    var kept: Int64?
    try queue.sync { connection in kept = connection.lastInsertRowid }
  #endif
  _ = kept
}
