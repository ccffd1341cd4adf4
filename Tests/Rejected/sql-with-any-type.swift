// A type that SQL cannot carry by itself needs a representation.
// says: SQL without a label is a literal, in which values are bound; pass a String as sql:

import Sluice

struct Point { let x = 1 }

func insert(_ point: Point, _ connection: Connection) throws {
  #if REJECTED
    try connection.execute("INSERT INTO t VALUES (\(point))")
  #else
    try connection.execute("INSERT INTO t VALUES (\(.int(point.x)))")
  #endif
}
