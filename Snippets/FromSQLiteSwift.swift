// SQLite.swift calls and their Sluice equivalents.

// snippet.hide
import Foundation
import Sluice
import SluiceModels

let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let path = folder.appending(path: "users.db").path
// snippet.show
var configuration = Configuration()
configuration.busyTimeout = .seconds(5)
let connection = try Connection(path: path, configuration: configuration)
let memory = try Connection()
let temporary = try Connection.temporary()
let readOnly = try Connection(path: path, readOnly: true)

// Executes a script, executes statements with values, and reads one value.
try connection.execute(
  """
  CREATE TABLE user(id INTEGER PRIMARY KEY, name TEXT, email TEXT NOT NULL UNIQUE, joined TEXT);
  CREATE TABLE log(line TEXT)
  """)
let email = "ada@example.com"
try connection.execute("INSERT INTO user(email) VALUES (\(email))")
try connection.execute(
  sql: "INSERT INTO user(name, email) VALUES (?, ?)", parameters: "Alan",
  "alan@example.com")
// 2 1 2
print(connection.lastInsertRowid, connection.changes, connection.totalChanges)
let count = try connection.first(.column(.int64), "SELECT count(*) FROM user")
// snippet.hide
guard connection.lastInsertRowid == 2, connection.totalChanges == 2, count == 2 else {
  fatalError()
}
// snippet.show

try connection.execute("SELECT id, name, email FROM user") { row in
  let id = try row.get(.int64, at: 0)
  let name = try row.optional(.string, named: "name")
  let email: String = try row.email
  print(id, name ?? "nobody", email)
}
let insert = try connection.prepare(
  sql: "INSERT INTO user(email, joined) VALUES (?, ?)")
for name in ["eve", "bob"] {
  try insert.bind("\(name)@example.com", .date(.now, as: .sqlite)).execute()
}
// SQLite.swift stores dates as UTC text, with a T and without a time zone.
let joined = try connection.first(
  .column(.date(as: .sqlite)), sql: "SELECT '2001-01-01T00:00:00.000'")
// snippet.hide
guard joined == Date(timeIntervalSinceReferenceDate: 0),
  try connection.first(.column(.int), "SELECT count(joined) FROM user") == 2
else { fatalError() }
// snippet.show

try connection.transaction(.immediate) { connection in
  try connection.execute("INSERT INTO log VALUES ('begun')")
  do {
    try connection.savepoint { connection in
      try connection.execute("INSERT INTO log VALUES ('tried')")
      try connection.execute("INSERT INTO user(email) VALUES (\(email))")
    }
  } catch SQLiteError.constraintUnique {
    print("The address is taken.")
  }
}
// snippet.hide
guard try connection.query(.column(.string), "SELECT line FROM log") == ["begun"] else {
  fatalError()
}
// snippet.show

try connection.addFunction("domain", options: [.deterministic, .innocuous]) {
  (email: String) in
  email.split(separator: "@").last.map(String.init)
}
try connection.addCollation("nodiacritic") { first, second in
  first.compare(second, options: [.diacriticInsensitive, .caseInsensitive])
}
try connection.attach(path: ":memory:", as: "other")
try connection.setUserVersion(1)
// snippet.hide
guard
  try connection.query(.column(.string), "SELECT DISTINCT domain(email) FROM user")
    == ["example.com"],
  try connection.first(.column(.bool), "SELECT 'Ä' = 'a' COLLATE nodiacritic") == true,
  try connection.userVersion == 1
else { fatalError() }
// snippet.show

// A struct and its properties replace tables and expressions.
struct User: Codable, Model {
  static let table = ModelTable(
    "person", key: \User.id, .column(\.email, .unique), .index(\.name))
  var id: Int64?
  var name: String?
  var email: String
  var balance = 0.0
}
try connection.createTable(of: User.self)
let ada = try connection.insert(User(name: "Ada", email: email))
try connection.insert([
  User(name: "Alan", email: "alan@example.com"), User(email: "eve@x.com"),
])

let named = User.where(\.name != nil && .like(\.email, .suffix("@example.com")))
for user in try connection.fetch(named.order(by: .descending(\.name)).limit(5)) {
  print(user.id ?? 0, user.name ?? "", user.email)
}
let first = try connection.fetchFirst(User.where(\.id == 1))
let total = try connection.count(named)
let sum = try connection.value(.sum(\.balance), of: User.all)
// snippet.hide
guard ada.id == 1, try connection.fetch(named).count == 2, first?.name == "Ada", total == 2,
  sum == 0
else { fatalError() }
// snippet.show

try connection.update(
  User.where(\.id == 1), .set(\.balance, sql: "balance - \(10.0)"))
