// What a program that uses Structure does, in Sluice.

// snippet.hide
import Foundation
import Sluice

let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let path = folder.appending(path: "items.db").path
// snippet.show
let queue = try ConnectionQueue(path: path, label: "items")

try queue.sync { connection in
  try connection.execute(
    """
    CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, price REAL, amount INTEGER);
    CREATE TABLE counter(value INTEGER NOT NULL);
    INSERT INTO counter VALUES (0)
    """)

  // Finalized when nothing refers to it any more: no defer.
  let insert = try connection.prepare(sql: "INSERT INTO item VALUES (NULL, :NAME, :PRICE, :AMOUNT)")
  try insert.bind(["NAME": "gate", "PRICE": 42.1, "AMOUNT": 42]).execute()
  try insert.bind(["NAME": "weir", "PRICE": nil, "AMOUNT": 1]).execute()
}

try queue.sync { connection in
  let select = try connection.prepare(sql: "SELECT name, price, amount FROM item WHERE id = ?1")
  try select.bind(1, toParameter: 1)  // parameters are counted from 1, columns from 0
  try select.forEachRow { row in
    let name: String = try row[0]
    let price: Double? = try row["price"]
    let text = try row.text(named: "price")  // by SQLite's rules
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
  // snippet.show
}

// Nobody else comes in between, and an error undoes it.
let (_, number) = try queue.syncTransaction { connection, _ in
  let value = try connection.first(.column(.int), "SELECT value FROM counter") ?? 0
  try connection.execute("UPDATE counter SET value = \(value + 1)")
  return value + 1
}
// snippet.hide
guard number == 1 else { fatalError("\(number)") }
struct Refused: Error {}
do {
  try queue.syncTransaction { connection, _ in
    try connection.execute("UPDATE counter SET value = 100")
    throw Refused()
  }
  fatalError()
} catch is Refused {}
let counter = try queue.sync { try $0.first(.column(.int), "SELECT value FROM counter") }
guard counter == 1 else { fatalError("\(counter ?? 0)") }
// snippet.show

try queue.close()
do {
  try queue.sync { connection in try connection.execute("DELETE FROM item") }
} catch SQLiteError.misuse {
  print("It has been closed.")
}
