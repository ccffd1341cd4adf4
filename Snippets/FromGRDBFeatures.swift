// The calls in the tables of the GRDB guide: observation, migrations, functions and other features.

// snippet.hide
import CSluice
import Foundation
import Sluice
import SluiceData
import SluiceModels

try SQLiteLibrary.onLog { entry in if entry.code == .corrupt { fatalError(entry.message) } }
let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let path = folder.appending(path: "game.db").path
let pool = try ConnectionPool(path: path)
try await access(pool)
try await observe(pool)
try views(pool)
try await pool.close()
try migrations()
try modelMigration()
try functions()
if SQLiteLibrary.has(.fts5) { try fullText() }
try await copies()
try files()
try hooks()
try errors()
try await snapshots()

struct Player: Codable, Model, Equatable {
  static let table = ModelTable("player", key: \Player.id)
  var id: Int64?
  var name: String
  var score = 0
}

func access(_ pool: ConnectionPool) async throws {
  try await pool.write { connection in try connection.createTable(of: Player.self) }
  let ada = try await pool.write { connection in try connection.insert(Player(name: "Ada")) }
  let players = try await pool.read { connection in try connection.fetch(Player.all) }
  try await pool.perform { connection in try connection.vacuum() }
  let queue = try ConnectionQueue(path: path)
  let names = try await queue.perform { connection in
    try connection.query(.column(.string), sql: "SELECT name FROM player")
  }
  _ = try await queue.transaction { connection in
    try connection.insert(Player(name: "Alan"))
  }
  let count = try await pool.read(deadline: .now + .seconds(2)) { connection in
    try connection.count(Player.all)
  }
  guard players == [ada], names == ["Ada"], count == 2 else { fatalError() }
  let task = Task { try await pool.read { connection in try connection.fetch(Player.all) } }
  task.cancel()
  _ = await task.result
  try await queue.suspend()
  queue.resume()
  try await pool.suspend()
  pool.resume()
  try await queue.close()
}

func observe(_ pool: ConnectionPool) async throws {
  let counts = pool.observe { connection in try connection.count(Player.all) }
  let subscription = counts.removeDuplicates().receive(on: .main).sink { completion in
    if case .failure(let error) = completion { print(error) }
  } receiveValue: { count in
    print(count)
  }
  subscription.cancel()
  for try await count in counts.handleEvents({ print($0) }) {
    guard count == 2 else { fatalError() }
    break
  }
  for try await players in pool.observe(Player.all) {
    guard players.count == 2 else { fatalError() }
    break
  }
  for try await players in pool.observe(Player.self, sql: "SELECT * FROM player") {
    guard players.count == 2 else { fatalError() }
    break
  }
  for try await player in pool.observe(Player.self, key: 1) {
    guard player?.name == "Ada" else { fatalError() }
    break
  }
  for try await count in pool.observeCount(of: Player.all).map({ $0 * 2 }) {
    guard count == 4 else { fatalError() }
    break
  }
  let watch = try pool.watchOtherWriters()
  pool.noticeOtherWriters()
  watch.cancel()
  var changes = pool.tableChanges().makeAsyncIterator()
  try await pool.write { connection in try connection.execute(sql: "UPDATE player SET score = 1") }
  guard try await changes.next()?.touches("player") == true else { fatalError() }
  var rows = pool.rowChanges(in: "player").makeAsyncIterator()
  try await pool.write { connection in try connection.execute(sql: "UPDATE player SET score = 1") }
  guard try await rows.next()?.changes.count == 2 else { fatalError() }
  for try await player in pool.rows(Player.self, sql: "SELECT * FROM player") {
    guard player.score == 1 else { fatalError() }
  }
  for try await player in pool.rows(Player.order(by: \.name)) {
    guard player.score == 1 else { fatalError() }
  }
}

@MainActor func views(_ pool: ConnectionPool) throws {
  let players = try pool.live(Player.order(by: \.name)).syncLoad()
  guard players.value.map(\.name) == ["Ada", "Alan"] else { fatalError() }
}

func migrations() throws {
  var migrator = try Migrator([
    Migration("create player", sql: "CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT)"),
    Migration("add score", foreignKeys: .enforced) { connection in
      try connection.execute("ALTER TABLE player ADD COLUMN score INTEGER NOT NULL DEFAULT 0")
    },
  ])
  let trimming = Migration("trim names", foreignKeys: .unchecked) { connection in
    try connection.execute("UPDATE player SET name = trim(name)")
  }
  guard trimming.foreignKeys == .unchecked else { fatalError() }
  let schema = Migration("pets", merging: ["people", "pets"]) { connection in
    try connection.execute("CREATE TABLE person(name TEXT); CREATE TABLE pet(name TEXT)")
  }
  guard schema.isMerged else { fatalError() }
  let queue = try ConnectionQueue()
  try migrator.syncMigrate(queue, upTo: "create player")
  try queue.sync { [migrator] connection in
    guard try migrator.pending(on: connection).map(\.name) == ["add score"] else { fatalError() }
  }
  migrator.erasesOnSchemaChange = true
  let report = try migrator.syncMigrate(queue)
  try queue.sync { [migrator] connection in
    guard report.version == 2, try migrator.applied(on: connection).count == 2,
      try migrator.pending(on: connection).isEmpty,
      try migrator.drift(on: connection).isEmpty,
      try migrator.dryRun(on: connection).steps.isEmpty
    else { fatalError() }
    do {
      try Migrator([migrator.migrations[0]]).migrate(connection)
      fatalError()
    } catch MigrationError.fromTheFuture(let step) {
      guard step.name == "add score" else { fatalError() }
    }
  }
}

