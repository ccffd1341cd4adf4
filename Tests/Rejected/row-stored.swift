// A row cannot be stored beyond the closure that borrows it, but a copy can.
// says: implicit conversion to 'Row?' is consuming

import Sluice

func keep(_ statement: Statement) throws {
  #if REJECTED
    var kept: Row?
    try statement.forEachRow { row in kept = row }
    _ = kept
  #else
    var kept: RowValues?
    try statement.forEachRow { row in kept = try row.values() }
    _ = kept
  #endif
}
