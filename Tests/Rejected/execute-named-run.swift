// Statements run by the name that another library has for it.
// says: 'run' has been renamed to 'execute(sql:)'

import Sluice

func create(_ connection: Connection) throws {
  #if REJECTED
    try connection.run("CREATE TABLE person(name TEXT)")
  #else
    try connection.execute(sql: "CREATE TABLE person(name TEXT)")
  #endif
}
