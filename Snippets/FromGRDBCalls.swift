// The calls in the tables of the GRDB guide: opening, access, reading and writing.

// snippet.hide
import Foundation
import Sluice
import SluiceModels

let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let schema = """
  CREATE TABLE player(
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, score INTEGER NOT NULL DEFAULT 0,
    team BLOB, born TEXT)
  """
try open(path: folder.appending(path: "game.db").path)
try access(path: folder.appending(path: "access.db").path)
try statements()
try scripts()
try records()
try selections()
try joins()
try transactions()

func open(path: String) throws {
  var configuration = Configuration()
  configuration.busyTimeout = .seconds(5)
  configuration.foreignKeys = false
  configuration.journalMode = .wal
  configuration.doubleQuotedStrings = true
  configuration.statementCacheSize = 100
  configuration.monitor = JSONLinesMonitor(threshold: .seconds(60))
  configuration.prepareConnection { connection in
    try connection.addCollation("swiftLocalizedCompare") { $0.localizedCompare($1) }
  }
  let queue = try ConnectionQueue(path: path, configuration: configuration)
  let pool = try ConnectionPool(path: path, configuration: configuration)
  try pool.syncClose()
  try queue.syncClose()

  configuration = Configuration()
  configuration.prepareConnection { connection in
    try connection.setBusyHandler { count in count < 100 }
  }
  try ConnectionPool(path: path, readers: 5, configuration: configuration).syncClose()
  try ConnectionQueue(path: path, label: "game", qos: .utility, target: .global()).syncClose()

  configuration.readOnly = true
  let reader = try ConnectionQueue(path: path, configuration: configuration)
  try reader.sync { connection in
    guard try connection.tables().count == 0 else { fatalError() }
  }
  let memory = try ConnectionQueue()
  try memory.sync { connection in try connection.restore(from: path) }
  try memory.sync { connection in
    try connection.execute(sql: "CREATE TABLE t(a)")
    try connection.readOnly { connection in
      guard try connection.tables().count == 1 else { fatalError() }
    }
    try connection.erase()
    guard try connection.tables().isEmpty else { fatalError() }
    try connection.releaseMemory()
  }
  let uri = "file:game?mode=memory&cache=shared"
  let one = try ConnectionQueue(uri: uri)
  let other = try ConnectionQueue(uri: uri)
  try one.sync { try $0.execute(sql: "CREATE TABLE t(a)") }
  guard try other.sync({ try $0.tables().count }) == 1 else { fatalError() }
}

func access(path: String) throws {
  let pool = try ConnectionPool(path: path)
  try pool.syncWrite { connection in try connection.execute(sql: schema) }
  let count = try pool.syncRead { connection in try connection.count(Player.all) }
  try pool.sync { connection in try connection.vacuum() }
  let queue = try ConnectionQueue(path: path)
  let names = try queue.sync { connection in
    try connection.query(.column(.string), sql: "SELECT name FROM player")
  }
  try queue.syncWrite { connection in
    try connection.insert(Player(name: "Ada"))
  }
  let added = try queue.syncRead { connection in try connection.count(Player.all) }
  guard added == 1 else { fatalError() }
  let players = try queue.sync(deadline: .now + .seconds(2)) { connection in
    try connection.fetch(Player.all)
  }
  let group = DispatchGroup()
  queue.asyncWrite(group: group) { connection in
    try connection.insert(Player(name: "Alan"))
  } completion: { result in
    if case .failure(let error) = result { fatalError("\(error)") }
  }
  pool.asyncRead(group: group) { connection in
    try connection.count(Player.all)
  } completion: { result in
    if case .failure(let error) = result { fatalError("\(error)") }
  }
  group.wait()
  guard count == 0, names.isEmpty, players.count == 1 else { fatalError() }
  try queue.sync { connection in
    try connection.setPragma(.queryOnly, to: true)
    do {
      try connection.delete(Player.all)
      fatalError()
    } catch SQLiteError.readOnly {}
    try connection.setPragma(.queryOnly, to: false)
  }
}

