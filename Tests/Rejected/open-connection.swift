// A connection is opened by a call; its initializer opens it.
// says: 'open()' is unavailable: Connection(path:) opens the database

import Sluice

func open(_ path: String) throws -> Bool {
  #if REJECTED
    let connection = try Connection(path: path)
    connection.open()
  #else
    let connection = try Connection(path: path)
  #endif
  return try connection.userVersion == 0
}
