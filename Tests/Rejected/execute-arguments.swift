// Values have the label `parameters:`, not `arguments:` as in other libraries.
// says: 'execute(sql:arguments:)' has been renamed to 'execute(sql:parameters:)'

import Sluice

func insert(_ name: String, _ connection: Connection) throws {
  #if REJECTED
    try connection.execute(sql: "INSERT INTO t VALUES (?)", arguments: [name])
  #else
    try connection.execute(sql: "INSERT INTO t VALUES (?)", parameters: [name])
  #endif
}
