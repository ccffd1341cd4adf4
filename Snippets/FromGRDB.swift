// GRDB calls and their Sluice equivalents.

import Foundation
// snippet.hide
import Sluice
// snippet.show
import SluiceModels

struct Player: Codable, Model {
  static let table = ModelTable("player", key: \Player.id)
  var id: Int64?
  var name: String
  var score = 0
  var born: Date?
  var team: UUID?
}
// snippet.hide

let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let path = folder.appending(path: "game.db").path
// snippet.show

var configuration = Configuration()
configuration.codingStrategies = .grdb  // dates, UUIDs and JSON as GRDB stores them
configuration.prepareConnection { connection in
  try connection.addFunction("initial", options: .deterministic) { (name: String) in
    String(name.prefix(1))
  }
}
let pool = try ConnectionPool(path: path, configuration: configuration)

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
let report = try await migrator.migrate(pool)
print(report.version)  // 2
// snippet.hide
guard report.applied.map(\.name) == ["create player", "index scores"] else { fatalError() }
// snippet.show

let id = try await pool.write { connection in
  try connection.execute(
    sql: "INSERT INTO player(name, score) VALUES (?, ?)", parameters: "Ada", 1000)
  try connection.execute(
    sql: "INSERT INTO player(name, score) VALUES (:name, :score)",
    parameters: ["name": "Alan", "score": 900])
  let name = "Eve"
  try connection.execute("INSERT INTO player(name, score) VALUES (\(name), \(10))")
  return connection.lastInsertRowid
}
print(id)  // 3

let (names, best, values) = try await pool.read { connection in
  let names = try connection.query(
    .column(.string), sql: "SELECT name FROM player ORDER BY id")
  let best = try connection.first(
    Player.self, "SELECT * FROM player WHERE score > \(950)")
  // Copied rows.
  let values = try connection.query(.values, sql: "SELECT id, name FROM player")
  return (names, best, values)
}
// snippet.hide
guard id == 3, names == ["Ada", "Alan", "Eve"], best?.name == "Ada", values.count == 3,
  try await pool.read({
    try $0.query(.column(.string), sql: "SELECT initial(name) FROM player ORDER BY id")
  }) == ["A", "A", "E"]
else { fatalError() }
// snippet.show

let observation = Task {
  for try await players in pool.observe(Player.order(by: .descending(\.score))) {
    print(players.map(\.name))
  }
}
observation.cancel()
do { try await observation.value } catch is CancellationError {}
// snippet.hide
try await pool.close()
let connection = try Connection()
try migrator.migrate(connection)
connection.codingStrategies = .grdb
struct Visit: Decodable {
  let at: Date
  let days: [Date]
}
let visit = try connection.first(
  Visit.self, sql: "SELECT '1970-01-01 00:02:08.000' AS at, '[128000]' AS days")
guard visit?.days == [Date(timeIntervalSince1970: 128)], visit?.days.first == visit?.at else {
  fatalError()
}
try connection.execute("INSERT INTO player(name, score) VALUES ('Ada', 1000), ('Alan', 900)")
// snippet.show

var eve = try connection.insert(Player(name: "Eve", score: 10, team: UUID()))
eve.score += 1
try connection.update(eve)
try connection.update(eve, \.score)
try connection.upsert(eve)
let same = try connection.fetch(Player.self, key: eve.id ?? 0)
let exists = try connection.exists(eve)
try connection.delete(eve)

do {
  try connection.execute("INSERT INTO player(id, name, score) VALUES (2, 'Bob', 0)")
} catch SQLiteError.constraintPrimaryKey {
  print("There is a player 2 already.")
} catch let error as SQLiteError {
  print(error.code.primary, error.message, error.sql ?? "")
}

let top = Player.where(\.score >= 900 && .like(\.name, "A%")).order(
  by: .descending(\.score))
let players = try connection.fetch(top.limit(10))
let first = try connection.fetchFirst(top)
let count = try connection.count(top)
try connection.update(top, .set(\.score, to: 0))
try connection.delete(Player.where(\.born == nil))
// snippet.hide
guard same?.score == 11, same?.team == eve.team, exists, players.map(\.name) == ["Ada", "Alan"],
  first?.id == 1, count == 2, try connection.count(Player.all) == 0
else { fatalError() }
// snippet.show

// Each of these calls throws. In GRDB, they return 3, true and nil, store NULL, and ignore case.
let differences: [() throws -> Void] = [
  { _ = try connection.first(.column(.int), sql: "SELECT 3.7") },
  { _ = try connection.first(.column(.bool), sql: "SELECT 2") },
  // .optional(.int) returns nil.
  { _ = try connection.first(.column(.int), sql: "SELECT NULL") },
  {
    try connection.execute(
      sql: "UPDATE player SET score = ?", parameters: .double(.nan))
  },
  {
    try connection.execute(sql: "SELECT 1 AS a") { row in
      _ = try row.value(named: "b")
    }
  },
]
// snippet.hide
let others: [() throws -> Void] = [
  { try connection.execute(sql: "SELECT 1 AS a") { row in _ = try row.value(named: "b") } },
  {
    try connection.execute(sql: "DELETE FROM player WHERE id = :a", parameters: ["a": 1, "b": 2])
  },
  { try connection.execute(sql: "DELETE FROM player WHERE id = ?1; SELECT ?1", parameters: 1) },
  { try connection.update(eve) },
  { try connection.delete(Player.self, key: 100) },
]
for difference in differences + others {
  do {
    try difference()
    fatalError()
  } catch is SQLiteError {}
}

// A file to which GRDB has applied the first of the two migrations.
let old = try ConnectionQueue(path: folder.appending(path: "grdb.db").path)
try await old.perform { connection in
  try connection.execute(
    sql: """
      CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
      INSERT INTO grdb_migrations VALUES ('create player');
      CREATE TABLE player(
        id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER NOT NULL, born TEXT, team BLOB)
      """)
}
// snippet.show

// GRDB recorded the first migration under its name, so only the second one runs.
let adopting = try Migrator(migrator.migrations, adopting: .grdb)
let continued = try await adopting.migrate(old)
print(continued.adopted.map(\.name), continued.applied.map(\.name))
// snippet.hide
for _ in 1...2 {
  let steps = try await old.perform { connection in
    try (
      adopting.migrate(connection).applied.count, adopting.applied(on: connection).map(\.step.name),
      adopting.drift(on: connection).map(\.object.name)
    )
  }
  guard steps.0 == 0, steps.1 == ["create player", "index scores"], steps.2.isEmpty
  else { fatalError("\(steps)") }
}