func scripts() throws {
  let connection = try Connection()
  try connection.execute(sql: schema)
  let script =
    "INSERT INTO player(name, score) VALUES (?, 0); UPDATE player SET score = ? WHERE name = ?"
  try connection.execute(sql: script, parameters: "Alan", 41, "Alan")
  guard connection.changes == 1 else { fatalError() }
  try connection.forEachStatement(of: script) { statement in
    guard statement.parameterCount > 0 else { fatalError() }
  }
}

func statements() throws {
  let connection = try Connection()
  try connection.execute(sql: schema)
  let (name, score, id) = ("Eve", 10, UUID())
  try connection.execute(
    sql: "INSERT INTO player(name, score) VALUES (?, ?)", parameters: "Ada", score)
  try connection.execute(
    sql: "INSERT INTO player(name, score) VALUES (:name, :score)",
    parameters: ["name": "Alan", "score": score])
  try connection.execute("INSERT INTO player(name, score) VALUES (\(name), \(score))")
  let ids = [connection.lastInsertRowid]
  guard ids == [3], connection.changes == 1, connection.totalChanges == 3 else { fatalError() }
  let rows = try connection.query(.values, sql: "SELECT * FROM player")
  let row = try connection.first(.values, sql: "SELECT * FROM player")
  let names = try connection.query(.column(.string), sql: "SELECT name FROM player")
  let set = Set(try connection.query(.column(.int), sql: "SELECT score FROM player"))
  let count = try connection.first(.column(.int), sql: "SELECT count(*) FROM player")
  let teams = try connection.query(.column(.optional(.uuidBytes)), sql: "SELECT team FROM player")
  let found = try connection.query(
    .column(.string), "SELECT name FROM player WHERE id IN \(ids)")
  guard rows.count == 3, row?["name"] == "Ada", names == ["Ada", "Alan", "Eve"], set == [10],
    count == 3, teams == [nil, nil, nil], found == ["Eve"]
  else { fatalError() }

  try connection.execute(
    sql: "UPDATE player SET born = ?, team = ?",
    parameters: .date(.now, as: .sqlite), .uuidBytes(id))
  let born = try connection.first(.column(.date(as: .sqlite)), sql: "SELECT born FROM player")
  try connection.execute(sql: "SELECT * FROM player") { row in
    let name: String = try row["name"]
    let score: Int? = try row["score"]
    let value = try row.value(named: "team")
    let team = try row.get(.uuidBytes, named: "team")
    let size = try row.withBytes(named: "team") { bytes in bytes.count }
    let copy = try row.values()
    guard try row[1] == name, try row.name == name else { fatalError() }
    guard !name.isEmpty, score == 10, value.storageClass == .blob, team == id, size == 16,
      copy["name"] == .text(name), try row.isNull(at: 0) == false, born != nil
    else { fatalError() }
  }

  let statement = try connection.prepare(sql: "UPDATE player SET score = :score WHERE name = :name")
  try statement.bind(["score": 1, "name": name]).execute()
  guard try !statement.isReadOnly, statement.parameterNames == [":score", ":name"],
    statement.sql.hasPrefix("UPDATE")
  else { fatalError() }
  let select = try connection.prepare(sql: "SELECT name FROM player ORDER BY id")
  while let row = try select.step() {
    guard try row.get(.string, at: 0).count > 2 else { fatalError() }
  }
  guard select.columnNames == ["name"] else { fatalError() }
  let condition: SQL = "score > \(5)"
  guard
    try connection.query(.column(.string), "SELECT name FROM player WHERE \(condition)").count == 2,
    try connection.table(named: "player") != nil,
    try connection.columns(of: "player").count == 5,
    try connection.indexes(of: "player").count == 1,
    try connection.foreignKeys(of: "player").isEmpty,
    try connection.foreignKeyViolations().isEmpty,
    try connection.columns(of: "player").filter({ $0.primaryKeyPosition != nil }).count == 1
  else { fatalError() }
}

/// A type that is not Codable, and whose column name differs from the name of its property.
struct Badge: Model {
  static let table = ModelTable(
    "badge", key: \Badge.id, columns: .column("badge_id", \.id, .integer))
  var id: Int

