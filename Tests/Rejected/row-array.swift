// An array is read by a converter that names its representation. Only an array of bytes is read directly.
// says: to read an array from a column, use a converter: row.get(.json([Int].self), named: "list")

import Sluice

func read(_ row: borrowing Row) throws {
  #if REJECTED
    let values: [Int] = try row["values"]
  #else
    let values: [Int] = try row.get(.json(), named: "values")
    let bytes: [UInt8] = try row["bytes"]
    let others: [UInt8]? = try row.others
    _ = try row[0] == bytes && row["count"] == 3 && row["d"] == [1, 2, 3] as [UInt8]
    _ = others
  #endif
  _ = values
}
