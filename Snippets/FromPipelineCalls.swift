// The calls in the tables of the Pipeline guide.

// snippet.hide
import CSluice
import Foundation
import Sluice
import SluiceExtras

let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let path = folder.appending(path: "pipeline.db").path
try connections(url: URL(filePath: path))
try statements()
try transactions()
try swiftInSQL()
try hooks()
try queues()

func connections(url: URL) throws {
  let memory = try Connection()
  let shared = try Connection(uri: "file:pipeline?mode=memory&cache=shared")
  guard try shared.tables().isEmpty else { fatalError() }
  let connection = try Connection(url: url, create: true)
  try connection.execute(sql: "CREATE TABLE t(a)")
  let reader = try Connection(url: url, readOnly: true)
  guard connection.changes == 0, connection.totalChanges == 0, connection.lastInsertRowid == 0,
    try reader.tables().count == 1
  else { fatalError() }
  try connection.setOption(.defensive, true)
  guard try connection.option(.triggers) else { fatalError() }
  try connection.setLimit(.sqlLength, to: 100_000)
  guard try connection.limit(.sqlLength) == 100_000 else { fatalError() }
  let status = try connection.status(.cacheUsed)
  try connection.setBusyTimeout(.milliseconds(500))
  try connection.checkpoint(.truncate)
  try connection.backup(to: folder.appending(path: "copy.db")) { remaining, total in
    guard remaining <= total else { fatalError() }
  }
  guard status.current > 0, try connection.database(named: "main").path == path,
    SQLiteLibrary.isKeyword("select"),
    SQLiteLibrary.version == SQLiteLibrary.version, SQLiteLibrary.memoryUsed > 0,
    try SQLiteLibrary.randomBytes(count: 8).count == 8, !SQLiteLibrary.compileOptions.isEmpty,
    try memory.tables().isEmpty
  else { fatalError() }
  if SQLiteLibrary.has(.snapshots) {
    try connection.execute(sql: "PRAGMA journal_mode = WAL")
    try connection.execute(sql: "INSERT INTO t VALUES (1)")
    try connection.beginReadTransaction()
    _ = try connection.snapshot()
    try connection.rollback()
  }
}

func statements() throws {
  let connection = try Connection()
  try connection.execute(sql: "CREATE TABLE pair(even, odd); INSERT INTO pair VALUES (1, NULL)")
  let (number, missing): (Int, Int?) = (2, nil)
  try connection.execute(
    sql: "INSERT INTO pair VALUES (?, ?)", parameters: number, missing)
  try connection.execute(
    sql: "INSERT INTO pair VALUES (:even, :odd)",
    parameters: [":even": .int64(4), ":odd": .zeroBlob(count: 16)])
  let script = "SELECT even FROM pair; SELECT odd FROM pair"
  try connection.execute(sql: script) { row in
    guard try row.value(at: 0) != .text("") else { fatalError() }
  }
  let isReadOnly = try unsafe connection.withUnsafeHandle { handle in
    unsafe sqlite3_db_readonly(handle, "main")
  }
  guard isReadOnly == 0 else { fatalError() }
  let statement = try connection.prepare(sql: "SELECT even, odd FROM pair ORDER BY even")
  try statement.forEachRow { row in
    let even = try row.get(.int, at: 0)
    let odd = try row.optional(.bytes, named: "odd")
    let values = (try row.integer(at: 0), try row.value(named: "even"), try row.values().dictionary)
    guard even == values.0, values.1 == .integer(values.0), values.2["even"] == values.1,
      odd?.count == 16 || odd == nil
    else { fatalError() }
  }
  let evens = try statement.query(.column(.int, at: 0))
  let texts = try statement.map { row in try row.text(named: "even") }
  let both = try connection.query(
    .columns(.int, .optional(.bytes)), sql: "SELECT even, odd FROM pair ORDER BY even")
  while let row = try statement.step() { guard try row.get(.int, at: 0) > 0 else { fatalError() } }
  guard evens == [1, 2, 4], texts == ["1", "2", "4"], both.count == 3 else { fatalError() }
  try statement.reset()
  try statement.clearBindings()

  let select = try connection.prepare(sql: "SELECT count(*) FROM pair WHERE even = ?1")
  try select.bind(.int(number), toParameter: 1)
  guard try select.first(.column(.int)) == 1 else { fatalError() }
  let numbers = [1, 2, 3]
  let found = try connection.query(
    .column(.int), "SELECT even FROM pair WHERE even IN \(numbers) ORDER BY even")
  let listed = try connection.query(
    .column(.int), "SELECT even FROM pair WHERE even IN \([Int]()) ORDER BY even")
  let bound = try connection.query(
    .column(.int), sql: "SELECT even FROM pair WHERE even IN array(?) ORDER BY even",
    parameters: .array(numbers))
  guard found == [1, 2], listed.isEmpty, bound == [1, 2] else { fatalError() }
  try converters()
  guard statement.columnNames == ["even", "odd"], select.parameterCount == 1,
    try select.isReadOnly, try connection.queryPlan("SELECT * FROM pair").fullScans.count == 1
  else { fatalError() }

  let pairs = TableMapper("pair", RowConverter { row in try row.get(.int, named: "even") })
  guard try pairs.all(in: connection, orderBy: "even") == [1, 2, 4],
    try pairs.first(in: connection, where: ["even": 2]) == 2,
    try pairs.all(in: connection, where: "even > \(number)") == [4]
  else { fatalError() }
  let blob = try connection.openBlob(table: "pair", column: "odd", rowid: 3)
  guard blob.count == 16 else { fatalError() }
}

