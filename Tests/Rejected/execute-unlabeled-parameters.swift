// SQL with separate values needs the label `sql:`.
// says: 'execute' has been renamed to 'execute(sql:parameters:)'

import Sluice

func insert(_ name: String, _ connection: Connection) throws {
  #if REJECTED
    try connection.execute("INSERT INTO t VALUES (?)", [name])
  #else
    try connection.execute(sql: "INSERT INTO t VALUES (?)", parameters: [name])
  #endif
}
