// Rows on demand, and values that are emitted again when the database changes.

// snippet.hide
import Foundation
import Sluice

// snippet.show
struct Event: Sendable, Equatable {
  let id: Int64
  let title: String
}

extension RowConverter where Value == Event {
  static var event: Self {
    Self { row in
      try Event(
        id: row.get(.int64, named: "id"), title: row.get(.string, named: "title"))
    }
  }
}

// snippet.hide
let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
var configuration = Configuration()
configuration.journalMode = .wal
let queue = try ConnectionQueue(
  path: folder.appending(path: "app.db").path, configuration: configuration)
// snippet.show
try await queue.perform { connection in
  try connection.execute(
    sql: """
      CREATE TABLE event(id INTEGER PRIMARY KEY, title TEXT NOT NULL);
      INSERT INTO event(title) VALUES ('Analytical Engine'), ('Note G')
      """)
}
let readQueue = try ConnectionReadQueue(writeQueue: queue)
for try await event in readQueue.rows(.event, sql: "SELECT id, title FROM event") {
  print(event.title)
  if event.title == "Analytical Engine" { break }
}
for try await events in queue.observe(.event, sql: "SELECT id, title FROM event ORDER BY id") {
  print(events.map(\.title))
  // snippet.hide
  break
  // snippet.show
}
let counts = queue.observe { connection in
  try connection.first(.column(.int), sql: "SELECT count(*) FROM event") ?? 0
}.removeDuplicates()
let subscription = counts.sink { completion in
  if case .failure(let error) = completion { print("It failed:", error) }
} receiveValue: { count in
  print("There are \(count) events.")
}
// snippet.hide
subscription.cancel()
// snippet.show
let watch = try queue.watchOtherWriters()
// snippet.hide
watch.cancel()
try await follow(counts)
let writer = Task {
  while !Task.isCancelled {
    try await queue.perform { try $0.execute(sql: "INSERT INTO event(title) VALUES ('Note A')") }
    try await Task.sleep(for: .milliseconds(10))
  }
}
// snippet.show
for try await commit in queue.rowChanges(in: "event") {
  for change in commit.changes {
    switch change {
    case .inserted(let row): print("new:", row["title"] ?? .null)
    case .updated(let before, let after): print(before, "became", after)
    case .deleted(let row): print("gone:", row["title"] ?? .null)
    }
  }
  // snippet.hide
  guard commit.changes.count == 1 else { fatalError("\(commit)") }
  break
  // snippet.show
}
// snippet.hide
writer.cancel()

func follow(_ counts: ValuePublisher<Int>) async throws {
  var iterator = counts.makeAsyncIterator()
  let before = try await iterator.next()
  try await queue.perform { try $0.execute(sql: "DELETE FROM event WHERE id = 1") }
  let after = try await iterator.next()
  guard before == 2, after == 1 else { fatalError("\(before as Any), \(after as Any)") }
}