try connection.update(named, .set(\.email, sql: "replace(email, 'example', 'x')"))
try connection.upsert(User(id: 1, name: "Augusta", email: "ada@x.com"))
try connection.delete(User.where(\.id == 3))
try connection.dropTable(of: User.self, ifExists: true)
// snippet.hide
guard try !connection.hasTable(of: User.self) else { fatalError() }
try connection.close()
let queue = try ConnectionQueue(path: path)
// snippet.show

// A queue shares its connection between threads.
let users = try await queue.perform { connection in
  try connection.query(
    .columns(.int64, .string), sql: "SELECT id, email FROM user ORDER BY id")
}
// snippet.hide
guard users.map(\.0) == [1, 2, 3, 4] else { fatalError("\(users)") }
try others()
try selections()

struct Item: Codable, Model {
  static let table = ModelTable("item", key: \Item.id)
  var id: Int64?
  var owner: Int64
}

func selections() throws {
  let connection = try Connection()
  try connection.createTable(of: User.self)
  try connection.createTable(of: Item.self)
  try connection.insert([User(name: "Ada", email: "a"), User(name: "Ada", email: "b")])
  try connection.insert(Item(owner: 1))
  try connection.upsert(User(email: "b"), .on(\.email))
  let addresses = try connection.fetch(User.all.select(\.id, \.email))
  let names = try connection.fetch(User.all.select(\.name).distinct())
  let groups = try connection.fetch(
    User.all.select(.column(\.name), .count).group(by: \.name).having("count(*) > \(1)"))
  let owners = try connection.query(
    .models(User.self, Item?.self),
    """
    SELECT \(columns: User.self), \(columns: Item.self)
    FROM person LEFT JOIN item ON item.owner = person.id ORDER BY person.id
    """)
  let sum = try connection.value(.sum(\.balance), of: User.all)
  guard addresses.map(\.1) == ["a", "b"], Set(names) == ["Ada", nil], groups.isEmpty, sum == 0,
    owners.map(\.1?.owner) == [1, nil]
  else { fatalError() }
}

func others() throws {
  let connection = try Connection(uri: "file:other?mode=memory")
  try connection.execute("CREATE TABLE item(a, b)")
  try connection.execute(
    sql: "INSERT INTO item VALUES (?, ?)", parameters: 1, .bytes([1, 2]))
  try connection.execute("SELECT a, b FROM item") { row in
    guard try row.value(at: 0) == 1, try row.get(.int64, at: 0) == 1,
      try row.get(.data, at: 1) == Data([1, 2]), try row.optional(.bytes, at: 1) == [1, 2]
    else { fatalError() }
  }
  let copies = try connection.query(.values, "SELECT a FROM item")
  let statement = try connection.prepare(sql: "SELECT a FROM item WHERE a = ?")
  try statement.bind(1)
  guard try statement.first(.column(.int64)) == 1 else { fatalError() }
  while let row = try statement.step() { guard try row.get(.int, at: 0) == 1 else { fatalError() } }
  try connection.prepare(sql: "DELETE FROM item WHERE a = ?").bind(2).execute()
  guard statement.columnNames == ["a"], copies.count == 1 else { fatalError() }
  connection.interrupt()
  try connection.addAggregateFunction("longest", arity: 1) { Longest() }
  try connection.addFunction("twice", arity: 1) { values in try .integer(2 * values.get(at: 0)) }
  try connection.attach(path: ":memory:", as: "other")
  try connection.detach("other")
  do {
    try connection.execute("SELECT wrong FROM item")
    fatalError()
  } catch let error as SQLiteError {
    guard error.message.contains("wrong"), error.code == .error, error.sql != nil,
      error.offset == 7
    else { fatalError() }
  }
  try connection.createTable(of: User.self, ifNotExists: true)
  let failed = try connection.insertEach([User(id: 1, email: "a"), User(id: 1, email: "b")])
  let query = User.where(.in(\.id, [1, 2])).order(by: .descending(\.name)).limit(5, offset: 0)
  guard failed.count == 1, try connection.fetch(query).count == 1,
    try connection.exists(query), try connection.fetchFirst(query)?.name == nil,
    try connection.count(User.all) == 1
  else { fatalError() }
  try connection.update(query, .set(\.name, to: "Eve"))
  try connection.delete(User.all)
}

final class Longest: SQLAggregateFunction {
  private var longest = 0
  func step(_ values: borrowing SQLFunctionArguments) throws {
    longest = max(longest, try values.get(String?.self, at: 0)?.count ?? 0)
  }
  func final() throws -> DatabaseValue { .integer(Int64(longest)) }
}
