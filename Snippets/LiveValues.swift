// Results of queries for views, which follow the database.

// snippet.hide
import Observation
import Sluice

let queue = try ConnectionQueue()
// snippet.show
try await queue.perform { connection in
  try connection.execute(
    sql: """
      CREATE TABLE event(id INTEGER PRIMARY KEY, title TEXT NOT NULL);
      INSERT INTO event(title) VALUES ('Analytical Engine'), ('Note G')
      """)
}
let titles = queue.live(.column(.string), "SELECT title FROM event ORDER BY title")
try await titles.load()
print(titles.value)
// snippet.hide
guard titles.value == ["Analytical Engine", "Note G"] else { fatalError() }
// snippet.show
try await queue.write { try $0.execute("INSERT INTO event(title) VALUES ('Concert')") }
try await titles.reload()
print(titles.value.count)  // 3
// snippet.hide
guard titles.value.count == 3 else { fatalError() }
// snippet.show
struct Event: Decodable, Sendable, Identifiable, Equatable {
  var id: Int64
  var title: String
}

let letters = queue.live(initial: []) { connection in
  try connection.query(
    .decoding(Event.self), "SELECT id, title FROM event ORDER BY title"
  )
  .sections(by: \.title.first)
}
try await letters.load()
for letter in letters.value { print(letter.key ?? " ", letter.rows.map(\.title)) }
// snippet.hide
guard letters.value.map(\.key) == ["A", "C", "N"] else { fatalError() }
try await queue.write { try $0.execute("DELETE FROM event WHERE title = 'Concert'") }
let last: Int64 = 1
// snippet.show
titles.observe(
  queue.observe(.column(.string), "SELECT title FROM event WHERE id > \(last)"))
// snippet.hide
guard try await titles.load().value == ["Note G"] else { fatalError() }
// snippet.show
let count = queue.live(initial: 0) { connection in
  try connection.first(.column(.int), sql: "SELECT count(*) FROM event") ?? 0
}
// snippet.hide
guard try await count.load().value == 2 else { fatalError() }
func withAnimation(_ body: () -> Void) { body() }
struct Table {
  func performBatchUpdates(_ body: () -> Void) { body() }
  func deleteRows(at offsets: [Int]) {}
  func insertRows(at offsets: [Int]) {}
  func moveRow(at offset: Int, to other: Int) {}
  func reloadRows(at offsets: [Int]) {}
}
let table = Table()
let books = queue.live(Event.self, "SELECT id, title FROM event")
// snippet.show
titles.onUpdate { update in
  withAnimation { update() }
}
books.onUpdate { update in
  let difference = update.difference
  table.performBatchUpdates {
    update()
    table.deleteRows(at: difference.removals)
    table.insertRows(at: difference.insertions)
    for move in difference.moves { table.moveRow(at: move.from, to: move.to) }
  }
  table.reloadRows(at: difference.updates)
}
// snippet.hide
guard try await books.load().value.count == 2 else { fatalError() }
// snippet.show
let events = queue.live(
  window: 0..<50, .decoding(Event.self),
  "SELECT id, title FROM event ORDER BY id")
try await events.load()
print(events.rows.count, "of", events.count)
events.range = 50..<100
// snippet.hide
guard try await events.load().rows.isEmpty, events.count == 2 else { fatalError() }
let pattern = "%note%"
// snippet.show
events.range = 0..<50
events.observe("SELECT id, title FROM event WHERE title LIKE \(pattern) ORDER BY id")
// snippet.hide
guard try await events.load().rows.map(\.title) == ["Note G"] else { fatalError() }
