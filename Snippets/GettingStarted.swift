// First steps: from an empty file to rows as Swift values.

// snippet.hide
import Foundation
import Sluice

let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let path = folder.appending(path: "notes.db").path
// snippet.show
let connection = try Connection(path: path)
try connection.execute(
  """
  CREATE TABLE IF NOT EXISTS note(
    id INTEGER PRIMARY KEY,
    title TEXT NOT NULL,
    stars INTEGER
  ) STRICT
  """)

let title = "Analytical Engine"
let stars: Int? = nil
try connection.execute("INSERT INTO note(title, stars) VALUES (\(title), \(stars))")
let id = connection.lastInsertRowid

let insert = try connection.prepare(
  sql: "INSERT INTO note(title, stars) VALUES (?, ?)")
for (title, stars) in [("Note A", 3), ("Note G", 5)] {
  try insert.bind(title, stars).execute()
}

struct Note: Sendable {
  let id: Int64
  let title: String
  let stars: Int?
}

extension RowConverter where Value == Note {
  static var note: Self {
    Self { row in
      try Note(
        id: row.get(.int64, named: "id"), title: row.get(.string, named: "title"),
        stars: row.optional(.int, named: "stars"))
    }
  }
}

let best = try connection.query(
  .note, "SELECT * FROM note WHERE stars >= \(3) ORDER BY stars DESC")
let first = try connection.first(.note, "SELECT * FROM note WHERE id = \(id)")
let count = try connection.first(.column(.int), "SELECT count(*) FROM note")
let most =
  try connection.first(.column(.optional(.int)), "SELECT max(stars) FROM note") ?? nil
// snippet.hide
guard best.map(\.title) == ["Note G", "Note A"], first?.stars == nil, first?.title == title,
  count == 3, most == 5
else { fatalError() }
