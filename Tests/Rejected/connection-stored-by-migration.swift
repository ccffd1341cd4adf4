// A connection cannot be stored outside the migration that borrows it.
// says: mutation of captured var 'kept' in concurrently-executing code

import Sluice

func keep() throws {
  #if REJECTED
    var kept: Connection?
    let migration = Migration(1, "keep") { connection in kept = connection }
  #else
    let migration = Migration(1, "keep") { connection in _ = connection.lastInsertRowid }
  #endif
  _ = try Migrator([migration])
}
