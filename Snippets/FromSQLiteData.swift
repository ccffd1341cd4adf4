// SQLiteData calls and their Sluice equivalents, with a database of SQLiteData.

import Foundation
import SluiceModels

struct Item: Codable, Identifiable, Equatable, Model {
  static let table = ModelTable("items", key: \Item.id)
  var id = UUID()
  var title = ""
  var isInStock = true
  var price = 0.0
  var added: Date?
  var tags: [String] = []  // JSON
  var itemListID: UUID?
}
// snippet.hide

struct ItemList: Codable, Identifiable, Equatable, Model {
  static let table = ModelTable("itemLists", key: \ItemList.id)
  var id = UUID()
  var title = ""
}

let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let path = folder.appending(path: "SQLiteData.db").path
let schema = """
  CREATE TABLE "itemLists" (
    "id" TEXT PRIMARY KEY NOT NULL ON CONFLICT REPLACE DEFAULT (uuid()),
    "title" TEXT NOT NULL ON CONFLICT REPLACE DEFAULT ''
  ) STRICT;
  CREATE TABLE "items" (
    "id" TEXT PRIMARY KEY NOT NULL ON CONFLICT REPLACE DEFAULT (uuid()),
    "title" TEXT NOT NULL ON CONFLICT REPLACE DEFAULT '',
    "isInStock" INTEGER NOT NULL DEFAULT 1,
    "price" REAL NOT NULL DEFAULT 0,
    "added" TEXT,
    "tags" TEXT NOT NULL DEFAULT '[]',
    "itemListID" TEXT REFERENCES "itemLists"("id") ON DELETE CASCADE
  ) STRICT
  """
let (tools, hammer) = (UUID(), UUID())

// A database as SQLiteData leaves it: UUIDs as text in lowercase, dates as text in UTC with milliseconds, and the
// record of GRDB's migrator.
do {
  let old = try Connection(path: path)
  let (tools, hammer) = (tools.uuidString.lowercased(), hammer.uuidString.lowercased())
  try old.execute(sql: schema)
  try old.addFunction("uuid", options: .innocuous) { UUID().uuidString }
  try old.execute(
    """
    CREATE TABLE grdb_migrations(identifier TEXT NOT NULL PRIMARY KEY);
    INSERT INTO grdb_migrations VALUES ('Create tables');
    INSERT INTO itemLists VALUES (\(tools), 'Tools');
    INSERT INTO items VALUES
      (\(hammer), 'Hammer', 1, 9.5, '2026-11-26 18:05:01.250', '["steel","wood"]', \(tools))
    """)
}

// A connection with the default strategies reads all values, but does not find a UUID in lowercase by its key.
do {
  let connection = try Connection(path: path)
  let item = try connection.fetchFirst(Item.all)
  guard let item, item.id == hammer, item.isInStock, item.tags == ["steel", "wood"],
    item.itemListID == tools, item.added == Date(timeIntervalSince1970: 1_795_716_301.25)
  else { fatalError("\(String(describing: item)) \(item?.added?.timeIntervalSince1970 ?? 0)") }
  guard try connection.fetch(Item.self, key: hammer) == nil else { fatalError() }
  do {
    try connection.update(item)
    fatalError()
  } catch SQLiteError.notFound {}
  // The text of a date is the same, so a comparison finds it.
  guard try connection.count(Item.where(\.added == item.added)) == 1 else { fatalError() }
}
// snippet.show

let migrator = try Migrator(
  [
    Migration("Create tables", sql: schema),  // SQLiteData has applied this migration
    Migration("Index titles", sql: "CREATE INDEX items_title ON items(title)"),
  ], adopting: .grdb)

var configuration = Configuration()
configuration.prepareConnection { connection in
  connection.codingStrategies = CodingStrategies(uuids: .lowercaseText)
  try connection.addFunction("uuid", options: .innocuous) {
    UUID().uuidString.lowercased()
  }
}
let pool = try ConnectionPool(path: path, configuration: configuration)
let report = try await migrator.migrate(pool)  // applies only "Index titles"
// snippet.hide
guard report.adopted.map(\.name) == ["Create tables"],
  report.applied.map(\.name) == ["Index titles"]
