// Structure calls and their Sluice equivalents.

// snippet.hide
import Foundation
import Sluice

let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let path = folder.appending(path: "items.db").path
// snippet.show
var configuration = Configuration()
configuration.prepareConnection { connection in
  // Structure adds a Unicode UPPER to each database.
  try connection.addUnicodeCaseFunctions()
}
let queue = try ConnectionQueue(
  path: path, label: "items", configuration: configuration)

try queue.sync { connection in
  try connection.execute(
    """
    CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, price REAL, amount INTEGER);
    CREATE TABLE counter(value INTEGER NOT NULL);
    INSERT INTO counter VALUES (0)
    """)

  // The statement is finalized when its last reference is released, without a defer.
  let insert = try connection.prepare(
    sql: "INSERT INTO item VALUES (NULL, :NAME, :PRICE, :AMOUNT)")
  try insert.bind(["NAME": "gate", "PRICE": 42.1, "AMOUNT": 42]).execute()
  try insert.bind(["NAME": "weir", "PRICE": nil, "AMOUNT": 1]).execute()
}

try queue.sync { connection in
  let select = try connection.prepare(sql: "SELECT name, price, amount FROM item WHERE id = ?1")
  try select.bind(1, toParameter: 1)  // parameters count from 1, columns from 0
  try select.forEachRow { row in
    let name: String = try row[0]
    let price: Double? = try row["price"]
    let text = try row.text(named: "price")  // converted by SQLite's rules
    print(name, price ?? 0, text)  // gate 42.1 42.1
    // snippet.hide
    guard name == "gate", price == 42.1, text == "42.1" else { fatalError() }
    // snippet.show
  }

  try select.bind(2, toParameter: 1)
  if let row = try select.step() {
    print(try row.isNull(at: 1))  // true
    // snippet.hide
    guard try row.isNull(at: 1) else { fatalError() }
    // snippet.show
  }
  // snippet.hide
  guard try select.step() == nil else { fatalError() }
  let (id, price): (Int, Double?) = (3, nil)
  try connection.execute(sql: "INSERT INTO item VALUES (3, 'lock', 1.5, x'00')")
  try select.bind(id, toParameter: 1)
  try select.forEachRow { row in
    guard try row.integer(at: 0) == 0, try row.real(named: "price") == 1.5,
      try row.blob(at: 2) == [0], try row.isNull(at: 1) == false
    else { fatalError() }
  }
  try select.reset()
  try connection.execute("INSERT INTO item(id) VALUES (4)")
  try select.bind(4, toParameter: 1)
  try select.forEachRow { row in
    let price = try row.optional(.double, named: "price") ?? 0  // NULL is 0, as in Structure
    guard price == 0, row.columnNames == ["name", "price", "amount"] else { fatalError() }
    do {
      _ = try row.real(named: "price")
      fatalError()
    } catch SQLiteError.mismatch {}
  }
  try connection.execute("DELETE FROM item WHERE id = 4")
  guard try select.index(named: "price") == 1, select.columnNames.count == 3 else { fatalError() }
  let update = try connection.prepare(sql: "UPDATE item SET price = :price WHERE id = :id")
  try update.bind(["id": 3, "price": price]).execute()
  try update.bind(.double(2), toParameter: "price").execute()
  guard let position = update.parameterNames.firstIndex(of: ":price") else { fatalError() }
  try update.bind(.double(2), toParameter: position + 1).execute()
  do {
    try connection.transaction { connection in throw SQLiteError(.error, "The item is sold") }
    fatalError()
  } catch let error as SQLiteError {
    guard error.message == "The item is sold" else { fatalError() }
  }
  guard connection.lastInsertRowid == 4, try connection.userVersion == 0,
    try connection.first(.column(.string), sql: "SELECT upper('é')") == "É",
    try connection.first(.column(.double), sql: "SELECT price FROM item WHERE id = 3") == 2
  else { fatalError() }
  // snippet.show
}

// No other thread can use the connection until the closure returns. An error rolls back the
// transaction.
let number = try queue.syncTransaction { connection in
  let value = try connection.first(.column(.int), "SELECT value FROM counter") ?? 0
  try connection.execute("UPDATE counter SET value = \(value + 1)")
  return value + 1
}

// Each call is one access. The SQL is compiled once, because the connection caches the statement.
DispatchQueue.concurrentPerform(iterations: 10) { _ in
  do {
    try queue.sync { connection in
      try connection.execute("UPDATE counter SET value = value + \(1)")
    }
  } catch {
    print("It failed:", error)
  }
}
// snippet.hide
guard try queue.sync({ try $0.first(.column(.int), "SELECT value FROM counter") }) == 11 else {
  fatalError()
}
try queue.sync { try $0.execute("UPDATE counter SET value = 1") }
guard number == 1 else { fatalError("\(number)") }
struct Refused: Error {}
do {
  try queue.syncTransaction { connection in
    try connection.execute("UPDATE counter SET value = 100")
    throw Refused()
  }
  fatalError()
} catch is Refused {}
let counter = try queue.sync { try $0.first(.column(.int), "SELECT value FROM counter") }
guard counter == 1 else { fatalError("\(counter ?? 0)") }
_ = try (ConnectionQueue(configuration: configuration), Connection(path: path))
// snippet.show

// The next line sets the user_version that Structure leaves after one migration, so only migration
// 2 runs.
try queue.sync { connection in try connection.setUserVersion(1) }
let migrator = try Migrator(
  [
    Migration(1, sql: "CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT)"),
    Migration(2) { connection in
      try connection.execute("ALTER TABLE item ADD COLUMN color TEXT")
    },
  ], adopting: .userVersion)
let report = try queue.sync { connection in try migrator.migrate(connection) }
print(report.version)  // 2
// snippet.hide
guard report.applied.map(\.number) == [2], try queue.sync({ try $0.userVersion }) == 2 else {
  fatalError("\(report)")
}
// snippet.show

try queue.syncClose()
do {
  try queue.sync { connection in try connection.execute("DELETE FROM item") }
} catch SQLiteError.misuse {
  print("It has been closed.")
}
