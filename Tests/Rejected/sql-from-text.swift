// SQL that is composed at run time is not accepted as a literal, because values in it would become SQL.
// says: SQL without a label is a literal, in which values are bound; pass a String as sql:

import Sluice

func delete(_ name: String, _ connection: Connection) throws {
  #if REJECTED
    let sql = "DELETE FROM person WHERE name = '\(name)'"
    try connection.execute(sql)
  #else
    try connection.execute("DELETE FROM person WHERE name = \(name)")
  #endif
}
