// A UUID has several representations, and interpolated SQL needs one of them.
// says: This type has several representations; choose one, such as .date(value, as: .iso8601) or .uuidBytes(value)

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
