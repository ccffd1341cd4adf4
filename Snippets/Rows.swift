// Reading rows, and writing SQL with values.

// snippet.hide
import Foundation
import Sluice

let connection = try Connection()
// snippet.show
try connection.execute(
  """
  CREATE TABLE photo(
    id INTEGER PRIMARY KEY, title TEXT NOT NULL, width INTEGER, tags TEXT, pixels BLOB);
  INSERT INTO photo VALUES
    (1, 'Bridge', 640, '["x"]', x'0102'),
    (2, 'Tower', NULL, '[]', x''),
    (3, 'River', 320, '[]', x'')
  """)
try connection.execute("SELECT * FROM photo") { row in
  let id = try row.get(.int64, at: 0)  // NULL throws
  let width = try row.optional(.int, named: "width")  // NULL is nil
  // Converted to the declared type, as with row["title"].
  let title: String = try row.title
  // As SQLite stores it, whatever its type.
  let stored = try row.value(named: "width")
  // Without a copy.
  let byteCount = try row.withBytes(named: "pixels") { bytes in bytes.count }
  print(id, title, width ?? 0, stored, byteCount)
}

let copies = try connection.query(.values, "SELECT id, title FROM photo")
print(copies[0])  // (id: 1, title: 'Bridge')

// Nil without a row.
let count = try connection.first(.column(.int), "SELECT count(*) FROM photo")
let widest =
  try connection.first(.column(.optional(.int)), "SELECT max(width) FROM photo")
  ?? nil

let ids = [1, 3]
let minimum = 100
let conditions: [SQL] = ["id IN \(ids)", "width > \(minimum)"]
let titles = try connection.query(
  .column(.string),
  "SELECT title FROM photo WHERE \(conditions.joined(separator: " AND "))")

struct Photo: Sendable {
  let title: String
  let tags: [String]
}

extension RowConverter where Value == Photo {
  static var photo: Self {
    Self { row in
      try Photo(
        title: row.get(.string, named: "title"),
        tags: row.get(.json([String].self), named: "tags"))
    }
  }
}

let photos = TableMapper("photo", .photo)
let all = try photos.all(in: connection, orderBy: "title")
let tower = try photos.first(in: connection, where: ["title": "Tower"])
let wide = try photos.count(in: connection, where: "width >= \(600)")

let newTags = ["x", "y"]
try connection.execute("UPDATE photo SET tags = \(.json(newTags)) WHERE id = \(2)")
// snippet.hide
let tags = try photos.first(in: connection, where: ["id": 2])?.tags
guard copies.count == 3, titles == ["Bridge", "River"], all.count == 3, tower?.tags == [],
  wide == 1, count == 3, widest == 640, tags == newTags
else { fatalError() }
