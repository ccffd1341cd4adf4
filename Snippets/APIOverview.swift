// The calls that programs make most, each once.

// snippet.hide
import Foundation
import Sluice

let folder = FileManager.default.temporaryDirectory.appending(path: "overview-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let path = folder.appending(path: "library.db").path
let backupPath = folder.appending(path: "backup.db").path
let (name, age, born) = ("Ada", Optional(36), Date(timeIntervalSince1970: 0))

struct Person: Codable, Equatable, Sendable {
  var name: String
  var age: Int?
}
// snippet.show
// Open and configure
var configuration = Configuration()
configuration.journalMode = .wal
let connection = try Connection(path: path, configuration: configuration)

// Execute, with values
try connection.execute(
  "CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT, age INTEGER, born TEXT)")
try connection.execute("INSERT INTO person(name, age) VALUES (\(name), \(age))")
try connection.execute(
  sql: "INSERT INTO person(name, born) VALUES (?, ?)", parameters: name, .date(born, as: .iso8601))
try connection.execute(
  sql: "INSERT INTO person(name, age) VALUES (:name, :age)",
  parameters: ["name": "Alan", "age": nil])

// Query: all rows, one row, structs, tuples, a closure
let names = try connection.query(.column(.string), "SELECT name FROM person")
let count = try connection.first(.column(.int), "SELECT count(*) FROM person")
let people = try connection.query(Person.self, "SELECT name, age FROM person WHERE age > \(18)")
let pairs = try connection.query(.columns(.int64, .string), "SELECT id, name FROM person")
try connection.execute("SELECT name, age FROM person") { row in
  print(try row.get(.string, named: "name"), try row.optional(.int, at: 1) ?? 0)
}

// Insert a struct
try connection.execute(
  sql: "INSERT INTO person(name, age) VALUES (:name, :age)", encoding: Person(name: "Eve", age: nil)
)

// Transactions: the result of the body, a rollback without an error, a savepoint inside
let rowid = try connection.transaction { connection in
  try connection.execute("INSERT INTO person(name) VALUES ('Grace')")
  return connection.lastInsertRowid
}
let (command, _) = try connection.transaction { connection, command in
  try connection.execute("DELETE FROM person")
  try connection.savepoint { connection in try connection.execute("DROP TABLE person") }
  command = .rollback
}
// snippet.hide
guard names == ["Ada", "Ada", "Alan"], count == 3, people == [Person(name: "Ada", age: 36)],
  pairs.map(\.0) == [1, 2, 3], rowid == 5, command == .rollback
else { fatalError() }
try connection.close()
// snippet.show

// A queue, and a pool that reads while it writes
let queue = try ConnectionQueue(path: path, label: "app")
let total = try await queue.read { connection in
  try connection.first(.column(.int), "SELECT count(*) FROM person") ?? 0
}
let pool = try ConnectionPool(path: path)
try await pool.write { connection in
  try connection.execute("UPDATE person SET age = 42 WHERE name = 'Alan'")
}
let alan = try await pool.read(deadline: .now + .seconds(1)) { connection in
  try connection.first(Person.self, "SELECT name, age FROM person WHERE name = 'Alan'")
}

// Observe: now, and after each commit that may have changed the result
for try await names in pool.observe(.column(.string), "SELECT name FROM person") {
  print(names.count)
  break
}

// After a commit
try await pool.write { connection in
  try connection.afterCommit { _ in print("The age is stored.") }
  try connection.execute("UPDATE person SET age = 43 WHERE name = 'Alan'")
}

// Back up
try await pool.backup(to: backupPath)
// snippet.hide
guard total == 5, alan == Person(name: "Alan", age: 42) else { fatalError() }
try await queue.close()
try await pool.close()
