// The code samples in the documentation comments; all compile and run.

// snippet.hide
import CSluice
import Foundation
import Sluice
import SluiceExtras

let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
guard FileManager.default.changeCurrentDirectoryPath(folder.path) else { fatalError() }

try connections()
try readers()
try await queues()
try transactions()
try statements()
try migrations()
try values(name: "Ada", age: 36)
try sql(name: "Eve", age: nil, ids: [1, 2])
try mapping()
try functions()
try collations()
try errors(name: "Ada")
try archives()
try libraries()
try columns()
try coding()
try sessions()
try blobs(id: 1, size: 100)
try copies()
try checkpoints()
try settings()
try schema(people())
try handles(people())

func connections() throws {
  let connection = try Connection(path: "app.db")
  try connection.execute(sql: "CREATE TABLE IF NOT EXISTS t1(a,b)")
  try connection.setOption(.defensive, true)
  try connection.close()
  try databases(try people())
}

func databases(_ connection: Connection) throws {
  try Connection(path: "archive.db").execute("CREATE TABLE person(id, name, age)")
  try connection.attach(path: "archive.db", as: "archive")
  try connection.execute(sql: "INSERT INTO archive.person SELECT * FROM person WHERE age > 100")
}

func readers() throws {
  var configuration = Configuration()
  configuration.journalMode = .wal
  let queue = try ConnectionQueue(path: "app.db", label: "app", configuration: configuration)
  let readQueue = try ConnectionReadQueue(writeQueue: queue, label: "reader")
  _ = readQueue
}

func queue() throws -> ConnectionQueue {
  let queue = try ConnectionQueue(path: "app.db", label: "app")
  try queue.sync { connection in
    try connection.execute(sql: "CREATE TABLE IF NOT EXISTS t1(a,b)")
  }
  return queue
}

func queues() async throws {
  let queue = try queue()
  let count = try await queue.perform { connection in
    try connection.first(.column(.int), sql: "SELECT count(*) FROM t1")
  }
  guard count == 0 else { fatalError() }
}

func transactions() throws {
  let connection = try Connection()
  try connection.execute("CREATE TABLE account(id, amount); INSERT INTO account VALUES (1, 5)")
  try connection.transaction { connection, command in
    try connection.execute(sql: "UPDATE account SET amount = amount - 10 WHERE id = 1")
    try connection.execute(sql: "UPDATE account SET amount = amount + 10 WHERE id = 2")
    if try isOverdrawn(connection) { command = .rollback }
  }
  guard try !isOverdrawn(connection) else { fatalError() }

  let title = "Notes"
  try connection.execute("CREATE TABLE event(id INTEGER PRIMARY KEY, title TEXT)")
  let id = try connection.transaction { connection in
    try connection.execute("INSERT INTO event(title) VALUES (\(title))")
    return connection.lastInsertRowid
  }
  guard id == 1 else { fatalError() }
}

func isOverdrawn(_ connection: Connection) throws -> Bool {
  try connection.first(.column(.bool), "SELECT min(amount) < 0 FROM account") ?? false
}

func statements() throws {
  let connection = try Connection()
  let pairs = [(1, "x")]
  try connection.execute("CREATE TABLE t1(a, b); CREATE TABLE person(id INTEGER, name TEXT)")
  do {
    let statement = try connection.prepare(sql: "INSERT INTO t1(a,b) VALUES (?,?)")
    for (a, b) in pairs {
      try statement.bind(a, b).execute()
    }
  }
  let statement = try connection.prepare(sql: "SELECT a FROM t1")
  while let row = try statement.step() {
    print(try row.value(at: 0))
  }
  for row in try connection.query(.values, sql: "SELECT * FROM person") {
    for column in row { print(column.name, column.value) }
  }
}

struct Point: Sendable {
  let x: Int
  let y: Int

  init(parsing text: String) throws {
    let numbers = text.split(separator: ";").compactMap { Int($0) }
    guard numbers.count == 2 else { throw SQLiteError(.mismatch, "That is not a point") }
    (x, y) = (numbers[0], numbers[1])
  }
}

