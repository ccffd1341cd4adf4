// A row cannot be returned from the closure that borrows it.
// says: type 'Row' does not conform to protocol 'Copyable'

import Sluice

func all(_ statement: Statement) throws {
  #if REJECTED
    let rows: [Row] = try statement.map { row in row }
  #else
    let rows: [RowValues] = try statement.map { row in try row.values() }
  #endif
  _ = rows
}
