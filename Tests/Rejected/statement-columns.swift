// A value is read by its column's name from the statement instead of from a row.
// says: 'columns' is unavailable: A row has the columns: forEachRow { row in try row.get(.string, named: "name") }

import Sluice

func printNames(_ statement: Statement) throws {
  #if REJECTED
    print(statement.columns["name"])
  #else
    try statement.forEachRow { row in print(try row.get(.string, named: "name")) }
  #endif
}
