// The calls in the tables of the GRDB guide: values, keys, expressions and associations.

// snippet.hide
import Foundation
import Sluice
import SluiceData
import SluiceModels

let connection = try Connection()
connection.codingStrategies = .grdb
// snippet.show
enum Color: String, Codable, CaseIterable, SQLValue { case red, green }

struct Event: Codable, Model {
  static let table = ModelTable(
    "event", key: \Event.id, .column(\.at, .date(as: .timeIntervalSince1970)))
  var id: Int64?
  var color: Color
  var at: Date  // seconds since 1970
  var began: Date  // as the strategies of the connection specify
}

try connection.execute(
  "CREATE TABLE event(id INTEGER PRIMARY KEY, color TEXT, at REAL, began TEXT)")
try connection.execute(
  "INSERT INTO event VALUES (1, \(Color.red), \(5000.0), '2001-01-01 00:00:00')")
try connection.execute("SELECT * FROM event") { row in
  let color: Color = try row["color"]
  let event = try row.decode(Event.self)
  print(color, event.at.timeIntervalSince1970)  // red 5000.0
  // snippet.hide
  guard color == .red, event.at.timeIntervalSince1970 == 5000,
    event.began.timeIntervalSinceReferenceDate == 0
  else { fatalError() }
  // snippet.show
}
// snippet.hide
struct Day: RawRepresentable, Codable { var rawValue: String }
var strategies = connection.codingStrategies
strategies.representations["at"] = .date(as: .timeIntervalSince1970)
struct Timed: Decodable {
  var at: Date
  var day: Day
}
let timed = try connection.first(
  .decoding(Timed.self, by: RowDecoder(strategies)), "SELECT at, date(began) AS day FROM event")
let green = try connection.insert(
  Event(color: .green, at: Date(timeIntervalSince1970: 6000), began: Date(timeIntervalSince1970: 0))
)
guard timed?.at.timeIntervalSince1970 == 5000, timed?.day.rawValue == "2001-01-01",
  try connection.first(.column(.value), "SELECT at FROM event WHERE id = 2") == 6000.0,
  try connection.count(Event.where(\.at == green.at)) == 1,
  try connection.count(Event.where(\.color == .green)) == 1
else { fatalError() }

struct Player: Codable, Model, Equatable {
  static let table = ModelTable("player", key: \Player.id)
  var id: Int64?
  var name: String
  var score = 0
  var tags: [String] = []
  var team: Int64?
}

struct Team: Codable, Model {
  static let table = ModelTable("team", key: \Team.id)
  var id: Int64?
  var name: String
  var league: Int64?
}

struct League: Codable, Model {
  static let table = ModelTable("league", key: \League.id)
  var id: Int64?
  var name: String
}

struct Member: Codable, Model {
  static let table = ModelTable(
    "member", key: \Member.id, .column(\.team, .references(Team.self, onDelete: .cascade)),
    .index(\.team))
  var id: Int64?
  var team: Int64
  var player: Int64
}

struct Country: Codable, Model {
  static let table = ModelTable("country", key: \Country.code, and: \.year)
  var code: String
  var year: Int
}

struct City: Codable, Model {
  static let table = ModelTable(
    "city", key: \City.id, .foreignKey(\.code, \.year, references: Country.self))
  var id: Int64?
  var name: String
  var code: String?
  var year: Int?
}

/// A model of a table without a declared key.
struct Line: Codable, Model {
  static let table = ModelTable("line", key: \Line.rowid)
  var rowid: Int64?
  var text: String
}

try connection.createTable(of: Player.self)
try connection.createTable(of: Team.self)
try connection.createTable(of: League.self)
_ = try connection.insert(League(name: "Kings"))
_ = try connection.insert([Team(name: "Red", league: 1), Team(name: "Blue", league: 1)])
_ = try connection.insert([
  Player(name: "Ada", tags: ["a", "b"], team: 1), Player(name: "alan", score: 7, team: 2),
  Player(name: "Eve", score: 9, team: 1),
])
try values(connection)
try statements(connection)
try keys(connection)
try expressions(connection)
try associations(connection)
try composite()
try policies(connection)
try await once()
try printing(connection)

func values(_ connection: Connection) throws {
  let name = "Ada"
  try connection.execute(sql: "SELECT name, x'0102' AS image FROM player WHERE id = 1") { row in
    let letters = try row.withUTF8(named: "name") { text in text.count }
    let copy = try row.blob(named: "name")
    let size = try row.withBytes(named: "image") { bytes in bytes.count }
    guard letters == 3, copy == Array(name.utf8), size == 2, row.indices.count == 2,
      row.columnNames == ["name", "image"], try row.index(named: "image") == 1,
      try row.values().values == [.text("Ada"), .blob([1, 2])]
    else { fatalError() }
  }
  let copies = try connection.query(.values, sql: "SELECT id, name FROM player ORDER BY id")
  let id = Int(databaseValue: copies[0]["id"] ?? .null)
  guard id == 1, let first = copies.first, first["name"] == "Ada" else { fatalError() }
  let text = try connection.first(
    .column(.date(as: .grdb)), sql: "SELECT '2001-01-01 00:00:00.000'")
  let number = try connection.first(.column(.date(as: .grdb)), sql: "SELECT 978307200")
  guard text == number, text == Date(timeIntervalSinceReferenceDate: 0) else { fatalError() }
  do {
    _ = try connection.first(.column(.date(as: .sqlite)), sql: "SELECT 978307200")
    fatalError()
  } catch SQLiteError.mismatch {}
  do {
    try connection.execute("SELECT name FROM player") { row in
      _ = try row.withBytes(named: "name") { $0.count }
    }
    fatalError()
  } catch SQLiteError.mismatch {}
}

