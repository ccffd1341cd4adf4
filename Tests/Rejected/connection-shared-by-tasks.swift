// Two tasks cannot use the same connection.
// says: risks causing data races

import Sluice

func share() throws {
  let connection = try Connection()
  #if REJECTED
    Task { try connection.execute(sql: "SELECT 1") }
    try connection.execute(sql: "SELECT 2")
  #else
    try connection.execute(sql: "SELECT 2")
    Task { try connection.execute(sql: "SELECT 1") }
  #endif
}