func modelMigration() throws {
  let connection = try Connection()
  try connection.execute("CREATE TABLE player(id INTEGER PRIMARY KEY, nickname TEXT NOT NULL)")
  try connection.migrate(Player.self, to: 2) { migration in
    migration.rename("nickname", to: \.name)
    migration.fill(\.score, sql: "0")
  }
  guard try connection.lastVersion(of: Player.self) == 2 else { fatalError() }
}

func functions() throws {
  let connection = try Connection()
  try connection.addFunction("initial", options: [.deterministic, .usableInSchema]) {
    (name: String) in
    String(name.prefix(1))
  }
  try connection.addFunction("swiftUppercaseString", options: [.deterministic, .innocuous]) {
    (text: String?) in text?.uppercased()
  }
  try connection.addFunction("longer", arity: -1) { values in
    .integer(Int64(values.count))
  }
  try connection.addAggregateFunction("longest", arity: 1) { Longest() }
  try connection.addCollation("standard") { $0.localizedStandardCompare($1) }
  try connection.addUnicodeCaseFunctions()
  try connection.addCollation("backwards") { (a: String, b: String) in SQLOrder(b, a) }
  guard try connection.first(.column(.string), sql: "SELECT initial('Ada')") == "A",
    try connection.first(.column(.string), sql: "SELECT swiftUppercaseString('é')") == "É",
    try connection.first(.column(.int), sql: "SELECT longer(1, 2)") == 2,
    try connection.first(.column(.int), sql: "SELECT longest('Ada')") == 3,
    try connection.first(.column(.string), sql: "SELECT upper('é')") == "É",
    try connection.first(.column(.bool), sql: "SELECT 'a' < 'b' COLLATE backwards") == false
  else { fatalError() }
  try connection.removeFunction("initial", arity: 1)
  try connection.removeCollation("standard")
}

final class Longest: SQLAggregateFunction {
  private var longest = 0
  func step(_ values: borrowing SQLFunctionArguments) throws {
    longest = max(longest, try values.get(String?.self, at: 0)?.count ?? 0)
  }
  func final() throws -> DatabaseValue { .integer(Int64(longest)) }
}

struct Document: Codable, Model {
  static let table = ModelTable("document", key: \Document.id)
  var id: Int64?
  var title: String
}

func fullText() throws {
  let connection = try Connection()
  try connection.createTable(of: Document.self)
  try connection.execute(
    """
    CREATE VIRTUAL TABLE page USING fts5(
      title, tokenize = 'porter unicode61', content = 'document', content_rowid = 'id')
    """)
  _ = try connection.insert([Document(title: "A quick fox"), Document(title: "Lazy dogs")])
  try connection.fullText("page").rebuild()
  try connection.addTokenizer("lines") { text in
    text.split(separator: "\n").map { FTS5Token($0.lowercased(), at: $0) }
  }
  let input = "quick fox"
  let pattern = FTS5Pattern.allWords(input)
  let patterns: [FTS5Pattern] = [
    pattern, .anyWord(input), .allWords(input, prefixes: .all), .phrase("quick fox"),
    .phrase("a quick", startsColumn: true),
  ]
  for pattern in patterns {
    let rowids = try connection.query(
      .column(.int64), "SELECT rowid FROM page WHERE page MATCH \(pattern) ORDER BY rank")
    guard rowids == [1] else { fatalError("\(pattern)") }
  }
  let found = try connection.fetch(
    Document.where(.matches(pattern, in: "page")).order(by: .relevance(of: pattern, in: "page")))
  let typed = "fox NOT lazy"
  let raw = try connection.query(
    .column(.int64), "SELECT rowid FROM page WHERE page MATCH \(typed)")
  guard found.map(\.id) == [1], raw == [1] else { fatalError() }
  try connection.execute(
    """
    CREATE VIRTUAL TABLE temp.sample USING fts5(body, tokenize = "ascii separators 'X'");
    CREATE VIRTUAL TABLE temp.token USING fts5vocab(temp, sample, instance)
    """)
  try connection.execute("INSERT INTO sample VALUES (\("one, TwoXthree"))")
  let tokens = try connection.query(
    .column(.string), "SELECT term FROM token ORDER BY doc, offset")
  guard tokens == ["one", "two", "three"] else { fatalError("\(tokens)") }
}

