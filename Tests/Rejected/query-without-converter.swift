// A query that does not say what it reads; the type of the result alone is not enough.
// says: Name what to read, such as .column(.int)

import Sluice

func ids(_ connection: Connection) throws -> [Int] {
  #if REJECTED
    return try connection.query("SELECT id FROM person")
  #else
    return try connection.query(.column(.int), "SELECT id FROM person")
  #endif
}
