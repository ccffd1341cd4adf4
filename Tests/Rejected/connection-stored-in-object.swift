// A connection cannot be stored in an object outside the closure.
// says: 'inout sending' parameter 'connection' cannot be task-isolated at end of function

import Sluice

final class Cache {
  var connection: Connection?
  var rowid: Int64 = 0
}

func keep(_ queue: ConnectionQueue) throws {
  let cache = Cache()
  try queue.sync { connection in
    #if REJECTED
      cache.connection = connection
    #else
      cache.rowid = connection.lastInsertRowid
    #endif
  }
}
