// Transactions on a queue, and a reader that sees one state of the database.

// snippet.hide
import Foundation
import Sluice

let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let path = folder.appending(path: "app.db").path
var configuration = Configuration()
configuration.journalMode = .wal
let queue = try ConnectionQueue(path: path, configuration: configuration)
// snippet.show
let amount = 5
try queue.sync { connection in
  try connection.execute(
    "CREATE TABLE payment(amount INTEGER); CREATE TABLE log(note TEXT)")
}
let (command, sum) = try queue.syncTransaction { connection, command in
  try connection.execute("INSERT INTO payment VALUES (\(amount))")
  let sum =
    try connection.first(.column(.int), "SELECT sum(amount) FROM payment") ?? 0
  if sum < 10 { command = .rollback }
  return sum
}
print(command, sum)  // rollback 5

try queue.syncTransaction { connection in
  try connection.execute("INSERT INTO payment VALUES (\(amount))")
  try connection.savepoint { connection, command in
    try connection.execute("INSERT INTO log VALUES ('tried')")
    command = .rollback  // rolls back the log, keeps the payment
  }
}

let reader = try ConnectionReadQueue(writeQueue: queue)
let (number, total) = try reader.syncReadTransaction { connection in
  let number = try connection.first(.column(.int), "SELECT count(*) FROM payment")
  let total = try connection.first(.column(.int), "SELECT sum(amount) FROM payment")
  return (number, total)  // from one state, regardless of concurrent writes
}
// snippet.hide
let counts = try queue.sync { connection in
  try connection.query(
    .column(.int), "SELECT count(*) FROM payment UNION ALL SELECT count(*) FROM log")
}
guard command == .rollback, sum == 5, number == 1, total == 5, counts == [1, 0] else {
  fatalError("\(counts)")
}