else { fatalError("\(report)") }
try await pool.write { connection in
  try connection.insert(Item(title: "Saw", price: 20, itemListID: tools))
}

// The columns of a join, in place of a @Selection.
struct ItemInList: Decodable, Sendable, Equatable {
  var title: String
  var list: String
}

let joined = try await pool.read { connection in
  try connection.query(
    ItemInList.self,
    """
    SELECT items.title, itemLists.title AS list
    FROM items JOIN itemLists ON itemLists.id = items.itemListID ORDER BY items.title
    """)
}
guard joined.map(\.title) == ["Hammer", "Saw"], joined.map(\.list) == ["Tools", "Tools"],
  try await pool.read({ connection in try connection.fetch(Item.self, key: hammer) })?.tags == [
    "steel", "wood",
  ]
else { fatalError("\(joined)") }
try await access(pool)
try await lowercase(pool)
try await views(pool)
try await pool.read { connection in try queries(connection) }
try await pool.write { connection in try writes(connection) }
if SQLiteLibrary.has(.fts5) { try await pool.write { connection in try fullText(connection) } }
try await migrations(pool)
try await pool.close()
try tables()

enum Store {
  static let shared = ModelStore(creating: Item.self) {
    try ConnectionQueue()
  }
}

enum Priority: Int, Codable, CaseIterable {
  case low = 1
  case high
}

struct Tag: Codable, Model {
  static let table = ModelTable(
    "tags", key: \Tag.title, .column(\.length, .generated(sql: "length(title)")))
  var title: String
  var priority: Priority?
  var isShown: Bool
  private(set) var length: Int?

  enum CodingKeys: String, CodingKey {
    case title, priority, length
    case isShown = "is_shown"
  }
}

struct Site: Codable, Model {
  static let table = ModelTable("sites", key: \Site.id, .columnNames(.snakeCase))
  var id: Int64?
  var homePage: String
}

func tables() throws {
  let connection = try Connection()
  try connection.createTable(of: Tag.self)
  try connection.createTable(of: Site.self)
  try connection.createTable(of: Site.self, ifNotExists: true)
  do {
    try connection.createTable(of: Site.self)
    fatalError()
  } catch SQLiteError.error {}
  let tag = try connection.insert(
    Tag(title: "new", priority: .high, isShown: true), returning: .model(Tag.self))
  let site = try connection.insert(Site(homePage: "example.com"))
  guard tag.length == 3, site.id == 1,
    try connection.first(.column(.int), sql: "SELECT priority + is_shown FROM tags") == 3,
    try connection.columns(of: "sites").map(\.name) == ["id", "home_page"]
  else { fatalError() }
  try Store.shared.syncRead { connection in
    guard try connection.count(Item.all) == 0 else { fatalError() }
  }
  // A value of another kind throws, and so does a missing column; other columns are ignored.
  try connection.execute("ALTER TABLE sites ADD COLUMN other; UPDATE sites SET other = 1")
  try connection.insert(Site(homePage: "example.org"))
  guard try connection.fetch(Site.all).count == 2 else { fatalError() }
  try connection.execute("UPDATE sites SET home_page = x'ff'")
  do {
    _ = try connection.fetch(Site.all)
    fatalError()
  } catch is DecodingError {}
  try connection.execute("ALTER TABLE sites DROP COLUMN home_page")
  do {
    _ = try connection.fetch(Site.all)
    fatalError()
  } catch SQLiteError.error {}
  try connection.execute("UPDATE tags SET is_shown = 2")
  do {
    _ = try connection.fetch(Tag.all)
    fatalError()
  } catch is DecodingError {}
  // UUIDs as blobs, as in a column of SQLiteData with UUID.BytesRepresentation.
  connection.codingStrategies = CodingStrategies(uuids: .bytes)
  try connection.createTable(of: ItemList.self)
  let list = try connection.insert(ItemList(title: "Tools"))
  guard try connection.first(.column(.int), sql: "SELECT length(id) FROM itemLists") == 16,
    try connection.fetch(ItemList.self, key: list.id) == list
  else { fatalError() }
}

