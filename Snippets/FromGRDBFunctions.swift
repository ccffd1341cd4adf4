// GRDB functions and observers, and their Sluice equivalents.

// snippet.hide
import Foundation
import Sluice

let connection = try Connection()
// snippet.show
// A function with typed arguments. An argument of an optional type can be NULL.
try connection.addFunction("initial", options: .deterministic) {
  (name: String?) -> String? in
  name.map { String($0.prefix(1)) }
}

// A function with any number of arguments.
try connection.addFunction("joined", arity: -1, options: .deterministic) {
  (values: borrowing SQLFunctionArguments) -> DatabaseValue in
  var words: [String] = []
  for index in values.indices {
    if let word = try values.get(String?.self, at: index) { words.append(word) }
  }
  // Or .integer, .real, .blob, .null.
  return .text(words.joined(separator: " "))
}

// An aggregate. Each group has its own object.
final class Longest: SQLAggregateFunction {
  private var longest = 0
  func step(_ values: borrowing SQLFunctionArguments) throws {
    longest = max(longest, try values.get(String?.self, at: 0)?.count ?? 0)
  }
  func final() throws -> DatabaseValue { .integer(Int64(longest)) }
}
try connection.addAggregateFunction("longest", arity: 1) { Longest() }
// snippet.hide
guard
  try connection.first(
    .column(.string), sql: "SELECT initial('Ada') || joined(' and', NULL, 'Eve')") == "A and Eve",
  try connection.first(.column(.optional(.string)), sql: "SELECT initial(NULL)") == .some(nil),
  try connection.first(.column(.int), sql: "SELECT longest('Ada')") == 3
else { fatalError() }
struct Refused: Error {}
try connection.addFunction("checked", arity: -1) { values in
  guard values.count > 1 else { throw Refused() }
  return try values[0]
}
do {
  _ = try connection.first(.column(.int), sql: "SELECT checked(1)")
  fatalError()
} catch is Refused {}
try connection.addFunction("year") { (date: Date) in Int(date.formatted(.iso8601.year())) ?? 0 }
try connection.addFunction("is_random") { (id: UUID) in id.uuid.6 >> 4 == 4 }
guard try connection.first(.column(.int), sql: "SELECT year('2001-01-01 00:00:00.000')") == 2001
else { fatalError() }
let observer = Log()
try connection.add(transactionObserver: observer)
try connection.execute("CREATE TABLE player(name); INSERT INTO player VALUES ('Ada')")
guard observer.names == ["Ada"] else { fatalError("\(observer.names)") }

/// An observer that reads its tables on the same connection, before the next write.
final class Log: TransactionObserver {
  var names: [String] = []
  private var isChanged = false

  func databaseDidChange(with change: RowChange) {
    isChanged = isChanged || change.table == "player"
  }
  func databaseDidCommit(_ connection: Connection) {
    defer { isChanged = false }
    guard isChanged, let all = try? connection.query(.column(.string), "SELECT name FROM player")
    else { return }
    names = all
  }
}
