// A connection cannot be sent to a task that outlives the closure.
// says: risks causing data races

import Sluice

func send(_ queue: ConnectionQueue) throws {
  try queue.sync { connection in
    #if REJECTED
      let connection = connection
      Task { try connection.execute(sql: "SELECT 1") }
    #else
      let rowid = connection.lastInsertRowid
      Task { print(rowid) }
    #endif
  }
}
