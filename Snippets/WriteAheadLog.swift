// The write-ahead log: checkpoints, and readers that block them.

// snippet.hide
import Foundation
import Sluice

let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let path = folder.appending(path: "app.db").path
var configuration = Configuration()
configuration.journalMode = .wal
let connection = try Connection(path: path, configuration: configuration)
try connection.execute(sql: "CREATE TABLE event(id INTEGER PRIMARY KEY, title TEXT NOT NULL)")
// snippet.show
let checkpoint = try connection.checkpoint(.truncate)
if checkpoint.isBusy { print("Another connection is still reading.") }

let queue = try ConnectionQueue(path: path, configuration: configuration)
let policy = CheckpointPolicy(frames: 4000, interval: .seconds(30)) { starvation in
  print("A reader has held the WAL for", starvation.duration)
}
try queue.sync { connection in
  try connection.execute(sql: "INSERT INTO event(title) VALUES ('Note G')")
  try policy.apply(to: connection)
}

// snippet.hide
// The first write after a complete checkpoint restarts the WAL and invalidates earlier snapshots.
try connection.execute(sql: "UPDATE event SET title = title || '.'")
// snippet.show
// If the linked SQLite supports snapshots, a reader can return to an earlier state.
let reader = try Connection(path: path, readOnly: true)
if SQLiteLibrary.has(.snapshots) {
  try connection.beginReadTransaction()
  let snapshot = try connection.snapshot()
  try connection.endReadTransaction()
  try connection.execute(sql: "DELETE FROM event")

  try reader.beginReadTransaction(at: snapshot)
  print(try reader.first(.column(.int), sql: "SELECT count(*) FROM event") ?? 0)  // 1
  try reader.endReadTransaction()
}
// snippet.hide
guard checkpoint.isComplete else { fatalError("\(checkpoint)") }
