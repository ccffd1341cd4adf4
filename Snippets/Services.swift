// The life of a pool in a server: start, requests with deadlines, health and shutdown.

// snippet.hide
import Foundation
import Sluice

let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let path = folder.appending(path: "notes.db").path
let migrator = try Migrator([
  Migration(1, "notes", sql: "CREATE TABLE note(id INTEGER PRIMARY KEY, title TEXT NOT NULL)")
])

// snippet.show
var configuration = Configuration()
configuration.monitor = JSONLinesMonitor(threshold: .milliseconds(100))
// A wait for a lock of another process ends before the deadline of the request.
configuration.busyTimeout = .seconds(2)
let pool = try ConnectionPool(
  path: path, label: "notes", configuration: configuration)
try await migrator.migrate(pool)
let watch = try pool.watchOtherWriters()
// snippet.hide

// snippet.show
func create(_ title: String) async throws -> Int64 {
  try await pool.write(deadline: .now + .seconds(5)) { connection in
    try connection.execute("INSERT INTO note(title) VALUES (\(title))")
    return connection.lastInsertRowid
  }
}
// snippet.hide

// snippet.show
func sendTitles(_ send: (_ titles: [String]) async throws -> Void) async throws {
  let titles = pool.observe(
    .column(.string), sql: "SELECT title FROM note ORDER BY id DESC LIMIT 20")
  for try await titles in titles.removeDuplicates() { try await send(titles) }
}
// snippet.hide

// snippet.show
func isHealthy() async -> Bool {
  do {
    return try await pool.read(deadline: .now + .seconds(1)) { connection in
      _ = try connection.first(
        .column(.int), sql: "SELECT count(*) FROM sqlite_schema")
      return try !connection.hasFileMoved()
    }
  } catch {
    return false
  }
}
// snippet.hide

/// Ends the loop over the live titles.
struct Enough: Error {}

guard try await create("Note G") == 1 else { fatalError() }
do {
  try await sendTitles { titles in
    guard titles == ["Note G"] else { fatalError() }
    throw Enough()
  }
} catch is Enough {}
guard await isHealthy() else { fatalError() }

// snippet.show
// By now, the service refuses new requests, and running requests have had time to finish.
watch.cancel()
try await pool.close(.interrupt)
