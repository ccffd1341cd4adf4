// A connection is asked to migrate; the migrations belong to a migrator.
// says: 'migrate' is unavailable: A migrator migrates: try migrator.migrate(connection)

import Sluice

func migrate(_ connection: Connection, _ migrator: Migrator) throws {
  #if REJECTED
    connection.migrate(migrator)
  #else
    try migrator.migrate(connection)
  #endif
}
