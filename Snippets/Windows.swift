// Functions for views and indexes, and aggregate window functions.

// snippet.hide
import Sluice

let connection = try Connection()
try connection.execute("CREATE TABLE point(x INTEGER); INSERT INTO point VALUES (1), (2), (4), (8)")
// snippet.show
final class Sum: SQLAggregateWindowFunction {
  private var sum = 0
  func step(_ values: borrowing SQLFunctionArguments) throws {
    sum += try values.get(at: 0)
  }
  func inverse(_ values: borrowing SQLFunctionArguments) throws {
    sum -= try values.get(at: 0)
  }
  func value() throws -> DatabaseValue { .integer(Int64(sum)) }
  func final() throws -> DatabaseValue { try value() }
}
try connection.addAggregateFunction("total", arity: 1) { Sum() }
let sums = try connection.query(
  .column(.int), "SELECT total(x) OVER (ORDER BY x ROWS 1 PRECEDING) FROM point")
print(sums)  // [1, 3, 6, 12]

try connection.addFunction("square", options: [.deterministic, .innocuous]) {
  (x: Int) in
  let (square, overflow) = x.multipliedReportingOverflow(by: x)
  if overflow { throw SQLiteError(.range, "The square of \(x) is too large") }
  return square
}
try connection.execute("CREATE INDEX point_square ON point(square(x))")
// snippet.hide
guard sums == [1, 3, 6, 12] else { fatalError("\(sums)") }
do {
  try connection.execute("INSERT INTO point VALUES (\(Int.max))")
  fatalError()
} catch SQLiteError.range {}