func lowercase(_ pool: ConnectionPool) async throws {
  try await pool.write { connection in
    guard let list = try connection.fetch(ItemList.self, key: tools) else { fatalError() }
    try connection.update(list)
    let new = try connection.insert(ItemList(title: "New"))
    guard
      try connection.first(.column(.string), sql: "SELECT id FROM itemLists WHERE title = 'New'")
        == new.id.uuidString.lowercased()
    else { fatalError() }
    try connection.delete(new)
  }
}

func access(_ pool: ConnectionPool) async throws {
  let count = try pool.syncCount()
  let titles = try await pool.read { connection in
    try connection.query(.column(.string), sql: "SELECT title FROM items")
  }
  try await pool.write { connection in
    try connection.addFunction("shout") { (text: String) in text.uppercased() }
    guard try connection.first(.column(.string), sql: "SELECT shout('a')") == "A" else {
      fatalError()
    }
    try connection.removeFunction("shout", arity: 1)
    try connection.execute(
      """
      CREATE TEMP TRIGGER added AFTER INSERT ON items WHEN new.added IS NULL BEGIN
        UPDATE items SET added = datetime() WHERE id = new.id;
      END
      """)
  }
  guard count == 2, titles.count == 2 else { fatalError() }
}

extension ConnectionPool {
  func syncCount() throws -> Int {
    try syncWrite { connection in
      try connection.update(Item.where(\.price < 0), .set(\.price, to: 0))
    }
    return try syncRead { connection in try connection.count(Item.all) }
  }
}

@MainActor func views(_ pool: ConnectionPool) async throws {
  struct Summary: Sendable {
    var items: [Item] = []
    var count = 0
  }
  let items = pool.live(Item.all)
  let sorted = pool.live(Item.order(by: \.title))
  let raw = pool.live(Item.self, "SELECT * FROM items WHERE isInStock")
  let count = pool.liveCount(of: Item.all)
  let item = pool.live(Item.self, key: hammer)
  let summary = pool.live(initial: Summary()) { connection in
    Summary(
      items: try connection.fetch(Item.where(\.isInStock == true)),
      count: try connection.count(Item.all))
  }
  try await items.load()
  guard try await sorted.load().value.map(\.title) == ["Hammer", "Saw"],
    try await raw.load().value.count == 2, try await count.load().value == 2,
    try await item.load().value?.title == "Hammer", try await summary.load().value.count == 2,
    items.value.count == 2, items.error == nil
  else { fatalError() }
  let sections = Dictionary(grouping: items.value, by: \.title)
  let query = Item.where(.like(\.title, .prefix("S")))
  items.observe(pool.observe(query))
  try await items.load()
  items.onUpdate { update in update() }
  guard sections["Saw"]?.count == 1, items.value.map(\.title) == ["Saw"] else { fatalError() }
  for try await titles in pool.observe(Item.all).map({ $0.map(\.title) }) {
    guard titles.count == 2 else { fatalError() }
    break
  }
  for try await item in pool.rows(Item.order(by: \.title)) {
    guard !item.title.isEmpty else { fatalError() }
  }
}

@Sendable func queries(_ connection: Connection) throws {
  let (id, ids, entered) = (hammer, [hammer, tools], "a")
  let either = Item.where(.like(\.title, .containing(entered)) || \.added == nil)
  let two = Item.where(\.isInStock == true).where(.in(\.id, ids))
  let ordered = Item.order(by: .ascending(\.isInStock), .descending(\.title)).limit(10, offset: 1)
  let found = try connection.fetch(either)
  let first = try connection.fetchFirst(two)
  let count = try connection.count(ordered)
  guard found.count == 2, first?.id == id, count == 1, try connection.exists(two),
    try connection.fetch(Item.self, key: id)?.price == 9.5,
    try connection.fetch(ordered).map(\.title) == ["Hammer"]
  else { fatalError("\(found) \(count)") }
  let pairs = try connection.fetch(Item.order(by: \.title).select(\.id, \.title).distinct())
  let groups = try connection.fetch(
    Item.all.select(\.isInStock, .count).group(by: \.isInStock).having("count(*) > \(1)"))
  let total = try connection.value(.sum(\.price), of: Item.all)
  let title = "Saw"
  let others = try connection.query(
    .column(.string), "SELECT title FROM items WHERE title <> \(title)")
  let counted = try connection.query(
    .models(ItemList.self, and: .int),
    """
    SELECT \(columns: ItemList.self), count(items.id) FROM itemLists
    LEFT JOIN items ON items.itemListID = itemLists.id GROUP BY itemLists.id
    """)
  let joined = try connection.query(
    .models(Item.self, ItemList?.self),
    """
    SELECT \(columns: Item.self), \(columns: ItemList.self)
    FROM items LEFT JOIN itemLists ON itemLists.id = items.itemListID ORDER BY items.title
    """)
  guard pairs.map(\.1) == ["Hammer", "Saw"], groups.map(\.1) == [2], total == 29.5,
    others == ["Hammer"], counted.map(\.1) == [2], joined.map(\.1?.title) == ["Tools", "Tools"]
  else { fatalError() }
}

