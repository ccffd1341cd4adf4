// A connection pool: many tasks read at the same time while one writes.

// snippet.hide
import Foundation
// snippet.show
import Sluice
// snippet.hide

let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
_ = FileManager.default.changeCurrentDirectoryPath(folder.path)
// snippet.show

var configuration = Configuration()
configuration.prepareConnection { connection in
  try connection.addFunction("initial") { (name: String) in String(name.prefix(1)) }
}
let pool = try ConnectionPool(
  path: "app.db", readers: 4, configuration: configuration)

// A write transaction: BEGIN IMMEDIATE … COMMIT.
try await pool.write { connection in
  try connection.execute(sql: "CREATE TABLE IF NOT EXISTS event(title TEXT NOT NULL)")
  try connection.execute(sql: "INSERT INTO event(title) VALUES ('Note G')")
}

// A read transaction: one state of the database, regardless of concurrent writes.
let firstLetters = try await pool.read { connection in
  try connection.query(.column(.string), sql: "SELECT initial(title) FROM event")
}

// A limit of two seconds, whether the call is queued, waiting for a lock or running.
do {
  try await pool.write(deadline: .now + .seconds(2)) { connection in
    try connection.execute(sql: "DELETE FROM event WHERE title LIKE '%draft%'")
  }
} catch is DeadlineError {
  print("The write took too long.")
}

// A snapshot: one state for several reads, which threads and tasks can run at the same time.
let snapshot = try await pool.snapshot()
let count = try await snapshot.read { connection in
  try connection.first(.column(.int), sql: "SELECT count(*) FROM event") ?? 0
}
// Other reads of the snapshot return the same count, regardless of concurrent writes.
try await snapshot.close()

// No read runs during a barrier.
try await pool.barrier { connection in try connection.vacuum() }

let status = pool.status
print(status.openReaderCount, status.waitingReadCount, status.walSize ?? 0)

// Running and waiting accesses finish first; .interrupt would not wait for them.
try await pool.close()
// snippet.hide
guard firstLetters == ["N"], count == 1 else { fatalError("\(firstLetters)") }
