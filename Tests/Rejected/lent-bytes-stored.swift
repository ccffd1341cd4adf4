// The bytes of a column cannot be stored outside the closure that borrows them.
// says: escapes its scope

import Sluice

func first(_ row: borrowing Row) throws {
  #if REJECTED
    var kept: Span<UInt8> = ContiguousArray<UInt8>().span
    try row.withUTF8(at: 0) { bytes in kept = bytes }
    _ = kept.count
  #else
    var kept = 0
    try row.withUTF8(at: 0) { bytes in kept = bytes.count }
    _ = kept
  #endif
}