func statements(_ connection: Connection) throws {
  let wanted = ["Ada", "Eve"]
  let found = try connection.query(
    .column(.string), sql: "SELECT name FROM player WHERE name IN (?, ?)",
    parameters: SQLParameters(wanted))
  let select = try connection.prepare(sql: "SELECT name FROM player ORDER BY id")
  var names: [String] = []
  while let row = try select.step() {
    names.append(try row.get(.string, at: 0))
    if names.count == 2 { break }
  }
  try select.reset()
  guard found == wanted, names == ["Ada", "alan"],
    try connection.database(named: "main").path == nil
      || connection.database(named: "main").path == ""
  else { fatalError() }
  do {
    try connection.transaction { connection in throw SQLiteError(.error, "The game is over") }
    fatalError()
  } catch let error as SQLiteError {
    guard error.code == .error else { fatalError() }
  }
}

func keys(_ connection: Connection) throws {
  try connection.execute("CREATE TABLE line(text TEXT)")
  let line = try connection.insert(Line(text: "one"))
  guard line.rowid == 1, try connection.fetch(Line.self, key: 1)?.text == "one" else {
    fatalError()
  }
  try connection.execute("CREATE TABLE visit(x, y, PRIMARY KEY(y, x))")
  let key = try connection.columns(of: "visit").filter({ $0.primaryKeyPosition != nil })
    .sorted(by: { ($0.primaryKeyPosition ?? 0) < ($1.primaryKeyPosition ?? 0) })
  guard key.map(\.name) == ["y", "x"],
    try connection.columns(of: "line").filter({ $0.primaryKeyPosition != nil }).isEmpty
  else { fatalError() }
  let one = Player.where(\.id == 1)
  let ids = try connection.fetch(Player.order(by: \.id).select(\.id))
  guard try connection.fetch(one).count == 1, ids == [1, 2, 3] else { fatalError() }
  guard var player = try connection.fetchFirst(one), let old = Optional(player) else {
    fatalError()
  }
  player.score = 5
  let isChanged = try connection.updateChanges(of: player, from: old)
  guard isChanged, player != old else { fatalError() }
}

func expressions(_ connection: Connection) throws {
  let name = "ALAN"
  let alan = Player.where(.sql("name = \(name) COLLATE NOCASE"))
  let sorted = Player.order(by: .sql("name COLLATE NOCASE"))
  let others = Player.where(!.in(\.id, [1, 2]))
  let query = Team.where(\.name == "Red").select(\.id)
  let red = Player.where(.sql("team IN (\(try connection.sql(of: query)))"))
  let tagged = Player.where(.sql("tags ->> 0 = \("a")"))
  let total = try connection.value(
    .sql("total(score)", .double, isAggregate: true), of: Player.all)
  guard try connection.fetch(alan).map(\.name) == ["alan"],
    try connection.fetch(sorted).map(\.name) == ["Ada", "alan", "Eve"],
    try connection.fetch(others).map(\.name) == ["Eve"],
    try connection.fetch(Player.order(by: .ascending(\.team, nulls: .last))).count == 3,
    try connection.fetch(red).map(\.name) == ["Ada", "Eve"],
    try connection.fetch(tagged).map(\.name) == ["Ada"], total == 21,
    try connection.fetch(Player.all.select(.sql("tags ->> 0", .optional(.string)))) == [
      "a", nil, nil,
    ]
  else { fatalError("\(total)") }
  var names: [String] = []
  try connection.forEach(Player.order(by: \.id)) { player in names.append(player.name) }
  guard names == ["Ada", "alan", "Eve"] else { fatalError() }
  try connection.execute("CREATE INDEX player_name ON player(name)")
  try connection.execute("ALTER TABLE player ADD COLUMN born TEXT")
  let rows = try TableMapper("player", .values).all(in: connection, orderBy: "id")
  guard rows.map({ $0["name"] }) == ["Ada", "alan", "Eve"] else { fatalError() }
  let player = Player(id: 1, name: "Ada", tags: ["a", "b"], team: 1)
  try connection.insert(player, or: .replace)
}

