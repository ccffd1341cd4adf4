// A single value that can be NULL is read without naming the column.
// says: 'optional' is unavailable: Read a column that can be NULL with .column(.optional(.int))

import Sluice

func names(_ connection: Connection) throws -> [String?] {
  #if REJECTED
    return try connection.query(.optional(.string), "SELECT name FROM person")
  #else
    return try connection.query(.column(.optional(.string)), "SELECT name FROM person")
  #endif
}
