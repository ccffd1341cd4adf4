// A member of `Row` is not replaced by a column of the same name.
// says: cannot convert value of type 'Range<Int>' to specified type 'Int'

import Sluice

func read(_ row: borrowing Row) throws {
  #if REJECTED
    let indices: Int = try row.indices
  #else
    let indices: Int = try row["indices"]
    let count: Int = try row.count
    _ = count
  #endif
  _ = indices
}
