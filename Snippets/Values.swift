// Values in and out: each use chooses the representation.

// snippet.hide
import Foundation
import Sluice

let connection = try Connection()
try connection.execute(
  sql: "CREATE TABLE photo(id BLOB PRIMARY KEY, taken REAL, place TEXT, pixels BLOB)")
let (id, pixels) = (UUID(), Data([0, 1, 2]))
// snippet.show
let statement = try connection.prepare(sql: "INSERT INTO photo VALUES (?, ?, ?, ?)")
try statement.bind(
  .uuidBytes(id),
  .timeIntervalSinceReferenceDate(Date(timeIntervalSinceReferenceDate: 60)),
  .null, pixels
).execute()
try statement.bind(
  .uuidBytes(UUID()), .timeIntervalSinceReferenceDate(.now), .point(Point(x: 3, y: 4)), .null
).execute()

try connection.execute(sql: "SELECT * FROM photo WHERE id = ?", parameters: .uuidBytes(id)) { row in
  let taken = try row.get(.timeIntervalSinceReferenceDate, named: "taken")
  let place = try row.optional(.point, named: "place")
  let pixels: Data? = try row.pixels  // the type's own representation; NULL is nil
  print(taken.timeIntervalSinceReferenceDate, place as Any, pixels?.count ?? 0)  // 60.0 nil 3
}

// A custom representation needs one member for writing and one for reading.
struct Point: Sendable {
  let x: Int
  let y: Int
}

extension SQLBindable where Self == SQLParameter {
  static func point(_ point: Point) -> SQLParameter {
    SQLParameter(.text("\(point.x);\(point.y)"))
  }
}

extension ColumnValueConverter where Value == Point {
  static var point: Self {
    Self { row, index in
      let numbers = try row.text(at: index).split(separator: ";").compactMap {
        Int($0)
      }
      guard numbers.count == 2 else {
        throw row.mismatch(at: index, "is not a point")
      }
      return Point(x: numbers[0], y: numbers[1])
    }
  }
}
// snippet.hide
// snippet.show
enum Grape: String, SQLValue { case merlot, syrah }

let copy = try connection.first(.values, "SELECT * FROM photo")
let first = try copy?.get(.uuidBytes, named: "id")

try connection.addFunction("next_day", arity: 1, options: .deterministic) { values in
  let date = try values.get(.date(as: .sqlite), at: 0)
  return try DatabaseValue(.date(date.addingTimeInterval(86_400), as: .sqlite))
}
// snippet.hide
guard first == id,
  try connection.first(.column(.string), "SELECT next_day('2001-01-01 00:00:00.000')")
    == "2001-01-02 00:00:00.000"
else { fatalError() }
let point = try connection.first(
  .column(.point), sql: "SELECT place FROM photo WHERE place NOT NULL")
guard point?.y == 4 else { fatalError() }
guard try connection.first(.column(.default), "SELECT \(Grape.syrah)") == Grape.syrah
else { fatalError() }