  init(row: borrowing Row) throws { id = try row.get(.int, named: "badge_id") }

  func columnValues(for connection: Connection) -> ColumnValues { ["badge_id": .int(id)] }
}

struct Level: Codable, Model {
  static let table = ModelTable("level", key: \Level.levelID, .columnNames(.snakeCase))
  var levelID: Int64?
}

struct Player: Codable, Model {
  static let table = ModelTable("player", key: \Player.id)
  var id: Int64?
  var name: String
  var score = 0
  var team: UUID?
  var born: Date?
}

struct Team: Codable, Model {
  static let table = ModelTable("team", key: \Team.id)
  var id: UUID
  var name: String
}

func records() throws {
  let connection = try Connection()
  try connection.createTable(of: Player.self)
  connection.codingStrategies = CodingStrategies(uuids: .bytes)
  try connection.createTable(of: Level.self)
  try connection.createTable(of: Badge.self)
  let decoder = RowDecoder(CodingStrategies(keys: .snakeCase))
  _ = try connection.insert(Level())
  let levels = try connection.query(.decoding(Level.self, by: decoder), sql: "SELECT * FROM level")
  guard levels.map(\.levelID) == [1], try connection.count(Badge.all) == 0 else { fatalError() }
  var player = Player(name: "Ada", team: UUID())
  player = try connection.insert(player)
  try connection.update(player)
  try connection.update(player, \.score)
  try connection.update(player, columns: ["score"])
  try connection.update(Player.self, key: 1, .set(\.score, to: 5))
  player = try connection.upsert(player)
  _ = try connection.insert([Player(name: "Alan"), Player(name: "Eve", score: 900)])
  let ada = try connection.fetch(Player.self, key: 1)
  let two = try connection.fetch(Player.self, keys: [1, 2])
  let all = try connection.fetch(Player.all)
  let decoded = try connection.query(Player.self, sql: "SELECT * FROM player ORDER BY id")
  let bob = Player(name: "Bob", score: 1)
  let stored = try connection.insert(bob, returning: .model(Player.self))
  guard try connection.exists(player), ada?.team == player.team, two.count == 2, all.count == 3,
    decoded.map(\.name) == ["Ada", "Alan", "Eve"], stored.id == 4,
    try connection.exists(Player.self, key: 1),
    try connection.parameters(encoding: player).count == 5
  else { fatalError() }
  try changes(connection, player)

  let query = Player.where(\.score > 10 && .like(\.name, "E%"))
  let ordered = Player.order(by: .descending(\.score), .ascending(\.name)).limit(10, offset: 0)
  let some = Player.where(.in(\.id, [1, 2]))
  let raw = Player.where(.sql("score > \(10)"))
  guard try connection.fetch(query).map(\.name) == ["Eve"],
    try connection.fetchFirst(ordered)?.name == "Eve",
    try connection.count(some) == 2,
    try connection.exists(raw),
    try connection.count(Player.where(\.born == nil)) == 4,
    try connection.count(Player.where(.between(\.score, 0...10))) == 3,
    try connection.sql(of: query).text.contains("LIKE")
  else { fatalError() }
  let best = try connection.value(.max(\.score), of: Player.all)
  let same = try connection.first(.column(.optional(.int)), sql: "SELECT max(score) FROM player")
  guard best == 900, same == best else { fatalError() }
  let reset = try connection.update(
    query, .set(\.score, to: 0), returning: .model(Player.self))
  guard reset.map(\.name) == ["Eve"] else { fatalError() }
  try connection.update(query, .set(\.score, to: 0))
  try connection.update(some, .set(\.score, sql: "score + \(1)"))
  let deleted = try connection.delete(raw, returning: .model(Player.self))
  guard deleted.isEmpty else { fatalError() }
  try connection.delete(raw)
  try connection.delete(player)
  try connection.delete(Player.self, key: 2)
  try connection.delete(Player.self, keys: [3, 4])
  try connection.deleteAll(Player.self)
  guard try connection.count(Player.all) == 0 else { fatalError() }
}

