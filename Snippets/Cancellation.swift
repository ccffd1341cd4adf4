// Stopping work: task cancellation, deadlines, and suspension before the system suspends an app.

// snippet.hide
import Foundation
import Sluice

let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let path = folder.appending(path: "app.db").path
let queue = try ConnectionQueue(path: path)
try await queue.perform { connection in
  try connection.execute(sql: "CREATE TABLE counter(value); INSERT INTO counter VALUES (0)")
}
// snippet.show
let task = Task {
  try await queue.transaction { connection in
    try connection.execute(sql: "UPDATE counter SET value = value + 1")
  }
}
task.cancel()
do {
  _ = try await task.value
  print("The transaction finished first.")
} catch is CancellationError {
  print("Nothing has changed.")
}

// If another connection prevents the transaction, the whole body runs again, up to ten times.
try await queue.transaction(retries: 10, deadline: .now + .seconds(5)) { connection in
  try connection.execute(sql: "UPDATE counter SET value = value + 1")
}

// The queue now holds no lock, and new calls wait.
try await queue.suspend()
queue.resume()
// snippet.hide
let value = try await queue.perform {
  try $0.first(.column(.int), sql: "SELECT value FROM counter")
}
guard value == 1 || value == 2 else { fatalError() }
