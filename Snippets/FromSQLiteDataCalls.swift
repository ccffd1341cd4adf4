// SQLiteData calls and their Sluice equivalents: loading again, representations, and SQL.

// snippet.hide
import Foundation
import SluiceModels

let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let path = folder.appending(path: "SQLiteData.db").path
var configuration = Configuration()
configuration.codingStrategies = CodingStrategies(uuids: .lowercaseText)

struct Item: Codable, Identifiable, Equatable, Model {
  static let table = ModelTable("items", key: \Item.id)
  var id = UUID()
  var title = ""
  var notes: String?
  var isInStock = true
  var listID: UUID?
}

/// The columns of a group.
struct Times: Codable, Equatable {
  var created: Date
  var updated: Date?
}

/// A table whose group has no prefix.
struct Log: Codable, Equatable, Model {
  static let table = ModelTable("log", key: \Log.id, .columns(\.times, prefix: ""))
  var id: Int64?
  var times: Times
}

/// A model of a view, which is only read.
struct Stocked: Codable, Model {
  static let table = ModelTable("stocked", key: \Stocked.title)
  var title: String
}
// snippet.show
struct Reminder: Codable, Equatable, Model {
  static let table = ModelTable(
    "reminders", key: \Reminder.id,
    .column(\.due, .date(as: .timeIntervalSince1970), .type(.integer)),
    .column(\.listID, .uuid(as: .bytes)))
  var id = UUID()
  var due: Date?
  var created: Date
  var updated: Date?
  var listID: UUID
}
// snippet.hide
let pool = try ConnectionPool(path: path, configuration: configuration)
try await pool.write { connection in
  try connection.createTable(of: Item.self)
  try connection.createTable(of: Reminder.self)
  try connection.execute("CREATE VIEW stocked AS SELECT title FROM items WHERE isInStock")
  try writes(connection)
  try queries(connection)
}
try await views(pool)
try await pool.close()

@Sendable func writes(_ connection: Connection) throws {
  let item = try connection.insert(Item(title: "Saw", listID: UUID()))
  let id = item.id
  // A UUID in SQL, in the representation of the connection.
  let byID = try connection.query(
    Item.self, "SELECT * FROM items WHERE id = \(connection.parameter(encoding: id))")
  let upper = try connection.query(Item.self, "SELECT * FROM items WHERE id = \(.uuidString(id))")
  let lower = try connection.query(
    Item.self, "SELECT * FROM items WHERE id = \(.uuid(id, as: .lowercaseText))")
  guard byID == [item], lower == [item], upper.isEmpty else { fatalError("\(byID) \(upper)") }
  let axe = Item(id: id, title: "Axe", listID: item.listID)
  guard try connection.upsert(axe, where: "items.title <> 'Axe'") == axe else { fatalError() }
  let reminder = Reminder(
    due: Date(timeIntervalSince1970: 5000), created: Date(timeIntervalSince1970: 1), listID: id)
  try connection.insert(reminder)
  try connection.createTable(of: Log.self)
  let log = try connection.insert(Log(times: Times(created: Date(timeIntervalSince1970: 1))))
  guard try connection.fetch(Log.all) == [log],
    try connection.columns(of: "log").map(\.name) == ["id", "created", "updated"]
  else { fatalError() }
  let stored = try connection.first(
    .columns(.value, .value), "SELECT due, typeof(listID) FROM reminders")
  let later = Date(timeIntervalSince1970: 6000)
  guard let stored, stored == (5000, "blob"),
    try connection.fetch(Reminder.where(\.due < later)) == [reminder],
    try connection.fetch(Reminder.where(\.listID == id)).first == reminder
  else { fatalError("\(String(describing: stored))") }
}

@Sendable func queries(_ connection: Connection) throws {
  let both = try connection.query(
    Item.self,
    "SELECT * FROM items WHERE title = 'Axe' UNION ALL SELECT * FROM items WHERE title = 'Saw'")
  let kinds = try connection.fetch(
    Item.all.select(.sql("CASE WHEN isInStock THEN 'yes' ELSE 'no' END", .string)))
  let text = try connection.sql(of: Item.where(\.isInStock == true)).text
  let ordered = try connection.fetch(Item.order(by: .ascending(\.notes, nulls: .last)))
  let none = try connection.fetch(Item.where(.in(\.id, [])))
  guard ordered.count == 1, none.isEmpty else { fatalError() }
  try connection.update(
    Item.where(\.title == "Axe"), .set(\.notes, sql: "CASE notes WHEN 'a' THEN 'b' ELSE 'a' END"))
  try connection.update(Item.all, .set(\.notes, to: nil))
  try triggers(connection)
  guard both.map(\.title) == ["Axe"], kinds == ["yes"], text.contains("isInStock"),
    try connection.fetch(Stocked.all).map(\.title) == ["Axe"]
  else { fatalError("\(both) \(kinds) \(text)") }
}

/// A trigger that calls a Swift function, and that exists only on this connection.
func triggers(_ connection: Connection) throws {
  try connection.addFunction("shout", options: .usableInSchema) { (text: String) in
    text.uppercased()
  }
  try connection.execute(
    """
    CREATE TEMP TRIGGER louder AFTER INSERT ON items
    BEGIN UPDATE items SET notes = shout(new.title) WHERE id = new.id; END
    """)
  let item = try connection.insert(Item(title: "bell"))
  guard try connection.fetch(Item.self, key: item.id)?.notes == "BELL" else { fatalError() }
  try connection.execute("DROP TRIGGER louder")
  try connection.delete(item)
}

@MainActor func views(_ pool: ConnectionPool) async throws {
  let query = Item.order(by: \.title)
  let items = pool.live(query)
  try await items.load()
  try await pool.write { connection in
    _ = try connection.insert([
      Item(title: "Adze", notes: "old"), Item(title: "Bow", notes: "old"), Item(title: "Zither"),
    ])
  }
  try await items.reload()
  guard items.value.map(\.title) == ["Adze", "Axe", "Bow", "Zither"] else { fatalError() }
  let sections = pool.live(initial: []) { connection in
    try connection.fetch(Item.order(by: \.notes, \.title)).sections(by: \.notes)
  }
  try await sections.load()
  guard sections.value.map(\.key) == [nil, "old"],
    sections.value.map({ $0.rows.map(\.title) }) == [["Axe", "Zither"], ["Adze", "Bow"]]
  else { fatalError("\(sections.value)") }
  items.cancel()
}