struct Reading: Decodable {
  let id: UUID
  let site: String
}

func converters() throws {
  let connection = try Connection()
  let (id, key, text) = (UUID(), UUID(), "Pier")
  try connection.execute(
    sql: "CREATE TABLE reading(id, key, site, link, day, number, archive); "
      + "CREATE TABLE other(a)")
  let insert = try connection.prepare(sql: "INSERT INTO reading VALUES (?, ?, ?, ?, ?, ?, ?)")
  try insert.bind(
    .uuidString(id), .uuidBytes(key), .string(text), .urlString(URL(filePath: "/a")),
    .iso8601(Date(timeIntervalSince1970: 0)), .number(NSNumber(value: 1.5)),
    .keyedArchive(NSString("kept"))
  ).execute()
  try connection.execute(sql: "SELECT * FROM reading") { row in
    let reading = try row.decode(Reading.self)
    guard reading.id == id, reading.site == text,
      try row.get(.uuidString, named: "id") == id,
      try row.get(.uuidBytes, named: "key") == key,
      try row.get(.urlString, named: "link") == URL(filePath: "/a"),
      try row.get(.iso8601, named: "day").timeIntervalSince1970 == 0,
      try row.get(.number, named: "number") == 1.5,
      try row.get(.keyedArchive(of: NSString.self), named: "archive") == "kept"
    else { fatalError() }
  }
}

func transactions() throws {
  let connection = try Connection()
  try connection.execute(sql: "CREATE TABLE t(a)")
  try connection.begin(.immediate)
  try connection.commit()
  let result: (command: TransactionCommand, value: Int) = try connection.transaction {
    connection, command in
    command = .rollback
    return 1
  }
  try connection.savepoint { connection, command in
    try connection.execute(sql: "INSERT INTO t VALUES (1)")
    command = .rollback
  }
  guard connection.isInAutocommit, try connection.transactionState() == .none,
    result == (.rollback, 1)
  else { fatalError() }
}

/// An aggregate window function; each group has its own instance.
final class Sum: SQLAggregateWindowFunction {
  private var sum: Int64 = 0
  func step(_ values: borrowing SQLFunctionArguments) throws { sum += try values.get(at: 0) }
  func inverse(_ values: borrowing SQLFunctionArguments) throws { sum -= try values.get(at: 0) }
  func value() throws -> DatabaseValue { .integer(sum) }
  func final() throws -> DatabaseValue { .integer(sum) }
}

func swiftInSQL() throws {
  let connection = try Connection()
  try connection.addFunction("twice", arity: 1, options: .deterministic) { values in
    try .integer(2 * values.get(at: 0))
  }
  try connection.addFunction("half", options: .deterministic) { (number: Double) in number / 2 }
  try connection.addAggregateFunction("isum", arity: 1) { Sum() }
  try connection.addCollation("localized_compare") { $0.localizedCompare($1) }
  try connection.addTableFunction("series", columns: ["value"], parameters: ["first", "last"]) {
    (first: Int, last: Int) in first...last
  }
  guard try connection.first(.column(.int), sql: "SELECT twice(half(8))") == 8,
    try connection.first(.column(.int), sql: "SELECT isum(value) FROM series(1, 3)") == 6,
    try connection.query(
      .column(.int), sql: "SELECT isum(value) OVER (ORDER BY value) FROM series(1, 3)")
      == [1, 3, 6]
  else { fatalError() }
  try connection.removeFunction("twice", arity: 1)
  try connection.removeCollation("localized_compare")
  try connection.addUUIDFunctions()
  try connection.addSHA3Functions()
  try connection.addDecimalFunctions()
  try connection.addIEEE754Functions()
  try connection.addModule("letters", as: .eponymousOnly) { _ in Letters() }
  guard try connection.query(.column(.string), sql: "SELECT letter FROM letters") == ["a", "b"]
  else { fatalError() }
  try connection.removeModules(keeping: ["fts5"])
  guard SQLiteLibrary.has(.fts5) else { return }
  try connection.addTokenizer("words") { text in
    text.split(separator: " ").map { FTS5Token($0.lowercased(), at: $0) }
  }
}

