// Settings for all connections of the process.

import Sluice

// Before the first connection: nobody asks how much memory SQLite has.
try SQLiteLibrary.configure(
  .memoryStatistics(false), .lookaside(slotSize: 512, slotCount: 256))
// snippet.hide

func expect(_ code: ResultCode, _ settings: SQLiteLibrary.Setting) {
  do {
    try SQLiteLibrary.configure(settings)
    fatalError("\(settings) was taken")
  } catch let error as SQLiteError where error.code == code {} catch {
    fatalError("\(settings) threw \(error)")
  }
}

// An impossible setting throws, and the earlier settings stay.
expect(.range, .lookaside(slotSize: 65_536, slotCount: 1))
try SQLiteLibrary.configure(
  .memoryMap(size: 65_536, limit: 1_000_000), .deserializedSizeLimit(100_000),
  .statementJournalSpill(nil), .smallAllocations(true))

let connection = try Connection()
try connection.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (zeroblob(50000))")
guard SQLiteLibrary.memoryUsed == 0 else { fatalError("Memory is counted") }

// Some builds have no such memory.
let slots = try connection.status(.lookasideUsed).highwater
guard (slots > 0) != SQLiteLibrary.isBuilt(with: "OMIT_LOOKASIDE") else {
  fatalError("\(slots) slots were in use")
}

// A database that is made of bytes grows no further than it was said.
if SQLiteLibrary.has(.serialization) {
  let other = try Connection()
  try other.deserialize(connection.serialize(), isResizable: true)
  do {
    try other.execute(sql: "INSERT INTO t VALUES (zeroblob(200000))")
    fatalError("It has grown")
  } catch SQLiteError.full {}
}

expect(.misuse, .memoryStatistics(true))
