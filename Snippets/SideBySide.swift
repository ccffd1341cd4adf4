// Ten tasks, as the front pages of other libraries show them.

// snippet.hide
import Foundation
// snippet.show
import SluiceModels

// snippet.hide
let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let path = folder.appending(path: "app.db").path
// snippet.show
let queue = try ConnectionQueue(path: path)

struct Player: Codable, Identifiable, Model {
  static let table = ModelTable("player", key: \Player.id)
  var id: String
  var name: String
  var score: Int
}

try await queue.write { connection in
  try connection.createTable(of: Player.self)
  try connection.insert(Player(id: "1", name: "Ada", score: 100))
  try connection.insert(Player(id: "2", name: "Alan", score: 1000))
}

try await queue.read { connection in
  let player = try connection.fetch(Player.self, key: "1")
  let best = try connection.fetch(Player.order(by: .descending(\.score)).limit(10))
  // snippet.hide
  guard player?.name == "Ada", best.map(\.name) == ["Alan", "Ada"] else { fatalError() }
  // snippet.show
}
// snippet.hide
try await queue.write { try $0.dropTable(of: Player.self) }
// snippet.show
try await queue.write { connection in
  try connection.execute(
    sql: "CREATE TABLE player(id TEXT PRIMARY KEY, name TEXT NOT NULL, score INT NOT NULL)")
  try connection.execute(
    sql: "INSERT INTO player VALUES (?, ?, ?)", parameters: "1", "Ada", 100)
  // The values of an SQL literal are bound.
  let (id, name, score) = ("2", "O'Brien", 1000)
  try connection.execute("INSERT INTO player VALUES (\(id), \(name), \(score))")
}
let names = try await queue.read { connection in
  try connection.execute(sql: "SELECT * FROM player") { row in
    let id: String = try row.id
    let name: String = try row.name
    let score: Int = try row.score
    // snippet.hide
    print(id, name, score)
    // snippet.show
  }
  let count = try connection.first(.column(.int), sql: "SELECT count(*) FROM player")
  // snippet.hide
  guard count == 2 else { fatalError() }
  // snippet.show
  return try connection.query(.column(.string), sql: "SELECT name FROM player")
}
// snippet.hide
guard names == ["Ada", "O'Brien"] else { fatalError() }
try await queue.write { try $0.dropTable(of: Player.self) }
// snippet.show
try await queue.write { connection in
  try connection.createTable(of: Player.self)
  var player = try connection.insert(Player(id: "1", name: "Ada", score: 100))
  player.score += 10
  try connection.update(player)
  try connection.updateChanges(of: &player) { $0.score += 10 }
  try connection.delete(player)
}
// snippet.hide
try await queue.write { try $0.insert(Player(id: "1", name: "Ada", score: 1)) }
// snippet.show
try await queue.read { connection in
  let player = try connection.fetch(Player.self, key: "1")
  let ada = try connection.fetchFirst(Player.where(\.name == "Ada"))
  let best = try connection.fetch(Player.order(by: .descending(\.score)).limit(10))
  let count = try connection.count(Player.all)
  let players = try connection.query(.model(Player.self), sql: "SELECT * FROM player")
  // snippet.hide
  guard player?.id == ada?.id, best.count == 1, count == 1, players.count == 1 else { fatalError() }
  // snippet.show
}
let cancellable = queue.observe(Player.all).sink { completion in
  print(completion)
} receiveValue: { players in
  print("Players: \(players)")
}
// snippet.hide
cancellable.cancel()
// snippet.show
enum App {
  static let store = ModelStore(creating: Item.self) {
    try ConnectionQueue(path: "items.db")
  }
}
// snippet.hide
guard FileManager.default.changeCurrentDirectoryPath(folder.path) else { fatalError() }
try await App.store.write { _ in }
// snippet.show
let database = try App.store.queue

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
let itemCount = database.liveCount(of: Item.all)
// snippet.hide
for value in [all, sorted, inStock, byStock] { try await value.load() }
guard try await itemCount.load().value == 0 else { fatalError() }
// snippet.show
let newItem = Item(id: UUID(), title: "Tea")
try await database.write { connection in
  try connection.insert(newItem)
}
// snippet.hide
while items.value.isEmpty { await Task.yield() }