final class Letters: VirtualTable {
  let schema: VirtualTableSchema = ["letter"]
  func cursor() -> Cursor { Cursor() }

  final class Cursor: VirtualTableCursor {
    private let letters = ["a", "b"]
    private var position = 0
    func filter(_ filter: borrowing VirtualTableFilter) { position = 0 }
    func next() { position += 1 }
    var isAtEnd: Bool { position == letters.count }
    func column(_ index: Int) -> DatabaseValue { .text(letters[position]) }
    var rowid: Int64 { Int64(position) }
  }
}

func hooks() throws {
  let connection = try Connection()
  try connection.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, a)")
  struct Refused: Error {}
  var isOpen = true
  var count = 0
  let token = try connection.onCommit {
    guard isOpen else { throw Refused() }
  }
  try connection.onRollback { count += 100 }
  try connection.onUpdate { change in count += Int(change.rowid) }
  try connection.onPreUpdate { change in
    if change.operation == .update { _ = (try change.old(at: 1), try change.new(at: 1)) }
  }
  try connection.onWALCommit { connection, commit in print(commit.frames) }
  try connection.setBusyHandler { attempts in attempts < 10 }
  try connection.execute(sql: "INSERT INTO t(a) VALUES (1)")
  isOpen = false
  do {
    try connection.execute(sql: "INSERT INTO t(a) VALUES (2)")
    fatalError()
  } catch {}
  token.cancel()
  guard count == 103 else { fatalError("\(count)") }

  // A session would replace the pre-update hook, so another connection records the changes.
  let recorded = try Connection()
  try recorded.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, a)")
  let session = try recorded.session()
  try recorded.execute(sql: "INSERT INTO t(a) VALUES (3)")
  let changeset = try session.changeset()
  let other = try Connection()
  try other.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, a)")
  try other.apply(changeset) { conflict in .abort }
  try other.apply(try changeset.inverted())
  let changes = try changeset.changes()
  guard changes.map(\.table) == ["t"] else { fatalError() }
  let numbers = recorded.rowPublisher(sql: "SELECT a FROM t WHERE a > ?1") { statement in
    try statement.bind(0, toParameter: 1)
  }.mapRows(.column(.int))
  let sum = Total()
  numbers.sink { _ in
  } receiveValue: {
    sum.add($0)
  }
  guard sum.value == 3 else { fatalError() }
}

final class Total: @unchecked Sendable {
  private let lock = NSLock()
  private var total = 0
  func add(_ number: Int) { lock.withLock { total += number } }
  var value: Int { lock.withLock { total } }
}

func queues() throws {
  var configuration = Configuration()
  configuration.journalMode = .wal
  let queue = try ConnectionQueue(path: path, label: "app", configuration: configuration)
  let reader = try ConnectionReadQueue(writeQueue: queue, label: "reader")
  let group = DispatchGroup()
  try queue.sync { connection in try connection.execute(sql: "DELETE FROM t") }
  queue.async(group: group) { connection in
    try connection.execute(sql: "INSERT INTO t VALUES (1)")
  } completion: { result in
    if case .failure(let error) = result { fatalError("\(error)") }
  }
  queue.asyncSavepoint(group: group) { connection, command in
    command = .rollback
  } completion: { result in
    if case .failure(let error) = result { fatalError("\(error)") }
  }
  group.wait()
  let count = try reader.syncReadTransaction { connection in
    try connection.first(.column(.int), sql: "SELECT count(*) FROM t")
  }
  try reader.sync { connection in try connection.beginReadTransaction() }
  try reader.sync { connection in try connection.updateReadTransaction() }
  try reader.sync { connection in try connection.endReadTransaction() }
  reader.asyncReadTransaction(group: group) { connection in
    try connection.tables().count
  } completion: { result in
    if case .failure(let error) = result { fatalError("\(error)") }
  }
  group.wait()
  guard count == 1 else { fatalError() }
}
