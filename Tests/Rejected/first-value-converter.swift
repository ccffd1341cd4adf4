// A converter of rows reads a row. A converter of values only reads a column.
// says: Read the first column by .column(.int)

import Sluice

func count(_ connection: Connection) throws -> Int? {
  #if REJECTED
    try connection.first(.int, "SELECT count(*) FROM t")
  #else
    try connection.first(.column(.int), "SELECT count(*) FROM t")
  #endif
}