extension SQLBindable where Self == SQLParameter {
  static func point(_ point: Point) -> SQLParameter { SQLParameter(.text("\(point.x);\(point.y)")) }
}

extension ColumnValueConverter where Value == Point {
  static var point: Self { Self { row, index in try Point(parsing: row.text(at: index)) } }
}

struct Celsius {
  let degrees: Double
  init(_ degrees: Double) { self.degrees = degrees }
}

extension Celsius: SQLValue {
  init?(databaseValue: DatabaseValue) {
    guard let degrees = Double(databaseValue: databaseValue) else { return nil }
    self.init(degrees)
  }
  var databaseValue: DatabaseValue { .real(degrees) }
}

enum Grape: String, SQLValue { case merlot, syrah }

struct Aged: Decodable {
  var name: String
  var age: Int
}

func values(name: String, age: Int?) throws {
  let connection = try Connection()
  let middleName: String? = nil
  let ids = [UUID()]
  try connection.execute("CREATE TABLE t(id INTEGER, name TEXT, temperature REAL)")
  try connection.execute(
    sql: "INSERT INTO t VALUES (?, ?, ?)", parameters: 1, name, age)
  try connection.execute("SELECT * FROM t") { row in
    let id = try row.get(.int64, named: "id")
    let name = try row.optional(.string, named: "name")
    let today: Celsius = try row["temperature"]
    guard id == 1, name == "Ada", today.degrees == 36 else { fatalError() }
  }
  try connection.execute("SELECT \(Grape.syrah) AS grape") { row in
    let grape: Grape = try row["grape"]
    guard grape == .syrah else { fatalError() }
  }
  try connection.execute("CREATE TABLE birth(name TEXT, age INTEGER, born TEXT)")
  try connection.execute("INSERT INTO birth VALUES ('Ada', 36, '1815-12-10 00:00:00.000')")
  guard let row = try connection.first(.values, "SELECT * FROM birth") else { fatalError() }
  do {
    let born = try row.get(.date(as: .sqlite), at: 2)
    let person = try row.decode(Aged.self)
    let value = row.values[2]
    let copied = try value.get(.date(as: .sqlite))
    let stored = try DatabaseValue(.date(born, as: .sqlite))
    guard born == copied, stored == value, person.age == 36 else { fatalError() }
  }
  try connection.addFunction("year_of", arity: 1) { arguments in
    let born = try arguments.get(.date(as: .sqlite), at: 0)
    return .integer(Int64(Calendar(identifier: .gregorian).component(.year, from: born)))
  }
  let middle = SQLParameter.string(middleName)
  let array: SQLParameter =
    .array(ids.map(SQLParameter.uuidBytes))
  let place = try connection.first(.column(.point), "SELECT \(.point(Point(parsing: "1;2")))")
  guard place?.y == 2 else { fatalError() }
  try connection.execute("SELECT \(middle) IN array(\(array))")
}

struct Person: Sendable {
  let id: Int64
  let name: String
}

extension RowConverter where Value == Person {
  static var person: Self {
    Self { row in
      try Person(id: row.get(.int64, named: "id"), name: row.get(.string, named: "name"))
    }
  }
}

func people() throws -> Connection {
  let connection = try Connection()
  try connection.execute(
    """
    CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT UNIQUE, age INTEGER);
    INSERT INTO person VALUES (1, 'Ada', 36), (2, 'Alan', 41)
    """)
  return connection
}

func sql(name: String, age: Int?, ids: [Int]) throws {
  let connection = try people()
  let pattern = "A%"
  do {
    try connection.execute("INSERT INTO person(name, age) VALUES (\(name), \(age))")
    let found = try connection.query(
      .person, "SELECT * FROM person WHERE age >= \(18) AND id IN \(ids)")
    guard found.count == 2 else { fatalError() }
  }
  let conditions: [SQL] = ["age >= \(18)", "name LIKE \(pattern)"]
  let found = try connection.query(
    .person, "SELECT * FROM person WHERE \(conditions.joined(separator: " AND "))")
  guard found.count == 2 else { fatalError() }
  _ =
    try connection.query(
      .person, sql: "SELECT * FROM person WHERE id IN array(?)", parameters: .array([1, 2, 3]))
}

