// The calls in the tables of the SQLite.swift guide: hooks, maintenance, and SQL for typed expressions.

// snippet.hide
import Foundation
import Sluice
import SluiceModels

let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
try hooks(path: folder.appending(path: "users.db").path)
try queries()
try writes()
try schemas()
// snippet.show
// SQLite.swift stores a date in a column as text, but a date in JSON as seconds since 2001. This
// strategy reads both, and writes the text.
let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
let dateStrategy = DateStrategy.custom(
  // Without the Z.
  encode: { date in .text(String(date.formatted(style).dropLast())) },
  decode: { value in
    if let seconds = Double(databaseValue: value) {
      return Date(timeIntervalSinceReferenceDate: seconds)
    }
    guard case .text(let text) = value, let date = try? style.parse(text + "Z") else {
      throw SQLiteError(.mismatch, "\(value) is not a date of SQLite.swift")
    }
    return date
  })
// snippet.hide
try dates()

struct User: Codable, Model {
  static let table = ModelTable("users", key: \User.id, .column(\.email, .unique))
  var id: Int64?
  var email: String
  var name: String?
  var manager: Int64?
  var joined: String?
}

struct Item: Codable, Model {
  static let table = ModelTable(
    "items", key: \Item.id, .column(\.owner, .references(User.self, onDelete: .cascade)),
    .column(\.lender, .references(User.self, onDelete: .setNull, onUpdate: .cascade)),
    .column(\.state, .default("new"), .collate("NOCASE")), .column(\.place, .default("home")))
  var id: Int64?
  var owner: Int64
  var lender: Int64?
  var state = "lent"
  var place = "away"
}

func hooks(path: String) throws {
  let connection = try Connection(path: path)
  var events: [String] = []
  try connection.setBusyHandler { attempts in attempts < 3 }
  try connection.trace(.statement) { event in events.append(event.expandedSQL ?? "") }
  try connection.onUpdate { change in
    events.append("\(change.operation) \(change.schema) \(change.table) \(change.rowid)")
  }
  struct Refused: Error {}
  let isOpen = true
  try connection.onCommit { guard isOpen else { throw Refused() } }
  try connection.onRollback { events.append("rolled back") }
  try connection.setPragma(.journalMode, to: .wal)
  try connection.execute("CREATE TABLE t(a)")
  try connection.execute("INSERT INTO t VALUES (\(1))")
  try connection.setWALAutocheckpoint(500)
  try connection.checkpoint(.truncate)
  try connection.vacuum()
  try connection.transaction { connection in
    try connection.setPragma(.deferForeignKeys, to: true)
  }
  guard try connection.databases()[0].isReadOnly == false,
    try connection.walAutocheckpoint == 500,
    try connection.pragma(.deferForeignKeys) == false,
    try connection.pragma(.journalMode) == .wal,
    try connection.integrityProblems().isEmpty,
    try connection.foreignKeyViolations().isEmpty,
    events.contains("insert main t 1"), events.contains("INSERT INTO t VALUES (1)")
  else { fatalError("\(events)") }
}

func queries() throws {
  let connection = try Connection()
  try connection.createTable(of: User.self)
  try connection.createTable(of: Item.self)
  try connection.insert([
    User(email: "ada@x.com", name: "Ada"),
    User(email: "eve@x.com", name: "Eve", manager: 1, joined: "2001-01-01T00:00:00.000"),
  ])
  try connection.insert(User(id: 1, email: "ada@x.com", name: "Augusta"), or: .replace)
  let both = try connection.query(
    User.self,
    """
    SELECT * FROM users WHERE id = \(1) UNION SELECT * FROM users WHERE name = \("Eve")
    ORDER BY id
    """)
  let chain = try connection.query(
    .column(.string),
    """
    WITH RECURSIVE chain(id) AS (
      SELECT \(2) UNION ALL SELECT users.manager FROM users JOIN chain ON users.id = chain.id)
    SELECT name FROM users JOIN chain ON users.id = chain.id ORDER BY users.id
    """)
  let ranks = try connection.query(
    .columns(.int64, .int), "SELECT id, rank() OVER (ORDER BY name DESC) FROM users ORDER BY id")
  let managed = try connection.query(
    .columns(.string, .string),
    """
    SELECT users.name, managers.name FROM users
    JOIN users AS managers ON managers.id = users.manager
    """)
  try connection.execute("CREATE VIEW named AS SELECT * FROM users WHERE name IS NOT NULL")
  let upper = try connection.fetch(User.order(by: \.id).select(.sql("upper(name)", .string)))
  let years = try connection.fetch(
    User.order(by: \.id).select(.sql("strftime('%Y', joined)", .optional(.string))))
  let others = try connection.fetch(User.where(!.in(\.id, [1])))
  guard both.map(\.name) == ["Augusta", "Eve"], chain == ["Augusta", "Eve"],
    ranks.map(\.1) == [2, 1], managed.map(\.1) == ["Augusta"], upper == ["AUGUSTA", "EVE"],
    years == [nil, "2001"], others.map(\.id) == [2],
    try connection.first(.column(.int), "SELECT count(*) FROM named") == 2
  else { fatalError() }
  if try connection.first(
    .column(.bool), "SELECT count(*) > 0 FROM pragma_module_list WHERE name = 'rtree'") == true
  {
    try connection.execute("CREATE VIRTUAL TABLE place USING rtree(id, minX, maxX)")
  }
}

