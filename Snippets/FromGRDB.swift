// What a program that uses GRDB does, in Sluice.

// snippet.hide
import Foundation
import Sluice
import SluiceModels

let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let path = folder.appending(path: "game.db").path
// snippet.show
var configuration = Configuration()
configuration.journalMode = .wal  // what a DatabasePool has
configuration.busyTimeout = .seconds(5)
// The forms of GRDB: UUIDs are 16 bytes; its dates and nested values are what Sluice has by default.
configuration.codingStrategies = CodingStrategies(uuids: .bytes)

let writer = try ConnectionQueue(path: path, label: "writer", configuration: configuration)
try await writer.perform { connection in  // what prepareDatabase does
  try connection.addFunction("initial", options: .deterministic) { (name: String) in
    String(name.prefix(1))
  }
}
let reader = try ConnectionReadQueue(writeQueue: writer, label: "reader")

let migrator = try Migrator([
  Migration(
    "create player",
    sql: """
      CREATE TABLE player(
        id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER NOT NULL, born TEXT, team BLOB)
      """),
  Migration("index scores") { connection in
    try connection.execute("CREATE INDEX player_score ON player(score)")
  },
])
let report = try await writer.perform { connection in try migrator.migrate(connection) }
print(report.version)  // 2
// snippet.hide
let applied = try await writer.perform { try migrator.applied(on: $0).map(\.step.name) }
guard applied == ["create player", "index scores"] else { fatalError() }
// snippet.show

// What is returned is Sendable; rows become values inside.
let id = try await writer.transaction { connection, _ in
  try connection.execute(
    sql: "INSERT INTO player(name, score) VALUES (?, ?)", parameters: "Ada", 1000)
  try connection.execute(
    sql: "INSERT INTO player(name, score) VALUES (:name, :score)",
    parameters: ["name": "Alan", "score": 900])
  let name = "Eve"
  try connection.execute("INSERT INTO player(name, score) VALUES (\(name), \(10))")
  return connection.lastInsertRowid
}.value
print(id)  // 3
// snippet.hide
guard id == 3 else { fatalError() }
// snippet.show

struct Player: Codable, Model {
  static let table = Table("player", key: \Player.id)
  var id: Int64?
  var name: String
  var score: Int
  var born: Date?
  var team: UUID?
}

let (names, best, values) = try await reader.readTransaction { connection in
  let names = try connection.query(.column(.string), sql: "SELECT name FROM player ORDER BY id")
  let best = try connection.first(Player.self, "SELECT * FROM player WHERE score > \(950)")
  let values = try connection.query(.values, sql: "SELECT id, name FROM player")  // can be kept
  return (names, best, values)
}
// snippet.hide
guard names == ["Ada", "Alan", "Eve"], best?.name == "Ada", values.count == 3 else { fatalError() }
let connection = try Connection()
try migrator.migrate(connection)
connection.codingStrategies.uuids = .bytes
try connection.execute("INSERT INTO player(name, score) VALUES ('Ada', 1000), ('Alan', 900)")
// snippet.show

// Row by row, as with a cursor.
try connection.execute("SELECT * FROM player") { row in
  let name: String = try row["name"]  // NULL, or what is no text, throws
  let born = try row.optional(.date(as: .sqlite), named: "born")
  let team = try row.optional(.uuidBytes, named: "team")
  print(name, born as Any, team as Any)
}

let update = try connection.prepare(sql: "UPDATE player SET score = :score WHERE name = :name")
for (name, score) in [("Ada", 1001), ("Alan", 901)] {
  try update.bind([":name": .string(name), ":score": .int(score)]).execute()
}
// snippet.hide
let scores = try connection.query(.column(.int), "SELECT score FROM player ORDER BY id")
guard scores == [1001, 901] else { fatalError() }
// snippet.show

let (command, _) = try connection.transaction(.immediate) { connection, command in
  try connection.execute("DELETE FROM player WHERE name = 'Ada'")
  try connection.savepoint { connection, command in
    try connection.execute("DELETE FROM player")
    command = .rollback  // of the savepoint only
  }
  // command = .rollback here would undo all of it.
}
// snippet.hide
guard command == .commit, try connection.count(Player.all) == 1 else { fatalError() }
// snippet.show

final class Longest: SQLAggregateFunction {
  private var longest = 0
  func step(_ values: borrowing SQLFunctionArguments) throws {
    longest = max(longest, try values.get(String?.self, at: 0)?.count ?? 0)
  }
  func final() throws -> DatabaseValue { .integer(Int64(longest)) }
}
try connection.addAggregateFunction("longest", arity: 1, options: .deterministic) { Longest() }
try connection.addCollation("standard") { $0.localizedStandardCompare($1) }

do {
  try connection.execute("INSERT INTO player(id, name, score) VALUES (2, 'Bob', 0)")
} catch SQLiteError.constraintPrimaryKey {
  print("There is a player 2 already.")
} catch let error as SQLiteError {
  print(error.code, error.message, error.sql ?? "")
}
// snippet.hide
guard try connection.first(.column(.int), "SELECT longest(name) FROM player") == 4,
  try connection.first(.column(.bool), "SELECT 'a2' < 'a10' COLLATE standard") == true
else { fatalError() }
// snippet.show

// Records: the connection does what methods of the record do in GRDB.
var eve = try connection.insert(Player(name: "Eve", score: 10, team: UUID()))
eve.score += 1
try connection.update(eve)
try connection.update(eve, \.score)
try connection.upsert(eve)
let same = try connection.fetch(Player.self, key: eve.id ?? 0)
let exists = try connection.exists(eve)
try connection.delete(eve)

let top = Player.where(\.score >= 900 && .like(\.name, "A%")).order(by: .descending(\.score))
let players = try connection.fetch(top.limit(10))
let first = try connection.fetchFirst(top)
let count = try connection.count(top)
try connection.update(top, .set(\.score, to: 0))
try connection.delete(Player.where(\.born == nil))
// snippet.hide
guard same?.score == 11, same?.team == eve.team, exists, players.map(\.name) == ["Alan"],
  first?.id == 2, count == 1, try connection.count(Player.all) == 0
else { fatalError() }
