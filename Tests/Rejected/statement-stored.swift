// A statement cannot be stored outside the closure that borrows its connection.
// says: 'inout sending' parameter 'connection' cannot be task-isolated at end of function

import Sluice

func keep(_ queue: ConnectionQueue) throws {
  #if REJECTED
    var kept: Statement?
    try queue.sync { connection in kept = try connection.prepare(sql: "SELECT 1") }
  #else
    var kept: Int?
    try queue.sync { connection in kept = try connection.prepare(sql: "SELECT 1").columnCount }
  #endif
  _ = kept
}
