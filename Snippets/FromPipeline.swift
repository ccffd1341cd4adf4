// Pipeline calls and their Sluice equivalents.

// snippet.hide
import Foundation
import Sluice

// snippet.show
let connection = try Connection()
try connection.execute(sql: "CREATE TABLE pair(even, odd)")
for number in 0..<5 {
  try connection.execute(
    sql: "INSERT INTO pair VALUES (?, ?)", parameters: 2 * number, 2 * number + 1)
}
try connection.execute(
  sql: "INSERT INTO pair VALUES (:even, :odd)",
  parameters: [":even": 100, ":odd": "many"])

// Between uses, the statement needs no reset, and its bindings need not be cleared.
let insert = try connection.prepare(sql: "INSERT INTO pair VALUES (?, ?)")
for number in 5..<10 {
  try insert.bind(2 * number, 2 * number + 1).execute()
}
// snippet.hide
let sums = try connection.first(
  .columns(.int, .int), sql: "SELECT count(*), sum(odd) FROM pair WHERE typeof(odd) = 'integer'")
guard let sums, sums == (10, 100) else { fatalError() }
var texts: [String] = []
// snippet.show

try connection.execute(sql: "SELECT even, odd FROM pair WHERE even = 100") { row in
  let even = try row.get(.int, at: 0)
  do {
    print(try row.optional(.int, at: 1) ?? 0)
  } catch SQLiteError.mismatch {
    let text = try row.get(.string, at: 1)
    print(even, text, try row.integer(at: 1))  // 100 many 0; SQLite converts the text to 0
    // snippet.hide
    texts = ["\(even)", text, "\(try row.integer(at: 1))"]
    // snippet.show
  }
}
// snippet.hide
guard texts == ["100", "many", "0"] else { fatalError("\(texts)") }
// snippet.show

let (command, rowid) = try connection.transaction { connection, command -> Int64 in
  try connection.execute(sql: "INSERT INTO pair VALUES (20, 21)")
  if connection.changes != 1 { command = .rollback }
  return connection.lastInsertRowid
}
print(command, rowid)  // commit 12
// snippet.hide
guard command == .commit, rowid == 12 else { fatalError() }
// snippet.show

// For values other than text, the function returns its argument unchanged.
func rotated(_ byte: UInt8) -> UInt8 {
  switch byte {
  case UInt8(ascii: "A")...UInt8(ascii: "Z"): (byte - 65 + 13) % 26 + 65
  case UInt8(ascii: "a")...UInt8(ascii: "z"): (byte - 97 + 13) % 26 + 97
  default: byte
  }
}
try connection.addFunction("rot13", arity: 1, options: .deterministic) { values in
  guard case .text(let text) = try values[0] else { return try values[0] }
  return .text(String(decoding: text.utf8.map(rotated), as: UTF8.self))
}
let secret = try connection.prepare(sql: "INSERT INTO pair(even) VALUES (rot13(?))")
try secret.bind("Hello, Ä!").execute()  // Uryyb, Ä!

try connection.addCollation("localized_compare") { first, second in
  first.localizedCompare(second)
}
let sorted = try connection.prepare(
  sql:
    "SELECT even FROM pair WHERE typeof(even) = 'text' ORDER BY even COLLATE localized_compare"
)
let words = try sorted.query(.column(.string))
// snippet.hide
guard words == ["Uryyb, Ä!"] else { fatalError("\(words)") }
try connection.execute("INSERT INTO pair(even) VALUES ('a'), ('V'), (rot13(5))")
guard try sorted.query(.column(.string)) == ["a", "Uryyb, Ä!", "V"],
  try connection.first(.column(.int), "SELECT even FROM pair ORDER BY rowid DESC") == 5
else { fatalError() }
// snippet.show

let queue = try ConnectionQueue(label: "app.database")
let group = DispatchGroup()
queue.asyncTransaction(group: group) { connection, command in
  try connection.execute(sql: "CREATE TABLE event(description TEXT, date REAL)")
  try connection.execute(
    sql: "INSERT INTO event VALUES ('started', ?)",
    parameters: .timeIntervalSinceReferenceDate(.now))
} completion: { result in
  switch result {
  case .success(let (command, _)): print(command)  // commit
  case .failure(let error): print("It failed:", error)
  }
}
group.wait()

struct Event: Sendable {
  let description: String
  let date: Date
}

extension RowConverter where Value == Event {
  static var event: Self {
    Self { row in
      try Event(
        description: row.text(at: 0),
        date: row.get(.timeIntervalSinceReferenceDate, at: 1))
    }
  }
}

let sevenDaysAgo = Date.now - 7 * 24 * 60 * 60
let events = try queue.sync { connection in
  let recent = try connection.prepare(
    sql: "SELECT description, date FROM event WHERE date >= ?1")
  try recent.bind(.timeIntervalSinceReferenceDate(sevenDaysAgo), toParameter: 1)
  return try recent.query(.event)
}
// snippet.hide
guard events.map(\.description) == ["started"], events[0].date > sevenDaysAgo else { fatalError() }
