// The maintenance of a pool in the background.

// snippet.hide
import Foundation
import Sluice

let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let path = folder.appending(path: "app.db").path
// snippet.show
var upkeep = PoolUpkeep()
upkeep.walLimit = .refuseWrites(bytes: 4_000_000_000)
upkeep.idleReaderTimeout = .seconds(60)
let pool = try ConnectionPool(path: path, upkeep: upkeep)
// snippet.hide
try await pool.write { connection in
  try connection.execute(
    sql: "CREATE TABLE event(title); CREATE TABLE person(id INTEGER PRIMARY KEY, name)")
}
try await pool.perform { connection in
  try connection.warmUp(["SELECT name FROM person WHERE id = ?", "SELECT count(*) FROM person"])
}
// snippet.show

try await pool.warmUp([
  "SELECT title FROM event WHERE rowid = ?", "SELECT count(*) FROM event",
])
// snippet.hide
try await pool.releaseMemory()
var configuration = Configuration()
configuration.monitor = UpkeepLog()
try await ConnectionPool(path: path, configuration: configuration).close()
try await pool.close()

// snippet.show
final class UpkeepLog: ConnectionMonitor {
  func upkeepDidRun(_ record: UpkeepRecord) {
    switch record.event {
    case .heldWAL(_, let readers, let walSize):
      print("The WAL of", record.label, "has", walSize, "bytes; the longest read:")
      print(readers.first?.sql ?? "in another process or a snapshot")
    case .failed(let error): print("Upkeep of", record.label, "failed:", error)
    default: break
    }
  }
}
