// A row becomes what a converter of rows makes of it; one of values reads a column.
// says: Read the first column by .column(.int)

import Sluice

func count(_ connection: Connection) throws -> Int? {
  #if REJECTED
    try connection.first(.int, "SELECT count(*) FROM t")
  #else
    try connection.first(.column(.int), "SELECT count(*) FROM t")
  #endif
}
