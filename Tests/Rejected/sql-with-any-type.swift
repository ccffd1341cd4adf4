// A type that SQL cannot represent directly needs an explicit representation.
// says: Choose a representation, such as .date(value, as: .sqlite), or conform the type to SQLValue; for an enumeration with raw values, the conformance needs no members

import Sluice

struct Point { let x = 1 }

func insert(_ point: Point, _ connection: Connection) throws {
  #if REJECTED
    try connection.execute("INSERT INTO t VALUES (\(point))")
  #else
    try connection.execute("INSERT INTO t VALUES (\(.int(point.x)))")
  #endif
}
