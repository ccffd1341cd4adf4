// The fastest forms of common calls.

// snippet.hide
import Foundation
import Sluice

let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let path = folder.appending(path: "app.db").path
let words = ["sluice", "gate", "weir"]

// snippet.show
var configuration = Configuration()
configuration.statementCacheSize = 256
let connection = try Connection(path: path, configuration: configuration)
// snippet.hide
try connection.execute(sql: "CREATE TABLE word(id INTEGER PRIMARY KEY, text TEXT, length INTEGER)")
// snippet.show
try connection.transaction { connection in
  let insert = try connection.prepare(
    sql: "INSERT INTO word(text, length) VALUES (?, ?)")
  for word in words {
    try insert.bind(word, word.utf8.count).execute()
  }
}

// The SQL is compiled once; the second call uses the cached statement.
for id in [1, 2] {
  let text = try connection.first(
    .column(.string), sql: "SELECT text FROM word WHERE id = ?", parameters: id)
  print(text ?? "")  // sluice, gate
}
let statistics = connection.statementCacheStatistics
print(statistics.hits, statistics.misses)  // each is 1 more than before
// snippet.hide
guard statistics.hits == 1, statistics.capacity == 256 else { fatalError("\(statistics)") }
// snippet.show

var letters = 0
try connection.execute(sql: "SELECT id, text FROM word") { row in
  letters += try row.withUTF8(at: 1) { text in text.count }
}

let query = try connection.prepare(sql: "SELECT id, text, length FROM word")
let length = try query.index(named: "length")
var total = 0
try query.forEachRow { row in total += try row.get(.int, at: length) }
// snippet.hide
guard letters == 14, total == 14 else { fatalError("\(letters) \(total)") }
// snippet.show

try connection.addFunction("doubled", arity: 1, options: .deterministic) { values in
  .integer(try values.get(Int64.self, at: 0) &* 2)
}
try connection.addFunction("count_of_spaces", options: .deterministic) {
  (text: Span<UInt8>) in
  text.indices.count { text[$0] == UInt8(ascii: " ") }
}
try connection.addCollation(
  "by_length", comparingUTF8: { first, second in SQLOrder(first.count, second.count) }
)
// snippet.hide
let doubled = try connection.query(
  .column(.int), sql: "SELECT doubled(length) FROM word ORDER BY text COLLATE by_length")
guard doubled == [8, 8, 12] else { fatalError("\(doubled)") }
let spaces = try connection.first(.column(.int), "SELECT count_of_spaces('a b c')")
guard spaces == 2 else { fatalError("\(spaces ?? 0)") }
try connection.close()
let queue = try ConnectionQueue(path: path)
// snippet.show

// One access to the queue, which returns one value.
let summary = try queue.sync { connection in
  let count =
    try connection.first(.column(.int), sql: "SELECT count(*) FROM word") ?? 0
  let longest =
    try connection.first(.column(.int), sql: "SELECT max(length) FROM word") ?? 0
  return (count, longest)
}
// snippet.hide
guard summary == (3, 6) else { fatalError("\(summary)") }
