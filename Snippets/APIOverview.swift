// The most common calls, each shown once.

// snippet.hide
import Foundation
import Sluice

let folder = FileManager.default.temporaryDirectory.appending(path: "overview-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let path = folder.appending(path: "library.db").path
let backupPath = folder.appending(path: "backup.db").path
let (name, age, born, id) = ("Ada", Optional(36), Date(timeIntervalSince1970: 0), UUID())
let ages = [36, 42]

struct Person: Codable, Equatable, Sendable {
  var name: String
  var age: Int?
}
// snippet.show
// Open and configure
var configuration = Configuration()
configuration.journalMode = .wal
configuration.synchronous = .normal
configuration.pageSize = 8192
let connection = try Connection(path: path, configuration: configuration)

// Execute statements with values
try connection.execute(
  "CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT, age INTEGER, born TEXT, uuid BLOB)"
)
try connection.execute("INSERT INTO person(name, age) VALUES (\(name), \(age))")
try connection.execute(
  sql: "INSERT INTO person(name, born, uuid) VALUES (?, ?, ?)",
  parameters: name, .date(born, as: .sqlite), .uuidBytes(id))
try connection.execute(
  sql: "INSERT INTO person(name, age) VALUES (:name, :age)",
  parameters: ["name": "Alan", "age": nil])

// Bind an array, or bind values to the statements of a script in order
let listed = try connection.first(
  .column(.int), sql: "SELECT count(*) FROM person WHERE age IN (?, ?)",
  parameters: SQLParameters(ages))
try connection.execute(
  sql:
    "UPDATE person SET age = ? WHERE id = 3; UPDATE person SET age = NULL WHERE age = ?",
  parameters: 18, 18)

// Query: all rows, one row, a value that can be NULL, structs, tuples, a closure for each row
let names = try connection.query(.column(.string), "SELECT name FROM person")
let count = try connection.first(Int.self, "SELECT count(*) FROM person")
let oldest =
  try connection.first(.column(.optional(.int)), "SELECT max(age) FROM person") ?? nil
let people = try connection.query(
  Person.self, "SELECT name, age FROM person WHERE age > \(18)")
let pairs = try connection.query(
  .columns(.int64, .string), "SELECT id, name FROM person")
try connection.execute("SELECT name, age FROM person") { row in
  print(try row.get(.string, named: "name"), try row.optional(.int, at: 1) ?? 0)
}

// Insert a struct
try connection.execute(
  sql: "INSERT INTO person(name, age) VALUES (:name, :age)",
  encoding: Person(name: "Eve", age: nil)
)

// Transactions: return a result, roll back without an error, nest a savepoint
let rowid = try connection.transaction { connection in
  try connection.execute("INSERT INTO person(name) VALUES ('Grace')")
  return connection.lastInsertRowid
}
let (command, _) = try connection.transaction { connection, command in
  try connection.execute("DELETE FROM person")
  try connection.savepoint { connection in try connection.execute("DROP TABLE person")
  }
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

// A read with a deadline; task cancellation also ends the read
let alan = try await pool.read(deadline: .now + .seconds(1)) { connection in
  try connection.first(
    Person.self, "SELECT name, age FROM person WHERE name = 'Alan'")
}

// Synchronous calls, which block the calling thread
func rename(_ id: Int, to name: String, in database: any DatabaseWriter) throws
  -> String?
{
  try database.syncWrite { connection in
    try connection.execute("UPDATE person SET name = \(name) WHERE id = \(id)")
  }
  return try database.syncRead { connection in
    try connection.first(.column(.string), "SELECT name FROM person WHERE id = \(id)")
  }
}

// Observe the result: the current value, and a new one after each commit that may change it
for try await names in pool.observe(.column(.string), "SELECT name FROM person") {
  print(names.count)
  break
}

// React to a commit: a closure, an observer, the changed rows
try await pool.write { connection in
  try connection.afterCommit { _ in print("The age is stored.") }
  try connection.execute("UPDATE person SET age = 43 WHERE name = 'Alan'")
}
let token = try await pool.perform {
  try $0.add(transactionObserver: CommitCounter())
}
let changes = Task {
  for try await commit in pool.rowChanges(in: "person") {
    print(commit.changes.count)
  }
}

// Back up to a file, or to another database
try await pool.backup(to: backupPath)
try await pool.backup(to: ConnectionQueue())

// Cancel and close
changes.cancel()
token.cancel()
try await queue.close()
try await pool.close()
// snippet.hide
guard total == 5, alan == Person(name: "Alan", age: 42) else { fatalError() }

final class CommitCounter: TransactionObserver {
  private var count = 0
  func databaseDidCommit(_ connection: Connection) { count += 1 }
}

func blocking() throws {
  let queue = try ConnectionQueue(path: backupPath)
  guard try rename(1, to: "Ada Lovelace", in: queue) == "Ada Lovelace" else { fatalError() }
}
try blocking()