func migrations() throws {
  do {
    let connection = try Connection()
    let migrator = try Migrator([
      Migration(1, "create person", sql: "CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT)"),
      Migration(2, "trim names") { connection in
        try connection.execute("UPDATE person SET name = trim(name)")
      },
    ])
    try migrator.migrate(connection)
  }
  let folder = URL(filePath: "migrations")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  try Data("CREATE TABLE person(name)".utf8).write(to: folder.appending(path: "1.sql"))
  try Data("ALTER TABLE person ADD COLUMN age".utf8).write(to: folder.appending(path: "2.sql"))
  let trim = Migration(3, "trim names") { connection in
    try connection.execute("UPDATE person SET name = trim(name)")
  }
  let migrator = try Migrator(Migration.files(in: folder) + [trim])
  let schema = Migration(
    1...3, "schema",
    sql: "CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT, age INTEGER)")
  guard schema.isMerged else { fatalError() }
  let connection = try Connection()
  let dryRun = try migrator.dryRun(on: connection)
  for step in dryRun.steps { print("Would apply", step) }
  do {
    try migrator.migrate(connection)
  } catch MigrationError.fromTheFuture {
    print("A newer version of this program has written the file.")
  }
  for difference in try migrator.drift(on: connection) { print(difference) }
  let queue = try ConnectionQueue()
  let report = try queue.sync { connection in try migrator.migrate(connection) }
  guard report.version == 3 else { fatalError() }
}

func mapping() throws {
  let connection = try people()
  do {
    let people = try connection.query(.person, sql: "SELECT id, name FROM person")
    let names = try connection.query(.column(.string), sql: "SELECT name FROM person")
    guard people.map(\.name) == names else { fatalError() }
  }
  let people = TableMapper("person", .person)
  let everybody = try people.all(in: connection, orderBy: "name")
  let ada = try people.first(in: connection, where: ["name": "Ada", "age": 36])
  let adults = try people.count(in: connection, where: "age >= \(18)")
  guard everybody.count == 2, ada?.id == 1, adults == 2 else { fatalError() }
}

func functions() throws {
  final class Product: SQLAggregateFunction {
    private var product = 1.0
    func step(_ values: borrowing SQLFunctionArguments) throws { product *= try values.get(at: 0) }
    func final() throws -> DatabaseValue { .real(product) }
  }
  let connection = try Connection()
  try connection.addAggregateFunction("product", arity: 1) { Product() }
  try connection.addFunction("repeat", arity: 2, options: .deterministic) { values in
    .text(String(repeating: try values.get(at: 0), count: try values.get(at: 1)))
  }
  try connection.addFunction("weekday") { (date: Date) in
    Calendar(identifier: .gregorian).component(.weekday, from: date)
  }
  try connection.addFunction("hypotenuse") { (a: Double, b: Double) in
    (a * a + b * b).squareRoot()
  }
  try connection.addFunction("common_prefix") { (a: Span<UInt8>, b: Span<UInt8>) in
    var count = 0
    while count < min(a.count, b.count), a[count] == b[count] { count += 1 }
    return count
  }
  try connection.addFunction("matches", arity: 2, options: .deterministic) { values in
    let regex = try values.auxiliaryData(at: 0) { (pattern: String) in try Regex(pattern) }
    return .integer(try values.get(String.self, at: 1).contains(regex) ? 1 : 0)
  }
  try connection.addFunction("limit_of", arity: -1) { arguments in
    let limit = try arguments.get(Int?.self, at: 1) ?? 10
    return .integer(Int64(limit))
  }
  let row = try connection.first(
    .values,
    "SELECT product(3), repeat('x', 2), hypotenuse(3, 4), matches('b+', 'abc'), limit_of(1, NULL)")
  guard row?.values == [3.0, "xx", 5.0, 1, 10],
    try connection.first(.column(.int), "SELECT common_prefix('gate', 'gait')") == 2
  else { fatalError() }
}

