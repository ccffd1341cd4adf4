// A collection needs an explicit conversion to parameters, because it could mean one value or several.
// says: Pass a collection of values as SQLParameters(values)

import Sluice

func insert(_ values: [Int], _ named: [String: String?], _ connection: Connection) throws {
  #if REJECTED
    try connection.execute(sql: "INSERT INTO t VALUES (?, ?)", parameters: values)
  #else
    try connection.execute(
      sql: "INSERT INTO t VALUES (?, ?)", parameters: SQLParameters(values))
    try connection.execute(sql: "INSERT INTO t VALUES (:a, :b)", parameters: SQLParameters(named))
    try connection.execute(sql: "INSERT INTO t VALUES (?, ?)", parameters: [values[0], 2])
    let bytes: [UInt8] = [1, 2]
    try connection.execute(sql: "INSERT INTO t(a) VALUES (?)", parameters: bytes)
    let text = "text"
    try connection.execute(sql: "INSERT INTO t(a) VALUES (?)", parameters: text)
  #endif
}
