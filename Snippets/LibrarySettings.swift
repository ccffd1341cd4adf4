// Settings for all connections in the process.

import Sluice

// Configure SQLite before the first connection. This program never reads memory statistics.
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

// An invalid setting throws, and the earlier settings remain in effect.
expect(.range, .lookaside(slotSize: 65_536, slotCount: 1))
try SQLiteLibrary.configure(
  .memoryMap(size: 65_536, limit: 1_000_000), .statementJournalSpill(nil),
  .smallAllocations(true))
if SQLiteLibrary.has(.serialization) {
  try SQLiteLibrary.configure(.deserializedSizeLimit(100_000))
}

let connection = try Connection()
try connection.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (zeroblob(50000))")
guard SQLiteLibrary.memoryUsed == 0 else { fatalError("Memory is counted") }

// Some builds have no lookaside memory.
let slots = try connection.status(.lookasideUsed).highwater
guard (slots > 0) != SQLiteLibrary.isBuilt(with: "OMIT_LOOKASIDE") else {
  fatalError("\(slots) slots were in use")
}

// A deserialized database cannot grow beyond the configured limit.
if SQLiteLibrary.has(.serialization) {
  let other = try Connection()
  try other.deserialize(connection.serialize(), isResizable: true)
  do {
    try other.execute(sql: "INSERT INTO t VALUES (zeroblob(200000))")
    fatalError("It has grown")
  } catch SQLiteError.full {}
}

expect(.misuse, .memoryStatistics(true))