func collations() throws {
  func locale(ofCollation name: String) -> Locale? { name == "de" ? Locale(identifier: name) : nil }
  func compare(_ first: String, _ second: String, in locale: Locale) -> ComparisonResult {
    first.compare(second, locale: locale)
  }
  let connection = try Connection()
  try connection.addCollation("localized") { $0.localizedCompare($1) }
  try connection.addCollation("by_length") { SQLOrder($0.count, $1.count) }
  try connection.onCollationNeeded { connection, name in
    guard let locale = locale(ofCollation: name) else { return }
    try connection.addCollation(name) { compare($0, $1, in: locale) }
  }
  let isLess = try connection.first(.column(.bool), "SELECT 'a' < 'b' COLLATE de")
  guard isLess == true else { fatalError() }
}

func errors(name: String) throws {
  let connection = try people()
  do {
    try connection.execute(sql: "INSERT INTO person(name) VALUES (?)", parameters: name)
  } catch SQLiteError.constraint {
    // The name is taken.
  }
  func explain(_ error: SQLiteError) throws {
    switch error.code {
    case .constraintUnique: print("There is one already.")
    case .constraint: print("Another constraint forbids it.")
    default: throw error
    }
  }
  try explain(SQLiteError(.constraintCheck, ""))
}

func archives() throws {
  let connection = try Connection()
  let archive = SQLParameter.keyedArchive(NSArray(array: [NSString(string: "Ada")]))
  try connection.execute("SELECT \(archive) AS names") { row in
    let names = try row.get(
      .keyedArchive(of: NSArray.self, containing: NSString.self), named: "names")
    guard names.count == 1 else { fatalError() }
  }
}

func libraries() throws {
  let connection = try Connection()
  print(SQLiteLibrary.version)  // 3.40.1
  if SQLiteLibrary.has(.fts5) {
    try connection.execute(sql: "CREATE VIRTUAL TABLE note USING fts5(text)")
  }
}

func columns() throws {
  let connection = try people()
  try connection.execute(sql: "CREATE TABLE city(id INTEGER PRIMARY KEY, name TEXT)")
  try connection.execute(sql: "ALTER TABLE person ADD COLUMN city INTEGER")
  do {
    let names = try connection.query(.column(.optional(.string)), sql: "SELECT name FROM person")
    guard !names.isEmpty else { fatalError() }
  }
  let people = try connection.query(
    .columns(.int64, .string, .optional(.int)), sql: "SELECT id, name, age FROM person")
  for (id, name, age) in people { print(id, name, age ?? 0) }

  print(try connection.queryPlan(sql: "SELECT * FROM person JOIN city ON city.id = person.city"))

  let plan = try connection.queryPlan(sql: "SELECT * FROM person WHERE name = ?")
  for step in plan.fullScans { print("Slow once the table is large:", step.detail) }

  let statement = try connection.prepare(sql: "SELECT * FROM person ORDER BY age")
  try statement.execute()
  print(try statement.count(of: .sorts))
}

struct Traveller: Codable, Sendable {
  var id: Int64
  var name: String
  var born: Date?
}

func coding() throws {
  typealias Person = Traveller
  let connection = try Connection()
  try connection.execute(sql: "CREATE TABLE person(id INTEGER PRIMARY KEY, name, born)")
  let person = Person(id: 1, name: "Ada", born: nil)
  connection.codingStrategies = CodingStrategies(dates: .julianDay, keys: .snakeCase)
  try connection.execute(sql: "INSERT INTO person VALUES (:id, :name, :born)", encoding: person)
  try decoding(connection)
  try encoding(connection, person, [Person(id: 2, name: "Alan", born: .now)])
}

func decoding(_ connection: Connection) throws {
  typealias Person = Traveller
  var people: [Person] = []
  do {
    let people = try connection.query(Person.self, sql: "SELECT * FROM person")
    print(people.count)
  }
  let decoder = RowDecoder(CodingStrategies(dates: .julianDay))
  try connection.execute(sql: "SELECT * FROM person") { row in
    people.append(try decoder.decode(Person.self, from: row))
  }
  try connection.execute(sql: "SELECT * FROM person") { row in
    let person = try row.decode(Person.self)
    people.append(person)
  }
  let mapper = TableMapper("person", .decoding(Person.self))
  people += try mapper.all(in: connection)
}

