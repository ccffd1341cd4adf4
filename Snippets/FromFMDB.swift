// FMDB calls and their Sluice equivalents.

// snippet.hide
import Foundation
import Sluice

let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let path = folder.appending(path: "notes.db").path
let pixels = Data([1, 2])
// snippet.show
let connection = try Connection(path: path)  // opens the file, or throws

try connection.execute(
  """
  CREATE TABLE note(id INTEGER PRIMARY KEY, title TEXT, stars INTEGER, added REAL, image BLOB);
  CREATE INDEX note_stars ON note(stars)
  """)

// FMDB stores a date as seconds since 1970.
let added = Date(timeIntervalSince1970: 1_700_000_000)
try connection.execute(
  sql: "INSERT INTO note(title, stars, added, image) VALUES (?, ?, ?, ?)",
  parameters: "Note G", 5, .timeIntervalSince1970(added), pixels)
try connection.execute(
  sql: "INSERT INTO note(title, stars) VALUES (:title, :stars)",
  parameters: ["title": "Note A", "stars": nil])
print(connection.lastInsertRowid, connection.changes)  // 2 1
// snippet.hide
guard connection.lastInsertRowid == 2, connection.changes == 1 else { fatalError() }
var lines: [String] = []
// snippet.show

// The call ends the query, even if the closure throws, so there is no result set to close.
try connection.execute(sql: "SELECT * FROM note ORDER BY id") { row in
  let id = try row.get(.int64, named: "id")
  let title = try row.get(.string, named: "title")
  let stars = try row.optional(.int, named: "stars")  // NULL is nil, not 0
  let added = try row.optional(.timeIntervalSince1970, named: "added")
  let image = try row.optional(.data, named: "image")
  let bytes = try row.isNull(at: 4) ? 0 : row.withBytes(named: "image") { $0.count }  // no copy
  print(id, title, stars ?? 0, added as Any, image?.count ?? 0, bytes, try row.value(at: 2))
  // snippet.hide
  lines.append("\(id) \(title) \(stars ?? -1) \(added == nil) \(image?.count ?? 0) \(bytes)")
  // snippet.show
}
let dictionary = try connection.first(.values, sql: "SELECT * FROM note WHERE id = 1")?.dictionary
let count = try connection.first(.column(.int), sql: "SELECT count(*) FROM note")
// snippet.hide
guard lines == ["1 Note G 5 false 2 2", "2 Note A -1 true 0 0"], count == 2,
  dictionary?["title"] == "Note G"
else { fatalError("\(lines)") }
let found = try connection.first(
  .column(.timeIntervalSince1970), sql: "SELECT added FROM note WHERE id = 1")
guard found == added else { fatalError() }
// snippet.show

do {
  try connection.execute(sql: "INSERT INTO note(id) VALUES (?)", parameters: 1)
} catch SQLiteError.constraintPrimaryKey {
  print("There is a note 1 already.")
} catch let error as SQLiteError {
  // LastErrorCode, lastErrorMessage.
  print(error.code.primary.rawValue, error.message)
}

try connection.transaction { connection, command in
  try connection.execute("DELETE FROM note WHERE stars IS NULL")
  try connection.savepoint { connection, command in
    try connection.execute("DELETE FROM note")
    command = .rollback
  }
  if connection.totalChanges == 0 { command = .rollback }
}
// snippet.hide
guard try connection.query(.column(.int), "SELECT id FROM note") == [1] else { fatalError() }
// snippet.show

try connection.addFunction("shout", arity: 1, options: .deterministic) { values in
  guard case .text(let text) = try values[0] else { return .null }
  return .text(text.uppercased() + "!")
}
let shouted = try connection.first(
  .column(.string), sql: "SELECT shout(title) FROM note")
// snippet.hide
guard shouted == "NOTE G!" else { fatalError() }
// snippet.show
try connection.close()

// One connection, shared by many threads.
let queue = try ConnectionQueue(path: path, label: "notes")
try queue.sync { connection in
  try connection.execute("INSERT INTO note(title, stars) VALUES ('Note B', 3)")
}
try queue.syncTransaction { connection, command in
  try connection.execute("DELETE FROM note")
  command = .rollback  // FMDB: rollback.pointee = true
}
try queue.syncSavepoint { connection in
  try connection.execute("UPDATE note SET stars = stars + 1")
}
// snippet.hide
let stars = try queue.sync { connection in
  try connection.query(.column(.int), "SELECT stars FROM note ORDER BY id")
}
guard stars == [6, 4] else { fatalError("\(stars)") }
try others()
if SQLiteLibrary.has(.fts5) { try fullText() }
try pools()

