// A queue cannot own a connection that other code retains.
// says: sending 'connection' risks causing data races

import Sluice

func share() throws {
  #if REJECTED
    let connection = try Connection()
    let queue = try ConnectionQueue { connection }
    try connection.execute(sql: "SELECT 1")
  #else
    let queue = try ConnectionQueue { try Connection() }
  #endif
  _ = queue
}
