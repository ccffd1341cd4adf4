// Virtual tables in Swift: sequences, read-only tables, and tables that SQL can change.

// snippet.hide
import Foundation
import Sluice

let connection = try Connection()
// snippet.show
// SQL can read any sequence as a table, and reads only the elements that it needs.
try connection.addTableFunction(
  "range", columns: ["value"], parameters: ["first", "last"]
) {
  (first: Int, last: Int?) in first...max(first, last ?? Int.max)
}
let sum = try connection.first(
  .column(.int), sql: "SELECT sum(value) FROM range(1, 10)")

// A sequence of tuples becomes a table with several columns.
try connection.addTableFunction(
  "words", columns: ["place", "word"], parameters: ["text"]
) {
  (text: String) in
  text.split(separator: " ").enumerated().lazy.map { ($0.offset, String($0.element)) }
}
let last = try connection.first(
  .column(.string), sql: "SELECT word FROM words('the quick fox') ORDER BY place DESC"
)
// snippet.hide
guard sum == 55, last == "fox" else { fatalError() }
// snippet.show
final class Letters: VirtualTable {
  let schema: VirtualTableSchema = ["letter"]
  func cursor() -> Cursor { Cursor() }

  final class Cursor: VirtualTableCursor {
    private let letters = Array("abc")
    private var position = 0
    func filter(_ filter: borrowing VirtualTableFilter) { position = 0 }
    func next() { position += 1 }
    var isAtEnd: Bool { position == letters.count }
    func column(_ index: Int) -> DatabaseValue { .text(String(letters[position])) }
    var rowid: Int64 { Int64(position) }
  }
}
try connection.addModule("letters", as: .eponymousOnly) { _ in Letters() }
let letters = try connection.query(
  .column(.string), sql: "SELECT letter FROM letters")
// snippet.hide
guard letters == ["a", "b", "c"] else { fatalError() }
// snippet.show
final class Settings: WritableVirtualTable {
  let schema = VirtualTableSchema(
    sql: "CREATE TABLE x(name TEXT PRIMARY KEY, value) WITHOUT ROWID")
  private(set) var values: [String: DatabaseValue] = [:]
  private var undo: [String: DatabaseValue] = [:]

  func cursor() -> Cursor { Cursor(values.sorted { $0.key < $1.key }) }

  func insert(_ row: borrowing VirtualTableRow, key: String?) throws -> String {
    let name = try row.values.get(String.self, at: 0)
    try makeRoom(for: name, row.conflictResolution)
    values[name] = try row.values[1]
    return name
  }

  func update(_ key: String, to row: borrowing VirtualTableRow, newKey: String) throws {
    if newKey != key { try makeRoom(for: newKey, row.conflictResolution) }
    values[key] = nil
    values[newKey] = try row.values[1]
  }

  private func makeRoom(
    for name: String, _ resolution: VirtualTableRow.ConflictResolution
  ) throws {
    guard values[name] == nil || resolution == .replace else {
      throw SQLiteError(.constraintPrimaryKey, "There is a setting \(name)")
    }
  }

  func delete(_ key: String) { values[key] = nil }

  func begin() { undo = values }
  func rollback() { values = undo }

  final class Cursor: VirtualTableCursor {
    private let rows: [(key: String, value: DatabaseValue)]
    private var position = 0
    init(_ rows: [(key: String, value: DatabaseValue)]) { self.rows = rows }
    func filter(_ filter: borrowing VirtualTableFilter) { position = 0 }
    func next() { position += 1 }
    var isAtEnd: Bool { position == rows.count }
    func column(_ index: Int) -> DatabaseValue {
      index == 0 ? .text(rows[position].key) : rows[position].value
    }
    var rowid: Int64 { Int64(position) }
  }
}

let settings = Settings()
try connection.addModule("settings", as: .eponymousOnly) { _ in settings }
try connection.execute("INSERT INTO settings VALUES ('volume', 3), ('name', 'Ada')")
try connection.execute("UPDATE settings SET value = value + 1 WHERE name = 'volume'")
print(settings.values["volume"] ?? .null)  // 4
// snippet.hide
guard settings.values == ["volume": 4, "name": "Ada"] else { fatalError() }
try connection.begin()
try connection.execute("DELETE FROM settings")
try connection.rollback()
guard settings.values.count == 2 else { fatalError() }
do {
  try connection.execute("UPDATE settings SET name = 'name' WHERE name = 'volume'")
  fatalError()
} catch SQLiteError.constraintPrimaryKey {}
guard settings.values == ["volume": 4, "name": "Ada"] else { fatalError() }
try connection.execute("UPDATE OR REPLACE settings SET name = 'name' WHERE name = 'volume'")
guard settings.values == ["name": 4] else { fatalError() }
guard SQLiteLibrary.has(.rtree) else { exit(0) }
try connection.execute(
  """
  CREATE VIRTUAL TABLE place USING rtree(id, x0, x1, y0, y1);
  INSERT INTO place VALUES (1, 3, 3, 4, 4), (2, 4, 4, 4, 4), (3, 0, 0, 1, 1)
  """)
// snippet.show
try connection.addRTreeQuery("circle") { arguments in
  let center = try [
    arguments.get(Double.self, at: 0), arguments.get(Double.self, at: 1),
  ]
  let radius = try arguments.get(Double.self, at: 2)
  return { node in
    var square = 0.0
    for dimension in 0..<2 {
      let (low, high) = try (node.lower(dimension), node.upper(dimension))
      let nearest = max(low, min(center[dimension], high))
      square += (nearest - center[dimension]) * (nearest - center[dimension])
    }
    return square <= radius * radius ? .partlyInside.scored(square) : .outside
  }
}
let near = try connection.query(
  .column(.int), sql: "SELECT id FROM place WHERE id MATCH circle(0, 0, 5)")
print(near)  // [3, 1]
// snippet.hide
guard near == [3, 1] else { fatalError() }