func others() throws {
  var configuration = Configuration()
  configuration.statementCacheSize = 100
  configuration.busyTimeout = .seconds(2)
  let connection = try Connection(path: path, configuration: configuration)
  let formatter = DateFormatter()
  formatter.dateFormat = "yyyy-MM-dd"
  try connection.execute("CREATE TABLE entry(name TEXT, amount REAL, isOpen INTEGER, day TEXT)")
  try connection.execute(
    sql: "INSERT INTO entry VALUES (:name, :amount, :isOpen, :day)",
    parameters: ["name": "a", "amount": 1.5, "isOpen": true, "day": "2001-01-01"])
  try connection.execute(sql: "SELECT * FROM entry WHERE amount > ?", parameters: 1) { row in
    guard try row.get(.string, at: 0) == "a", try row.get(.double, named: "amount") == 1.5,
      try row.get(.bool, named: "isOpen"), try row.value(named: "amount") == 1.5,
      try row.optional(.date(as: .formatted(formatter)), named: "day") != nil,
      try row.values().dictionary["name"] == "a", row.indices.count == 4,
      try row.index(named: "day") == 3, try row.isNull(at: 3) == false
    else { fatalError() }
  }
  try additions(to: connection)
  try values(of: connection)
  connection.clearStatementCache()
  try connection.begin(.immediate)
  guard !connection.isInAutocommit else { fatalError() }
  try connection.commit()
  try connection.begin()
  try connection.rollback()
  connection.interrupt()
  try connection.setUserVersion(3)
  try connection.setApplicationID(7)
  guard try connection.userVersion == 3, try connection.applicationID == 7 else { fatalError() }
  let queue = try ConnectionQueue(path: path)
  try queue.syncTransaction(.deferred) { connection in
    try connection.execute("DELETE FROM entry")
  }
  try queue.syncTransaction(.exclusive) { connection, command in
    command = .rollback
  }
  let count = try queue.sync { connection in
    try connection.query(.column(.string), sql: "SELECT name FROM entry").count
  }
  guard count == 0 else { fatalError() }
}

/// The calls of FMDatabaseAdditions and others.
func additions(to connection: Connection) throws {
  let (name, script) = ("b", "SELECT name FROM entry; SELECT day FROM entry")
  try connection.execute("INSERT INTO entry(name) VALUES (\(name))")
  let first = try connection.first(
    .column(.string), "SELECT name FROM entry WHERE amount = \(1.5)")
  let most = try connection.first(
    .column(.optional(.double)), sql: "SELECT max(amount) FROM entry WHERE name = 'b'")
  try connection.execute(sql: script) { row in
    guard row.columnNames == ["name"] || row.columnNames == ["day"] else { fatalError() }
  }
  let insert = try connection.prepare(sql: "INSERT INTO entry(name, amount) VALUES (?, ?)")
  try insert.bind("c", 2).execute()
  try connection.trace(.statement) { event in
    guard event.expandedSQL != nil else { fatalError() }
  }
  try connection.checkpoint(.truncate)
  let reader = try Connection(path: path, readOnly: true)
  guard first == "a", most == .some(nil), try connection.table(named: "entry") != nil,
    try connection.columns(of: "entry").contains(where: { $0.name == "day" }),
    try connection.schemaObjects().contains(where: { $0.name == "entry" }),
    try connection.database(named: "main").path == path, try reader.tables().count == 2
  else { fatalError() }
  do {
    _ = try connection.prepare(sql: "SELECT wrong FROM entry")
    fatalError()
  } catch is SQLiteError {}
}

/// Numbers without a sign, dates as text, storage classes, and functions that fail.
func values(of connection: Connection) throws {
  let formatter = DateFormatter()
  formatter.dateFormat = "yyyy-MM-dd"
  let day = Date(timeIntervalSince1970: 0)
  try connection.execute("CREATE TABLE big(name TEXT, number INTEGER, note TEXT, day TEXT)")
  try connection.execute(
    sql: "INSERT INTO big VALUES (?, ?, ?, ?)",
    parameters: "d", .uint64(bitPattern: .max), .null, .date(day, as: .formatted(formatter)))
  try connection.execute("SELECT * FROM big") { row in
    let number = try row.get(.uint64BitPattern, named: "number")
    guard number == .max, try row.value(named: "name").storageClass == .text,
      try row.isNull(at: 2)
    else { fatalError() }
  }
  try connection.addFunction("refuse", arity: -1) { values in
    throw SQLiteError(.error, "No \(try values.get(String.self, at: 0))")
  }
  do {
    try connection.execute("SELECT refuse('a')")
    fatalError()
  } catch let error as SQLiteError {
    guard error.message.contains("No a") else { fatalError() }
  }
}

func fullText() throws {
  let connection = try Connection()
  try connection.addTokenizer("words") { text in
    text.split(separator: " ").map { FTS5Token($0.lowercased(), at: $0) }
  }
  try connection.execute("CREATE VIRTUAL TABLE mail USING fts5(subject, tokenize = 'words')")
  try connection.execute("INSERT INTO mail VALUES ('hello world')")
  let mail = try connection.fullText("mail")
  let marked = try connection.first(
    .column(.string),
    """
    SELECT \(mail.highlight("subject", from: "<", to: ">")) FROM mail WHERE mail MATCH 'world'
    """)
  guard marked == "hello <world>" else { fatalError() }
}

func pools() throws {
  let pool = try ConnectionPool(path: path, readers: 4)
  let names = try pool.syncRead { connection in
    try connection.query(.column(.string), "SELECT name FROM entry")
  }
  try pool.syncTransaction { connection, command in
    try connection.execute("DELETE FROM entry")
    command = .rollback
  }
  try pool.syncWrite { connection in
    try connection.execute("INSERT INTO entry(name) VALUES ('e')")
    try connection.savepoint { connection, command in command = .rollback }
  }
  let url = URL(filePath: path)
  let count = try Connection(url: url).first(.column(.int), "SELECT count(*) FROM entry")
  guard count == names.count + 1 else { fatalError() }
}
