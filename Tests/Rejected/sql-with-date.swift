// A Date has several representations, and interpolated SQL needs one of them.
// says: This type has several representations; choose one, such as .date(value, as: .iso8601) or .uuidBytes(value)

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
