// A Date has several representations, and interpolated SQL needs one of them.
// says: Choose a representation, such as .date(value, as: .sqlite), or conform the type to SQLValue; for an enumeration with raw values, the conformance needs no members

import Foundation
import Sluice

func query(_ date: Date, _ connection: Connection) throws {
  #if REJECTED
    let sql: SQL = "SELECT * FROM t WHERE x = \(date)"
  #else
    let sql: SQL = "SELECT * FROM t WHERE x = \(.date(date, as: .iso8601))"
  #endif
  try connection.execute(sql)
}
