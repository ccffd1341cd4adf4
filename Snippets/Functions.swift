// Swift functions, aggregates and collations in SQL.

// snippet.hide
import Foundation
import Sluice

let connection = try Connection()
try connection.execute(
  sql:
    "CREATE TABLE point(name TEXT, x REAL, y REAL); INSERT INTO point VALUES ('b', 3, 4), ('Ä', 0, 2)"
)
// snippet.show
// The closure determines the types and the number of the arguments.
try connection.addFunction("distance", options: .deterministic) {
  (x: Double, y: Double) in
  (x * x + y * y).squareRoot()
}

// Accepts any number of arguments, as the values that SQLite passes.
try connection.addFunction("next_day") { (date: Date) in date.addingTimeInterval(86_400) }

try connection.addFunction("first_text", arity: -1) { values in
  for index in values.indices {
    if case .text(let text) = try values[index] { return .text(text) }
  }
  return .null
}

// Each group has its own instance.
final class Product: SQLAggregateFunction {
  private var product = 1.0
  func step(_ values: borrowing SQLFunctionArguments) throws {
    product *= try values.get(at: 0)
  }
  func final() throws -> DatabaseValue { .real(product) }
}
try connection.addAggregateFunction("product", arity: 1) { Product() }

try connection.addCollation("localized") { $0.localizedCompare($1) }

let rows = try connection.query(
  .values, sql: "SELECT product(distance(x, y)) AS product, first_text(1, 'b') AS text FROM point")
print(rows)  // [(product: 10.0, text: 'b')]
let names = try connection.query(
  .column(.string), sql: "SELECT name FROM point ORDER BY name COLLATE localized")

// Reads text and blobs without copying them.
try connection.addFunction("common_prefix") { (a: Span<UInt8>, b: Span<UInt8>) in
  var count = 0
  while count < min(a.count, b.count), a[count] == b[count] { count += 1 }
  return count
}
// snippet.hide
let prefixes = try connection.first(
  .values, sql: "SELECT common_prefix('Sluice', x'536c6f77'), common_prefix('é' || char(0), 'é')")
guard prefixes?.values == [2, 2] else { fatalError("\(prefixes.debugDescription)") }
guard rows.first?["product"] == 10.0, rows.first?["text"] == "b", names.count == 2 else {
  fatalError("\(rows)")
}
