// A value is read from the statement, as in the C API, instead of from a row.
// says: 'column' is unavailable: A row has the columns: forEachRow { row in try row.get(.string, at: 0) }

import Sluice

func printNames(_ statement: Statement) throws {
  #if REJECTED
    print(statement.column(0))
  #else
    try statement.forEachRow { row in print(try row.get(.string, at: 0)) }
  #endif
}
