// Asynchronous calls, which do not block a thread.

// snippet.hide
import Sluice

let queue = try ConnectionQueue()
try await queue.perform { try $0.execute(sql: "CREATE TABLE event(title TEXT)") }
// snippet.show
let count = try await queue.perform { connection in
  try connection.first(.column(.int), sql: "SELECT count(*) FROM event")
}
try await queue.transaction { connection, command in
  try connection.execute(sql: "INSERT INTO event(title) VALUES ('Difference Engine')")
  if count != 0 { command = .rollback }
}
// snippet.hide
let after = try await queue.perform {
  try $0.first(.column(.int), sql: "SELECT count(*) FROM event")
}
guard count == 0, after == 1 else { fatalError() }