func copies() async throws {
  let pool = try ConnectionPool(path: path)
  let copy = try ConnectionQueue()
  try await pool.backup(to: copy)
  try copiesOnThread(pool, copy)
  let connection = try Connection(path: path)
  let target = folder.appending(path: "copy.db").path
  try connection.backup(to: target, overwriting: true)
  let memory = try Connection()
  try connection.backup(to: memory, pagesPerStep: 100) { remaining, total in
    guard remaining <= total else { fatalError() }
  }
  try connection.vacuum()
  try connection.vacuum(into: folder.appending(path: "small.db").path)
  let checkpoint = try connection.checkpoint(.truncate)
  guard !checkpoint.isBusy, try memory.tables().count == 1 else { fatalError() }
}

func files() throws {
  let connection = try Connection()
  try connection.createTable(of: Player.self)
  _ = try connection.insert(Player(name: "Ada"))
  let dump = folder.appending(path: "game.sql")
  let csv = folder.appending(path: "players.csv")
  try connection.dump(to: dump)
  try connection.exportRows("SELECT * FROM player", to: csv)
  let other = try Connection()
  try other.load(from: dump)
  try other.importRows(from: csv, into: "copied")
  let mermaid = try connection.schemaDiagram().mermaid
  guard try other.count(Player.all) == 1, mermaid.contains("player"),
    try other.first(.column(.string), sql: "SELECT name FROM copied") == "Ada"
  else { fatalError() }
  let file = folder.appending(path: "other.db")
  try other.vacuum(into: file.path)
  let diff = try DatabaseDiff(from: connection, to: file)
  guard case .added(let added)? = diff.schemaChanges.first, added.name == "copied" else {
    fatalError("\(diff.schemaChanges)")
  }
}

func copiesOnThread(_ pool: ConnectionPool, _ copy: ConnectionQueue) throws {
  try pool.syncBackup(to: copy)
  try pool.syncClose()
}

func hooks() throws {
  let connection = try Connection(path: path)
  var events: [String] = []
  try connection.trace(.statement) { event in events.append(event.expandedSQL ?? "") }
  try connection.trace(.profile) { event in
    if event.duration ?? .zero > .seconds(60) { fatalError() }
  }
  let isReadOnly = try unsafe connection.withUnsafeHandle { handle in
    unsafe sqlite3_db_readonly(handle, "main")
  }
  guard isReadOnly == 0 else { fatalError() }
  let observer = Observer()
  let token = try connection.add(transactionObserver: observer)
  try connection.onPreUpdate { change in events.append("\(try change.old(at: 1))") }
  try connection.execute(sql: "UPDATE player SET score = 2 WHERE id = 1")
  try connection.transaction { connection, command in
    try connection.afterCommit { connection in fatalError() }
    try connection.execute(sql: "DELETE FROM player")
    command = .rollback
  }
  token.cancel()
  guard observer.events == ["player", "will commit", "committed", "rolled back"],
    events.contains("'Ada'")
  else { fatalError("\(events) \(observer.events)") }
}

final class Observer: TransactionObserver {
  var events: [String] = []

  func databaseDidChange(with change: RowChange) { events.append(change.table) }
  func databaseWillCommit() throws { events.append("will commit") }
  func databaseDidCommit(_ connection: Connection) { events.append("committed") }
  func databaseDidRollback(_ connection: Connection) { events.append("rolled back") }
}

func errors() throws {
  let connection = try Connection(path: path)
  do {
    try connection.execute(sql: "INSERT INTO player VALUES (1, 'Bob', 0)")
    fatalError()
  } catch let error as SQLiteError {
    guard error.code.primary == .constraint, error.code == .constraintPrimaryKey,
      error.message.contains("UNIQUE"), error.sql?.hasPrefix("INSERT") == true, error.offset == nil
    else { fatalError() }
  }
  do {
    try connection.execute(sql: "INSERT INTO player VALUES (1, 'Bob', 0)")
    fatalError()
  } catch SQLiteError.constraint {}
  do {
    try connection.execute(sql: "INSERT INTO player VALUES (1, 'Bob', 0)")
    fatalError()
  } catch SQLiteError.constraintPrimaryKey {}
  do {
    try connection.update(Player(id: 99, name: "Nobody"))
    fatalError()
  } catch SQLiteError.notFound {}
  do {
    _ = try connection.first(.column(.int), sql: "SELECT 'x'")
    fatalError()
  } catch SQLiteError.mismatch {}
  do {
    _ = try connection.query(Player.self, sql: "SELECT 1 AS id, NULL AS name, 0 AS score")
    fatalError()
  } catch is DecodingError {}
}

func snapshots() async throws {
  let pool = try ConnectionPool(path: path)
  let several = try await pool.snapshot(readers: 4)
  let first = try await pool.snapshot()
  let second = try await pool.perform { connection in
    try connection.execute(sql: "DELETE FROM player WHERE id = 1")
    let snapshot = try pool.syncSnapshot()
    try connection.execute(sql: "DELETE FROM player")
    return snapshot
  }
  try await pool.barrier { connection in try connection.vacuum() }
  try barrier(of: pool)
  var counts: [Int] = []
  for snapshot in [several, first, second] {
    counts.append(try await snapshot.read { connection in try connection.count(Player.all) })
  }
  guard counts == [2, 2, 1] else { fatalError("\(counts)") }
}

func barrier(of pool: ConnectionPool) throws {
  try pool.syncBarrier { connection in try connection.vacuum() }
}