func associations(_ connection: Connection) throws {
  // Two levels: the teams of the leagues, then the players of the teams.
  let leagues = try connection.fetch(League.order(by: \.name))
  let teams = try connection.fetch(Team.order(by: \.name), of: leagues, by: \.league)
  let players = try connection.fetch(Player.order(by: \.name), of: teams, by: \.team)
  guard teams.map(\.children.count) == [2],
    players.map({ $0.children.map { $0.children.map(\.name) } }) == [[["alan"], ["Ada", "Eve"]]]
  else { fatalError("\(players)") }

  // Many to many: the table of the teams is between leagues and players.
  try connection.createTable(of: Member.self)
  try connection.execute("INSERT INTO member(team, player) SELECT team, id FROM player")
  let members = try connection.fetch(
    Player.order(by: \.name), of: teams.flatMap(\.children), through: \Member.team, \Member.player)
  guard members.map({ $0.children.map(\.name) }) == [["alan"], ["Ada", "Eve"]] else {
    fatalError("\(members)")
  }

  // A limit for each parent, and counts.
  let best = try connection.fetch(
    Player.order(by: .descending(\.score)).limit(1), of: teams.flatMap(\.children), by: \.team)
  let numbers = try connection.count(Player.all, of: teams.flatMap(\.children), by: \.team)
  guard best.map(\.children.count) == [1, 1], numbers.map(\.count) == [1, 2] else {
    fatalError("\(best) \(numbers)")
  }

  let team = try connection.insert(Team(name: "Green"))
  let empty = Team.where(.sql("NOT EXISTS (SELECT * FROM player WHERE player.team = team.id)"))
  let joined = Player.where(.sql("team IN (SELECT id FROM team WHERE name = \("Red"))"))
  let averages = try connection.query(
    .models(Team.self, and: .optional(.double)),
    """
    SELECT \(columns: Team.self), avg(player.score)
    FROM team LEFT JOIN player ON player.team = team.id GROUP BY team.id ORDER BY team.id
    """)
  guard try connection.fetch(empty).map(\.name) == ["Green"],
    try connection.fetch(joined).map(\.name) == ["Ada", "Eve"],
    try connection.count(Player.where(\.team == team.id)) == 0,
    averages.map(\.1) == [4.5, 7, nil]
  else { fatalError("\(averages)") }
  try connection.delete(team)
}

func printing(_ connection: Connection) throws {
  var text = ""
  try connection.dump { chunk in text += String(decoding: chunk, as: UTF8.self) }
  try connection.dump { chunk in print(String(decoding: chunk, as: UTF8.self), terminator: "") }
  let schema = try connection.schemaObjects().compactMap(\.sql).joined(separator: ";\n")
  print(try connection.text(of: "SELECT * FROM player"))
  guard text.contains("INSERT INTO"), schema.contains("CREATE TABLE") else { fatalError() }
}

/// An association whose key consists of two columns.
func composite() throws {
  let connection = try Connection()
  try connection.createTable(of: Country.self)
  try connection.createTable(of: City.self)
  _ = try connection.insert([Country(code: "DE", year: 2000), Country(code: "FR", year: 2000)])
  _ = try connection.insert([City(name: "Lyon", code: "FR", year: 2000), City(name: "Nowhere")])
  let countries = try connection.fetch(Country.order(by: \.code))
  let cities = try connection.fetch(
    City.order(by: \.name), of: countries, by: \.code, and: \.year)
  let country = try connection.fetch(Country.self, key: ("FR", 2000))
  guard country != nil, cities.map({ $0.children.map(\.name) }) == [[], ["Lyon"]] else {
    fatalError()
  }
}

/// The conflict policies of UPDATE, which only SQL has.
func policies(_ connection: Connection) throws {
  try connection.execute("CREATE UNIQUE INDEX player_score ON player(score)")
  let query = Player.where(\.score > 6)
  try connection.execute(
    """
    UPDATE OR IGNORE player SET score = \(7)
    WHERE id IN (\(connection.sql(of: query.select(\.id))))
    """)
  let scores = try connection.query(.column(.int), "SELECT score FROM player ORDER BY id")
  guard scores == [0, 7, 9] else { fatalError("\(scores)") }
  let address = Address(street: "Main Street")
  try connection.execute("CREATE TABLE home(address TEXT, price TEXT, page TEXT)")
  try connection.execute("INSERT INTO home VALUES (\(.json(address)), '0.1', 'https://a.org')")
  let home = try connection.first(
    .columns(.json(Address.self), .decimal, .urlString), "SELECT * FROM home")
  let price = try connection.first(.column(.decimal), "SELECT price FROM home")
  guard home?.0.street == "Main Street", price == Decimal(string: "0.1"),
    try connection.first(.column(.json(Address.self)), "SELECT address FROM home") != nil
  else { fatalError() }
}

struct Address: Codable, Sendable {
  var street: String
}

/// The closure of an observation, which a read also accepts.
func once() async throws {
  let queue = try ConnectionQueue()
  try await queue.write { connection in try connection.createTable(of: Player.self) }
  let count = { @Sendable (connection: inout sending Connection) in
    try connection.count(Player.all)
  }
  let now = try await queue.read(count)
  for try await first in queue.observe(count) {
    guard first == now else { fatalError() }
    break
  }
}