@Sendable func writes(_ connection: Connection) throws {
  var item = try connection.insert(Item(title: "Axe", price: 30))
  let stored = try connection.insert(Item(title: "File"), returning: .model(Item.self))
  let id = try connection.insert(Item(title: "Rasp"), returning: \.id)
  item.price = 35
  try connection.update(item)
  try connection.update(Item.self, key: id, .set(\.title, to: "Plane"))
  let query = Item.where(\.price > 30)
  try connection.update(query, .set(\.price, sql: "price + 1"))
  item = try connection.upsert(item)
  try connection.execute("CREATE UNIQUE INDEX item_title ON items(title)")
  let merged = try connection.upsert(
    Item(title: "Axe", price: 1), .on(\.title), .keep(\.id), returning: .model(Item.self))
  let known = try connection.insertIfAbsent(Item(title: "Axe"), on: \.title)
  let unchanged = try connection.upsert(item, where: "items.title <> 'Axe'")
  guard merged.id == item.id, merged.price == 1, known == nil, unchanged == nil,
    stored.title == "File",
    try connection.fetch(Item.self, key: id)?.title == "Plane"
  else { fatalError() }
  try connection.insert([ItemList(title: "Wood"), ItemList(title: "Metal")])
  try connection.delete(item)
  try connection.delete(Item.self, key: id)
  let gone = try connection.delete(Item.where(\.title == "File"), returning: .model(Item.self))
  guard gone.count == 1, try connection.count(Item.all) == 2 else { fatalError() }
  do {
    try connection.delete(item)
    fatalError()
  } catch SQLiteError.notFound {}
}

@Sendable func fullText(_ connection: Connection) throws {
  let entered = "ham"
  try connection.execute(
    """
    CREATE VIRTUAL TABLE itemTexts USING fts5(title);
    INSERT INTO itemTexts(rowid, title) SELECT rowid, title FROM items
    """)
  let pattern = FTS5Pattern.allWords(entered, prefixes: .last)
  let texts = try connection.fullText("itemTexts")
  let found = try connection.query(
    .models(Item.self, and: .string),
    """
    SELECT \(columns: Item.self), \(texts.highlight("title", from: "**", to: "**"))
    FROM itemTexts JOIN items ON items.rowid = itemTexts.rowid
    WHERE itemTexts MATCH \(pattern) ORDER BY rank
    """)
  guard found.map(\.1) == ["**Hammer**"] else { fatalError() }
  do {
    _ = try connection.fetch(Item.where(.matches(pattern, in: "itemTexts")))
    fatalError()
  } catch SQLiteError.misuse {}
  do {
    try connection.createFullTextIndex("item_index", on: "items", columns: ["title"])
    fatalError()
  } catch SQLiteError.misuse {}
}

@MainActor func migrations(_ pool: ConnectionPool) async throws {
  let migration = Migration("Index items") { connection in
    try connection.execute("CREATE INDEX item_list ON items(itemListID)")
  }
  try await Migrator(migrator.migrations + [migration], adopting: .grdb).migrate(pool)
  // A new database runs all of them.
  let queue = try ConnectionQueue(configuration: configuration)
  guard try await migrator.migrate(queue).applied.count == 2 else { fatalError() }
}
