// A database that Litestream replicates.

// snippet.hide
import Foundation
import Sluice

let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
guard FileManager.default.changeCurrentDirectoryPath(folder.path) else {
  throw CocoaError(.fileNoSuchFile)
}
// snippet.show
let pool = try ConnectionPool(path: "app.db", configuration: .replicated)
// snippet.hide
try await pool.write { connection in
  try connection.execute(
    sql: "CREATE TABLE heartbeat(id INTEGER PRIMARY KEY, time INTEGER NOT NULL)")
}
// snippet.show

// Call this once a minute, so that a restore drill can tell how old the replica is.
try await pool.write { connection in
  try connection.execute(sql: "REPLACE INTO heartbeat VALUES (1, strftime('%s', 'now'))")
}
// snippet.hide
try await pool.write { try $0.execute(sql: "UPDATE heartbeat SET time = time + 1") }
try await pool.close()
var monitored = Configuration.replicated
monitored.monitor = WALAlarm()
try await ConnectionPool(path: "app.db", configuration: monitored).close()
guard FileManager.default.fileExists(atPath: "app.db-wal") else { fatalError() }

// snippet.show
final class WALAlarm: ConnectionMonitor {
  func upkeepDidRun(_ record: UpkeepRecord) {
    guard case .walLimit(let size, _, _) = record.event else { return }
    print("The WAL of", record.label, "has", size, "bytes: is Litestream running?")
  }
}
