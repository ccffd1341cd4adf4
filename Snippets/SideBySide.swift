// Ten tasks, as the front pages of other libraries show them.

// snippet.hide
import Foundation
// snippet.show
import SluiceModels

// snippet.hide
let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")
try FileManager.default.createDirectory(
  at: folder.appending(path: "path/to"), withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
guard FileManager.default.changeCurrentDirectoryPath(folder.path) else { fatalError() }
// snippet.show
let dbQueue = try ConnectionQueue(path: "path/to/database.sqlite")

struct Player: Codable, Identifiable, Model {
  static let table = ModelTable("player", key: \Player.id)
  var id: String
  var name: String
  var score: Int
}

try await dbQueue.write { db in
  try db.createTable(of: Player.self)
  try db.insert(Player(id: "1", name: "Arthur", score: 100))
  try db.insert(Player(id: "2", name: "Barbara", score: 1000))
}

try await dbQueue.read { db in
  let player = try db.fetch(Player.self, key: "1")

  let bestPlayers = try db.fetch(
    Player
      .order(by: .descending(\.score))
      .limit(10))
  // snippet.hide
  guard player?.name == "Arthur", bestPlayers.map(\.name) == ["Barbara", "Arthur"]
  else { fatalError() }
  // snippet.show
}
// snippet.hide
try await dbQueue.write { try $0.dropTable(of: Player.self) }
// The page has the line breaks of the examples that it compares.
// swift-format-ignore
// snippet.show
try await dbQueue.write { db in
  try db.execute(sql: """
    CREATE TABLE player (
      id TEXT PRIMARY KEY,
      name TEXT NOT NULL,
      score INT NOT NULL)
    """)

  try db.execute(sql: """
    INSERT INTO player (id, name, score)
    VALUES (?, ?, ?)
    """, parameters: "1", "Arthur", 100)

  // The values of an SQL literal are bound.
  let id = "2"
  let name = "O'Brien"
  let score = 1000
  try db.execute("""
    INSERT INTO player (id, name, score)
    VALUES (\(id), \(name), \(score))
    """)
}
// snippet.hide
let names = try await dbQueue.read { try $0.query(.column(.string), "SELECT name FROM player") }
guard names == ["Arthur", "O'Brien"] else { fatalError() }
// snippet.show
try await dbQueue.read { db in
  try db.execute(sql: "SELECT * FROM player") { row in
    let id: String = try row.id
    let name: String = try row.name
    let score: Int = try row.score
    // snippet.hide
    print(id, name, score)
    // snippet.show
  }

  let playerCount = try db.first(.column(.int), sql: "SELECT COUNT(*) FROM player")!
  let playerNames = try db.query(.column(.string), sql: "SELECT name FROM player")
  // snippet.hide
  guard playerCount == 2, playerNames == ["Arthur", "O'Brien"] else { fatalError() }
  // snippet.show
}

let playerCount = try await dbQueue.read { db in
  try db.first(.column(.int), sql: "SELECT COUNT(*) FROM player")!
}
// snippet.hide
guard playerCount == 2 else { fatalError() }
try await dbQueue.write { try $0.dropTable(of: Player.self) }
// snippet.show
try await dbQueue.write { db in
  try db.createTable(of: Player.self)

  var player = Player(id: "1", name: "Arthur", score: 100)
  try db.insert(player)

  player.score += 10
  try db.update(player)

  try db.updateChanges(of: &player) { $0.score += 10 }
  // snippet.hide
  guard try db.fetch(Player.all).map(\.score) == [120] else { fatalError() }
  // snippet.show

  try db.delete(player)
}
// snippet.hide
try await dbQueue.write { try $0.insert(Player(id: "1", name: "Arthur", score: 1)) }
// snippet.show
try await dbQueue.read { db in
  let player = try db.fetch(Player.self, key: "1")

  let arthur = try db.fetchFirst(Player.where(\.name == "Arthur"))

  let bestPlayers = try db.fetch(Player.order(by: .descending(\.score)).limit(10))

  let playerCount = try db.count(Player.all)

  let players = try db.query(.model(Player.self), sql: "SELECT * FROM player")
  // snippet.hide
  guard player?.id == "1", arthur?.id == "1", bestPlayers.count == 1, playerCount == 1,
    players.count == 1
  else { fatalError() }
  // snippet.show
}
let observation = dbQueue.observe(Player.all).receive(on: .main)

let cancellable = observation.sink(
  receiveCompletion: { completion in print(completion) },
  receiveValue: { players in print("Fresh players: \(players)") })
// snippet.hide
cancellable.cancel()
// snippet.show
let database = try ConnectionQueue(path: "items.db")
try await database.write { db in
  try db.createTable(of: Item.self, ifNotExists: true)
}

let newItem = Item(id: UUID())
try await database.write { db in
  try db.insert(newItem)
}
// snippet.hide
guard try await database.read({ try $0.count(Item.all) }) == 1 else { fatalError() }
// snippet.show
struct Item: Codable, Model {
  static let table = ModelTable("item", key: \Item.id)
  let id: UUID
  var title = ""
  var isInStock = true
  var notes = ""
}

let items = database.live(Item.all)

let all = database.live(Item.all)
let sorted = database.live(Item.order(by: \.title))
let inStock = database.live(Item.where(\.isInStock == true))
let byStock = database.live(Item.order(by: \.isInStock))
let itemsCount = database.liveCount(of: Item.all)
// snippet.hide
for value in [items, all, sorted, inStock, byStock] {
  guard try await value.load().value.map(\.id) == [newItem.id] else { fatalError() }
}
guard try await itemsCount.load().value == 1 else { fatalError() }