func encoding(_ connection: Connection, _ person: Traveller, _ people: [Traveller]) throws {
  do {
    let statement = try connection.prepare(sql: "INSERT INTO person VALUES (:id, :name, :born)")
    for person in people { try statement.bind(encoding: person).execute() }
  }
  let encoder = StatementEncoder(CodingStrategies(propertiesWithoutParameter: .leftOut))
  let statement = try connection.prepare(sql: "UPDATE person SET name = :name WHERE id = :id")
  try encoder.encode(person, to: statement).execute()
  try parameters(connection, person)
}

func parameters(_ connection: Connection, _ person: Traveller) throws {
  typealias Person = Traveller
  let day = try connection.parameter(encoding: Date(timeIntervalSince1970: 0))
  let older = try connection.query(Person.self, "SELECT * FROM person WHERE born < \(day)")
  var parameters = try connection.parameters(encoding: person)
  parameters["changed"] = .iso8601(.now)
  guard older.isEmpty, parameters.count == 4 else { fatalError() }
}

func sessions() throws {
  let connection = try people()
  let other = try people()
  try connection.execute(sql: "CREATE TABLE log(id INTEGER PRIMARY KEY)")
  do {
    let session = try connection.session()
    try connection.execute(sql: "UPDATE person SET name = 'Ada' WHERE id = 1")
    let changeset = try session.changeset()
    try group([changeset], other)
  }
  do {
    let session = try connection.session { table in table != "log" }
    let changeset = try session.changeset()
    try other.apply(changeset) { conflict in
      if case .data = conflict { .replace } else { .omit }
    }
    try apply(changeset, to: other)
    try rebase(changeset, changeset, other) { _ in }
  }
  do {
    try Connection(path: "old.db").execute(
      "CREATE TABLE person(id INTEGER PRIMARY KEY, name, age)")
    try connection.attach(path: "old.db", as: "old")
    let session = try connection.session(tables: [])
    try session.diff(from: "old", table: "person")
    let changeset = try session.changeset()  // turns the old table into the new one
    try Data(changeset.bytes).write(to: URL(filePath: "changes"))
  }
  do {
    let connection = try Connection(path: "old.db")
    let file = try FileHandle(forReadingFrom: URL(filePath: "changes"))
    let stream = Changeset.Stream { try file.read(upToCount: 65_536).map(Array.init) }
    try connection.apply(stream)
  }
}

func group(_ today: [Changeset], _ backup: Connection) throws {
  let group = try Changeset.Group()
  for changeset in today { try group.add(changeset) }
  try backup.apply(group.output())
}

func apply(_ changeset: Changeset, to connection: Connection) throws {
  let rebase = try connection.apply(changeset) { conflict in
    switch conflict {
    case .data, .conflict: .replace
    case .notFound: .omit
    case .constraint, .foreignKeys: .abort
    }
  } filter: { table in
    table != "log"
  }
  _ = rebase
}

func rebase(
  _ ours: Changeset, _ theirs: Changeset, _ connection: Connection,
  _ send: (Changeset) throws -> Void
) throws {
  let rebase = try connection.apply(theirs) { _ in .omit }
  let rebaser = try Rebaser()
  try rebaser.add(rebase)
  try send(rebaser.rebase(ours))
}

struct Checksum {
  private(set) var sum = 0
  mutating func add(_ bytes: Span<UInt8>) {
    for index in bytes.indices { sum += Int(bytes[index]) }
  }
}

func blobs(id: Int64, size: Int) throws {
  let connection = try Connection()
  try connection.execute(sql: "CREATE TABLE photo(id INTEGER PRIMARY KEY, pixels BLOB)")
  do {
    let header: [UInt8] = [1, 2, 3]
    try connection.execute("INSERT INTO photo(id, pixels) VALUES (1, zeroblob(\(size)))")
    let blob = try connection.openBlob(table: "photo", column: "pixels", rowid: 1, readOnly: false)
    try blob.write(header, at: 0)
    try blob.close()
  }
  let blob = try connection.openBlob(table: "photo", column: "pixels", rowid: id)
  let header = try blob.read(at: 0, count: 16)
  var checksum = Checksum()
  try blob.forEachChunk(of: 65_536) { bytes in
    checksum.add(bytes)
  }
  guard header[0] == 1, checksum.sum == 6 else { fatalError() }
}

