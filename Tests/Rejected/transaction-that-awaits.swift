// A transaction cannot remain open across a suspension point.
// says: to parameter expecting synchronous function type

import Sluice

func pause() async {}

func write(_ queue: ConnectionQueue) async throws {
  #if REJECTED
    try await queue.transaction { connection, command in
      try connection.execute(sql: "INSERT INTO t VALUES (1)")
      await pause()
    }
  #else
    try await queue.transaction { connection, command in
      try connection.execute(sql: "INSERT INTO t VALUES (1)")
    }
    await pause()
  #endif
}
