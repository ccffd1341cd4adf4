// Rows are read in a closure, as in other libraries, but under another name.
// says: 'results' has been renamed to 'forEachRow(_:)'

import Sluice

func printNames(_ statement: Statement) throws {
  #if REJECTED
    try statement.results { row in print(try row.get(.string, at: 0)) }
  #else
    try statement.forEachRow { row in print(try row.get(.string, at: 0)) }
  #endif
}
