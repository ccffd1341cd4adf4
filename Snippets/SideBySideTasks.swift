// Twenty more tasks, of which other libraries show the calls in their guides.

// snippet.hide
import Foundation
import SluiceData
import SluiceModels

let queue = try ConnectionQueue()
// snippet.show
enum Color: String, Codable, CaseIterable, SQLValue { case red, green }

struct Address: Codable, Equatable {
  var street: String
  var city: String
}

struct Team: Codable, Model {
  static let table = ModelTable("team", key: \Team.id)
  var id: Int64?
  var name: String
}

struct Player: Codable, Model {
  static let table = ModelTable(
    "player", key: \Player.id,
    .column(\.name, .unique),
    .column(\.joined, .date(as: .timeIntervalSince1970)),
    .columns(\.home))
  var id: Int64?
  var name: String
  var score = 0
  var color: Color?
  var team: Int64?
  var joined = Date(timeIntervalSince1970: 0)
  var home: Address?
}

struct Prize: Codable, Model {
  static let table = ModelTable("prize", key: \Prize.id)
  var id: Int64?
  var name: String
}

struct Win: Codable, Model {
  static let table = ModelTable("win", key: \Win.player, and: \.prize)
  var player: Int64
  var prize: Int64
}
// snippet.hide
let migration = Migration("tables") { connection in
  try connection.createTable(of: Team.self)
  try connection.createTable(of: Player.self)
  try connection.createTable(of: Prize.self)
  try connection.createTable(of: Win.self)
}
// snippet.show
var migrator = try Migrator([migration])
migrator.erasesOnSchemaChange = true
// snippet.hide
try await migrator.migrate(queue)
let names = try await queue.write { db in
  let teams = try db.insert([Team(name: "Red"), Team(name: "Blue")])
  let color = Color.red
  let ada = Player(
    name: "Ada", score: 1000, color: color, team: 1,
    home: Address(street: "Dorset Street", city: "London"))
  let eve = Player(name: "Eve", score: 10, team: 1)
  try db.insert([ada, eve])
  try db.insert(Prize(name: "Cup"))
  try db.insert(Win(player: 1, prize: 1))

  // snippet.show
  let red = try db.query(Player.self, "SELECT * FROM player WHERE color = \(color)")
  let london = try db.fetch(Player.where(\.home?.city == "London"))
  let members = try db.fetch(Player.order(by: \.name), of: teams, by: \.team)
  let best = try db.fetch(Player.order(by: .descending(\.score)).limit(3), of: teams, by: \.team)
  let sizes = try db.count(Player.all, of: teams, by: \.team)
  // snippet.hide
  let players = try db.fetch(Player.order(by: \.name))
  // snippet.show
  let prizes = try db.fetch(Prize.all, of: players, through: \Win.player, \Win.prize)
  let pairs = try db.query(
    .models(Player.self, Team?.self),
    """
    SELECT \(columns: Player.self), \(columns: Team.self)
    FROM player LEFT JOIN team ON team.id = player.team
    """)
  let highest = try db.value(.max(\.score), of: Player.all)
  let scores = try db.fetch(Player.all.select(\.team, .sum(\.score)).group(by: \.team))
  // snippet.hide
  guard red.map(\.name) == ["Ada"], london.map(\.name) == ["Ada"],
    members.map({ $0.children.map(\.name) }) == [["Ada", "Eve"], []],
    best.map(\.children.count) == [2, 0], sizes.map(\.count) == [2, 0],
    prizes.map(\.children.count) == [1, 0], pairs.map(\.1?.name) == ["Red", "Red"],
    highest == 1000, scores.count == 1, scores[0].1 == 1010
  else { fatalError() }
  let player = Player(name: "Eve", score: 20, team: 1)
  // snippet.show
  try db.insert(player, or: .replace)
  let stored = try db.upsert(player, .onAnyConflict, returning: .model(Player.self))
  try db.update(Player.where(\.score < 100), .set(\.score, sql: "score + \(1)"))
  try db.delete(Player.where(\.team == nil))
  // snippet.hide
  guard stored.score == 20, try db.count(Player.all) == 2 else { fatalError() }
  // snippet.show
  try db.addFunction("initials") { (name: String) in String(name.prefix(1)) }
  let initials = try db.query(.column(.string), "SELECT initials(name) FROM player")
  let row = try db.first(.values, "SELECT name, joined FROM player")
  let joined = try row?.get(.date(as: .timeIntervalSince1970), named: "joined")
  print(try db.text(of: "SELECT name, score FROM player"))
  // snippet.hide
  guard initials.sorted() == ["A", "E"], joined == Date(timeIntervalSince1970: 0) else {
    fatalError()
  }
  return initials
}
guard names.count == 2 else { fatalError() }
// snippet.show
for try await player in queue.rows(Player.order(by: \.name)) { print(player.name) }
let live = queue.live(Player.order(by: \.name))
// snippet.hide
try await live.load()
try await queue.write { db in try db.insert(Player(name: "Zoe")) }
// snippet.show
try await live.reload()
let sections = live.value.sections(by: \.team)
let token = queue.observe(Player.all).handleEvents { event in print(event) }
// snippet.hide
guard sections.count == 2 else { fatalError("\(sections.count)") }
_ = token
