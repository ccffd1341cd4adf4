// A UUID has several representations, and interpolated SQL needs one of them.
// says: Choose a representation, such as .date(value, as: .sqlite), or conform the type to SQLValue; for an enumeration with raw values, the conformance needs no members

import Foundation
import Sluice

func query(_ id: UUID, _ connection: Connection) throws {
  #if REJECTED
    let sql: SQL = "SELECT * FROM t WHERE x = \(id)"
  #else
    let sql: SQL = "SELECT * FROM t WHERE x = \(.uuidBytes(id))"
  #endif
  try connection.execute(sql)
}
