// The bytes of a column cannot be returned from the closure that borrows them.
// says: 'Span<UInt8>' conform to 'Escapable'

import Sluice

func first(_ row: borrowing Row) throws {
  #if REJECTED
    let bytes: Span<UInt8> = try row.withBytes(at: 0) { bytes in bytes }
    _ = bytes
  #else
    let count: Int = try row.withBytes(at: 0) { bytes in bytes.count }
    _ = count
  #endif
}