func copies() throws {
  let connection = try Connection(path: "app.db")
  do {
    let memory = try Connection()
    try memory.restore(from: "app.db")
    try connection.backup(to: memory)
  }
  do {
    let other = try Connection()
    let backup = try Backup(of: connection, to: other)
    while try backup.step(pages: 100) {
      print(backup.remainingPages, "of", backup.pageCount)
    }
  }
  try connection.backup(to: "copy.db") { remaining, total in
    print("\(total - remaining) of \(total) pages")
  }
  if SQLiteLibrary.has(.serialization) {
    let copy = try Connection()
    try copy.deserialize(connection.serialize())
  }
}

func checkpoints() throws {
  var configuration = Configuration()
  configuration.journalMode = .wal
  let queue = try ConnectionQueue(path: "wal.db", configuration: configuration)
  try queue.sync { try $0.execute(sql: "CREATE TABLE event(title)") }
  let policy = CheckpointPolicy(frames: 4000, interval: .seconds(30)) { starvation in
    print("A reader has held the WAL for", starvation.duration)
  }
  try queue.sync { connection in
    try connection.execute(sql: "INSERT INTO event(title) VALUES ('Note G')")
    try policy.apply(to: connection)
  }

  let connection = try Connection(path: "wal.db")
  let checkpoint = try connection.checkpoint(.truncate)
  if checkpoint.isBusy { print("Another connection is still reading.") }
  try connection.execute(sql: "INSERT INTO event(title) VALUES ('Note H')")
  if SQLiteLibrary.has(.snapshots) { try goBack(from: connection) }
}

func goBack(from writer: Connection) throws {
  let reader = try Connection(path: "wal.db", readOnly: true)
  try writer.beginReadTransaction()
  let snapshot = try writer.snapshot()
  try reader.beginReadTransaction(at: snapshot)
}

func pragmas() throws {
  var configuration = Configuration()
  configuration.pragmas = ["cache_size": -8_000, "temp_store": "memory"]
  configuration.pragmas["mmap_size"] = 0
  try Connection(path: "app.db", configuration: configuration).close()
}

func handles(_ connection: Connection) throws {
  let isReadOnly = try unsafe connection.withUnsafeHandle { handle in
    unsafe sqlite3_db_readonly(handle, "main") == 1
  }
  let statement = try connection.prepare(sql: "EXPLAIN SELECT 1")
  let isExplain = try unsafe statement.withUnsafeHandle { handle in
    unsafe sqlite3_stmt_isexplain(handle) != 0
  }
  print(isReadOnly, isExplain)
}

func settings() throws {
  try pragmas()
  try Connection(path: "other.db").close()
  let connection = try Connection(uri: "file:tenants.db?mode=rwc&tenant=7")
  for name in try connection.uriParameterNames() {
    print(name, try connection.uriParameter(name) ?? "")
  }
  try connection.attach(path: "other.db", as: "archive")
  try connection.vacuum(pageSize: 8_192, autoVacuum: .incremental)
  try connection.setPragma(.journalMode, to: .wal)
  try connection.setPragma(.cacheSize, to: .kibibytes(8_000), database: "archive")
  print(try connection.pragma(.synchronous))
  let userQuery = "SELECT 1"
  let report = try connection.readOnly { connection in
    try connection.query(.values, sql: userQuery)
  }
  print(report.count)
  let pool = try ConnectionPool(path: "erased.db")
  try pool.sync { connection in try connection.erase() }
  try pool.syncClose()
  try connection.setPragma(.queryOnly, to: true)
  try connection.setLimit(.sqlLength, to: 10_000)
  if SQLiteLibrary.knownDefects.contains(.walReset) {
    print("Let one connection alone write and checkpoint, or update SQLite.")
  }
}

func schema(_ connection: Connection) throws {
  for view in try connection.schemaObjects(.view) {
    print(view.name, view.sql)
  }
  for column in try connection.columns(of: "person") {
    print(column.name, column.declaredType ?? "", column.isNotNull)
  }
}