/// Writes that compare two values, or that handle a conflict.
func changes(_ connection: Connection, _ old: Player) throws {
  var player = old
  try connection.execute("CREATE UNIQUE INDEX player_name ON player(name)")
  try connection.updateChanges(of: &player) { $0.score += 1 }
  player.born = .now
  try connection.updateChanges(of: player, from: old)
  let known = try connection.insertIfAbsent(Player(name: "Ada"), on: \.name)
  let merged = try connection.upsert(
    Player(name: "Ada", score: 7), .on(\.name), .keep(\.team),
    returning: .model(Player.self))
  guard known == nil, merged.id == player.id, merged.score == 7, merged.team == old.team
  else { fatalError() }
  player = try connection.upsert(Player(name: "Ada", score: 8), .onAnyConflict)
  try connection.update(player, or: .replace)
  let newer = try connection.upsert(player, where: "excluded.score > player.score")
  guard player.id == merged.id, newer == nil else { fatalError() }
  try connection.execute("DROP INDEX player_name")
}

func selections() throws {
  let connection = try Connection()
  try connection.createTable(of: Player.self)
  _ = try connection.insert([Player(name: "Ada"), Player(name: "Alan"), Player(name: "Eve")])
  let names = try connection.fetch(Player.order(by: \.name).select(\.id, \.name).distinct())
  let lengths = try connection.fetch(
    Player.order(by: \.name).select(.column(\.name), .sql("length(name)", .int)))
  let groups = try connection.fetch(
    Player.all.select(.column(\.score), .count).group(by: \.score).having("count(*) > \(1)"))
  guard names.map(\.1) == ["Ada", "Alan", "Eve"], lengths.map(\.1) == [3, 4, 3],
    groups.map(\.1) == [3]
  else { fatalError() }
}

func joins() throws {
  struct Member: Decodable {
    var player: Player
    var team: Team?
  }
  struct CountedTeam: Decodable {
    var team: Team
    var count: Int
  }
  let connection = try Connection()
  try connection.createTable(of: Player.self)
  try connection.createTable(of: Team.self)
  let red = try connection.insert(Team(id: UUID(), name: "Red"))
  let blue = try connection.insert(Team(id: UUID(), name: "Blue"))
  _ = try connection.insert([
    Player(name: "Ada", team: red.id), Player(name: "Alan", team: red.id), Player(name: "Eve"),
  ])
  let rows = try connection.query(
    .models(Player.self, Team?.self),
    """
    SELECT \(columns: Player.self), \(columns: Team.self)
    FROM player LEFT JOIN team ON team.id = player.team ORDER BY player.id
    """)
  let members = try connection.query(
    Member.self,
    """
    SELECT \(columns: Player.self, as: "player"), \(columns: Team.self, as: "team")
    FROM player LEFT JOIN team ON team.id = player.team ORDER BY player.id
    """)
  let counted = try connection.query(
    .models(Team.self, and: .int),
    """
    SELECT \(columns: Team.self), count(player.id) FROM team
    LEFT JOIN player ON player.team = team.id GROUP BY team.id ORDER BY team.name
    """)
  let teams = try connection.fetch(Player.order(by: \.name), of: [red, blue], by: \.team)
  guard rows.map(\.1?.name) == ["Red", "Red", nil], members.map(\.player.name).count == 3,
    members.map(\.team?.name) == ["Red", "Red", nil], teams.map(\.children.count) == [2, 0],
    counted.map(\.0.name) == ["Blue", "Red"], counted.map(\.1) == [0, 2]
  else { fatalError() }
}

func transactions() throws {
  let connection = try Connection()
  try connection.createTable(of: Player.self)
  try connection.transaction(.immediate) { connection, command in
    _ = try connection.insert(Player(name: "Ada"))
    command = .rollback
  }
  try connection.transaction(.immediate) { connection in
    try connection.savepoint { connection, command in
      try connection.deleteAll(Player.self)
      command = .rollback
    }
  }
  try connection.begin(.immediate)
  guard !connection.isInAutocommit else { fatalError() }
  try connection.commit()
  try connection.begin()
  try connection.rollback()
  guard connection.isInAutocommit, try connection.count(Player.all) == 0 else { fatalError() }
}
