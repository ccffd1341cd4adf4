// A loop over a statement, as other libraries allow; a row is valid only inside a closure.
// says: for-in loop requires 'Statement' to conform to 'Sequence'

import Sluice

func printNames(_ statement: Statement) throws {
  #if REJECTED
    for row in statement { print(try row.get(.string, at: 0)) }
  #else
    try statement.forEachRow { row in print(try row.get(.string, at: 0)) }
  #endif
}