/// Writes of some columns, and other orders.
func writes() throws {
  let connection = try Connection()
  try connection.createTable(of: User.self)
  let email = "ada@x.com"
  try connection.execute("INSERT INTO users(email) VALUES (\(email))")
  var user = try connection.upsert(
    User(email: "ada@x.com", name: "Ada", manager: 1), .on(\.email), .keep(\.manager),
    returning: .model(User.self))
  user.name = "Augusta"
  try connection.update(user)
  let emails = try connection.fetch(User.all.select(\.email))
  let random = try connection.fetch(User.all.order(by: .sql("random()")).limit(1))
  let reversed = try connection.fetch(User.all.order(by: .descending(\.id)))
  try connection.execute("INSERT INTO users(email) SELECT 'new ' || email FROM users")
  try connection.createTable(of: Item.self)
  try connection.execute("INSERT INTO items(owner, lender) VALUES (\(1), \(2))")
  try connection.execute("UPDATE users SET id = \(9) WHERE id = \(2)")
  let item = try connection.fetchFirst(Item.where(\.state == "NEW"))
  guard item?.lender == 9, item?.state == "new", item?.place == "home",
    try connection.insert(Item(owner: 1)).state == "lent"
  else { fatalError("\(String(describing: item))") }
  let statement = try connection.prepare(sql: "SELECT * FROM users")
  _ = try statement.step()
  try statement.reset()
  guard emails == [email], random.map(\.name) == ["Augusta"], reversed.count == 1,
    try connection.fetch(User.self, key: 1)?.manager == nil,
    try connection.count(User.all) == 2
  else { fatalError() }
}

func schemas() throws {
  /// The model without the name, which a former version had.
  struct User: Codable, Model {
    static let table = ModelTable("users", key: \User.id)
    var id: Int64?
    var mail: String
    var age: Int?
  }
  let connection = try Connection()
  try connection.execute("CREATE TABLE users(id INTEGER PRIMARY KEY, email TEXT, name TEXT UNIQUE)")
  try connection.execute("INSERT INTO users VALUES (1, 'ada@x.com', 'Ada')")
  try connection.migrate(User.self, to: 1) { migration in
    migration.rename("email", to: \.mail)
    migration.drop("name")
  }
  try connection.execute("ALTER TABLE users RENAME COLUMN age TO years")
  try connection.execute("ALTER TABLE users RENAME COLUMN years TO age")
  guard try connection.fetch(User.self, key: 1)?.mail == "ada@x.com",
    try connection.columns(of: "users").map(\.name) == ["id", "mail", "age"],
    try connection.indexes(of: "users").isEmpty
  else { fatalError() }
}

func dates() throws {
  struct Note: Codable {
    struct Times: Codable {
      let begin: Date
    }
    let day: Date
    let times: Times
  }
  let connection = try Connection()
  connection.codingStrategies.dates = dateStrategy
  let note = try connection.first(
    Note.self, sql: "SELECT '2001-01-01T00:00:01.000' AS day, '{\"begin\": 2.5}' AS times")
  guard note?.day.timeIntervalSinceReferenceDate == 1,
    note?.times.begin.timeIntervalSinceReferenceDate == 2.5
  else { fatalError("\(String(describing: note))") }
  let text = try connection.first(
    .column(.string), "SELECT \(.date(note?.day, as: dateStrategy))")
  guard text == "2001-01-01T00:00:01.000" else { fatalError(text ?? "") }
}
