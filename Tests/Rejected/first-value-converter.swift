// `first` needs a converter of rows. A converter of values reads only a column.
// says: Read the first column with .column(.int)

import Sluice

func count(_ connection: Connection) throws -> Int? {
  #if REJECTED
    try connection.first(.int, "SELECT count(*) FROM t")
  #else
    try connection.first(.column(.int), "SELECT count(*) FROM t")
  #endif
}
