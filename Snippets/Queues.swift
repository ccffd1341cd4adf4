// One connection for many threads: the ways to call a queue.

// snippet.hide
import Foundation
import Sluice

struct Event: Sendable {
  let id: Int64
  let title: String
}

let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let path = folder.appending(path: "app.db").path
// snippet.show
var configuration = Configuration()
configuration.journalMode = .wal
let queue = try ConnectionQueue(
  path: path, label: "app", configuration: configuration)

// Waits until the closure has run. The result must be Sendable, so read the rows inside the
// closure.
try queue.sync { connection in
  try connection.execute(
    sql: "CREATE TABLE event(id INTEGER PRIMARY KEY, title TEXT NOT NULL)")
}

// Returns without waiting.
queue.async { connection in
  try connection.execute(
    sql: "INSERT INTO event(title) VALUES (?)", parameters: "Analytical Engine")
} completion: { result in
  if case .failure(let error) = result { print("It failed:", error) }
}

// A transaction. It runs after the INSERT above, because it was called later.
let rowid = try queue.syncTransaction { connection in
  try connection.execute(sql: "INSERT INTO event(title) VALUES (?)", parameters: "Note G")
  return connection.lastInsertRowid
}
print(rowid)  // 2

// A separate reader, which a writer does not block, and which sees one state of the database.
let reader = try ConnectionReadQueue(writeQueue: queue, label: "reader")
let events = try reader.syncReadTransaction { connection in
  try connection.query(.event, sql: "SELECT id, title FROM event ORDER BY id")
}

// The conversion of a row to a value, defined once.
extension RowConverter where Value == Event {
  static var event: Self {
    Self { row in
      try Event(id: row.get(.int64, named: "id"), title: row.get(.string, named: "title"))
    }
  }
}
// snippet.hide
guard events.map(\.title) == ["Analytical Engine", "Note G"], rowid == 2 else {
  fatalError("\(events)")
}
