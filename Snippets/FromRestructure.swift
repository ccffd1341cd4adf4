// Restructure calls and their Sluice equivalents.

// snippet.hide
import Foundation
import Sluice
import SluiceExtras

let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let path = folder.appending(path: "data.db").path
// snippet.show
var configuration = Configuration()
configuration.journalMode = .wal  // as Restructure sets for each file
// Restructure's default representations of dates and arrays.
configuration.codingStrategies = CodingStrategies(
  dates: .timeIntervalSince1970, nested: .propertyList)
configuration.prepareConnection { connection in
  // Restructure adds a Unicode UPPER to each database.
  try connection.addUnicodeCaseFunctions()
}
let stored = try Connection(path: path, configuration: configuration)
let connection = try Connection()  // in memory
try stored.close()
// snippet.hide
guard FileManager.default.fileExists(atPath: path), !stored.isOpen else { fatalError() }
try settings()

func settings() throws {
  var configuration = Configuration()
  configuration.deletesFileOnClose = true
  configuration.readOnly = false
  let path = folder.appending(path: "temporary.db").path
  let connection = try Connection(path: path, configuration: configuration)
  try connection.setPragma(.secureDelete, to: .on)
  try connection.setPragma(.journalMode, to: .wal)
  try connection.setUserVersion(3)
  try connection.vacuum(autoVacuum: .incremental)
  try connection.vacuum()
  try connection.incrementalVacuum(pages: 10)
  try connection.checkpoint(.truncate)
  try connection.begin()
  try connection.rollback()
  try connection.transaction { connection in
    try connection.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
  }
  let secureDelete: SecureDeleteMode = try connection.pragma(.secureDelete)
  let autoVacuum: AutoVacuumMode = try connection.pragma(.autoVacuum)
  let journalMode: Configuration.JournalMode = try connection.pragma(.journalMode)
  let version = Int(try connection.userVersion)
  guard connection.lastInsertRowid == 1, version == 3, secureDelete == .on,
    autoVacuum == .incremental, journalMode == .wal
  else { fatalError() }
  try connection.vacuum(autoVacuum: AutoVacuumMode.none)
  guard try connection.pragma(.autoVacuum) == .none else { fatalError() }
  let reader = try Connection(path: path, readOnly: true)
  try reader.close()
  try connection.close()
  guard !FileManager.default.fileExists(atPath: path) else { fatalError() }
}
// snippet.show

try connection.execute(sql: "CREATE TABLE pet(name TEXT, age INTEGER)")
let insert = try connection.prepare(
  sql: "INSERT INTO pet(name, age) VALUES (:name, :age)")
try insert.bind(["name": "Rex", "age": 42]).execute()

// Binds parameters one by one. The second use needs no reset, and the name remains bound.
let update = try connection.prepare(
  sql: "UPDATE pet SET age = :age WHERE name = :name")
try update.bind(43, toParameter: "age").bind("Rex", toParameter: "name").execute()
try update.bind(44, toParameter: "age").execute()

let select = try connection.prepare(sql: "SELECT name, age FROM pet")
if let row = try select.step() {
  let name: String = try row["name"]
  let age: Int = try row["age"]
  print(name, age)  // Rex 44
  // snippet.hide
  guard name == "Rex", age == 44, try row.isNull(at: 0) == false,
    select.columnNames == ["name", "age"], update.parameterNames == [":age", ":name"]
  else { fatalError("\(name) \(age)") }
  // snippet.show
}
try select.reset()

try select.forEachRow { row in
  let name: String = try row.name
  let age: Int? = try row.age  // NULL is nil
  print(name, age ?? 0)
}
for row in try select.rows() { print(row) }  // copies that you can store: (name: 'Rex', age: 44)
// snippet.hide
guard try select.rows().map(\.description) == ["(name: 'Rex', age: 44)"] else { fatalError() }
// snippet.show

// The bound value and the converter that reads it both name the representation.
try connection.execute(sql: "CREATE TABLE visit(scores, date)")
let visit = try connection.prepare(sql: "INSERT INTO visit VALUES (:scores, :date)")
let date = Date(timeIntervalSince1970: 1.5)
try visit.bind(["scores": .propertyList([1, 2, 3]), "date": .date(date, as: .julianDay)]).execute()
try visit.bind(["scores": .json([1, 2, 3]), "date": .date(date, as: .iso8601)]).execute()
try visit.bind(["scores": .json([[1], []]), "date": .timeIntervalSince1970(date)]).execute()
try visit.bind(["scores": nil, "date": .date(date, as: .sqlite)]).execute()

let first = try connection.prepare(sql: "SELECT scores, date FROM visit ORDER BY rowid LIMIT 1")
try first.forEachRow { row in
  let scores = try row.get(.propertyList([Int].self), named: "scores")
  let date = try row.get(.date(as: .julianDay), named: "date")
  print(scores, date.timeIntervalSince1970)  // [1, 2, 3] 1.5
  // snippet.hide
  guard scores == [1, 2, 3], date.timeIntervalSince1970 == 1.5 else { fatalError() }
  // snippet.show
}
// snippet.hide
let values = try connection.query(.values, sql: "SELECT * FROM visit WHERE rowid > 1")
guard values[0]["scores"] == "[1,2,3]", values[0]["date"] == "1970-01-01T00:00:01.500Z",
  values[1]["scores"] == "[[1],[]]", values[1]["date"] == 1.5,
  try connection.query(
    .column(.json([Int].self)), sql: "SELECT scores FROM visit WHERE rowid = 2") == [[1, 2, 3]]
else { fatalError("\(values)") }
try connection.execute(sql: "CREATE TABLE sample(a INTEGER PRIMARY KEY, b, c, d, e, f, g)")
configuration.journalMode = nil
let restructured = try Connection(configuration: configuration)
let array = try PropertyListSerialization.data(
  fromPropertyList: [4, 5], format: .binary, options: 0)
struct Written: Decodable {
  let date: Date
  let list: [Int]
}
let written = try restructured.first(
  Written.self, "SELECT 100 AS date, \(array) AS list")
guard written?.list == [4, 5], written?.date.timeIntervalSince1970 == 100 else { fatalError() }
try connection.execute("CREATE TABLE old(list); INSERT INTO old VALUES (x'00')")
try connection.execute("UPDATE old SET list = \(array)")
// snippet.show

// Sluice stores a property of type [UInt8] as a blob. Restructure stored it as a property list.
let bytes = try connection.first(
  .column(.propertyList([UInt8].self)), sql: "SELECT list FROM old")  // [4, 5]
// snippet.hide
guard bytes == [4, 5] else { fatalError() }
try connection.execute("CREATE TABLE number(a)")
try connection.prepare(sql: "INSERT INTO number VALUES (?)")
  .bind(.uint64(bitPattern: UInt64.max)).execute()
let number = try connection.first(.column(.uint64BitPattern), sql: "SELECT a FROM number")
guard number == UInt64.max else { fatalError() }
do {
  try connection.execute(sql: "INSERT INTO number VALUES (?)", parameters: UInt64.max)
  fatalError()
} catch SQLiteError.range {}
// snippet.show

// Restructure writes whole seconds for its strategy integer. Sluice keeps the fraction, as a real.
let wholeSeconds = DateStrategy.custom(
  encode: { date in .integer(Int64(date.timeIntervalSince1970)) },
  decode: { value in
    guard let seconds = Double(databaseValue: value) else {
      throw SQLiteError(.mismatch, "\(value) is not a date in seconds")
    }
    return Date(timeIntervalSince1970: seconds)
  })
// snippet.hide
try connection.execute("DELETE FROM number")
try connection.execute("INSERT INTO number VALUES (\(.date(date, as: wholeSeconds)))")
guard try connection.first(.column(.value), sql: "SELECT a FROM number") == 1,
  try connection.first(.column(.date(as: wholeSeconds)), sql: "SELECT a FROM number")
    == Date(timeIntervalSince1970: 1)
else { fatalError() }
// snippet.show

// A connection or a statement sets the strategies for Codable types.
struct Sample: Codable {
  let a: Int64?
  let b: String
  let c: Double
  let d: Int
  let e: Data
  let f: [Int]
  let g: Date
}

connection.codingStrategies.dates = .julianDay
connection.codingStrategies.nested = .json
let sample = Sample(a: nil, b: "1", c: 2, d: 3, e: Data([4, 5, 6]), f: [7], g: date)
let encoding = try connection.prepare(
  sql: "INSERT INTO sample(b, c, d, e, f, g) VALUES (:b, :c, :d, :e, :f, :g)")
encoding.codingStrategies = CodingStrategies(
  // The SQL has no :a.
  dates: .timeIntervalSince1970, propertiesWithoutParameter: .leftOut)
try encoding.bind(encoding: sample).execute()

let decoding = try connection.prepare(sql: "SELECT a, b, c, d, e, f, g FROM sample")
decoding.codingStrategies = encoding.codingStrategies
try decoding.forEachRow { row in
  let sample = try row.decode(Sample.self)
  print(sample.a ?? 0, sample.f, sample.g.timeIntervalSince1970)  // 1 [7] 1.5
}
// snippet.hide
let found = try decoding.query(Sample.self)
guard found.count == 1, let back = found.first, back.a == 1, back.b == "1", back.c == 2,
  back.d == 3, back.e == Data([4, 5, 6]), back.f == [7], back.g == date,
  try connection.first(.column(.value), sql: "SELECT g FROM sample") == 1.5
else { fatalError("\(found)") }
encoding.codingStrategies.propertiesWithoutParameter = .refused
do {
  try encoding.bind(encoding: sample)
  fatalError()
} catch is EncodingError {
} catch is SQLiteError {
}
// snippet.show

let migrator = try Migrator([
  Migration(1, "create toy", sql: "CREATE TABLE toy(name TEXT)"),
  Migration(2, "fill toy") { connection in
    try connection.execute("INSERT INTO toy VALUES ('ball')")
  },
])
try migrator.migrate(connection)
let isUpToDate = try migrator.pending(on: connection).isEmpty
print(isUpToDate, try connection.userVersion, SQLiteLibrary.version)
// snippet.hide
guard try connection.userVersion == 2,
  try connection.query(.column(.string), "SELECT name FROM toy") == ["ball"]
else { fatalError() }
do {
  _ = try Migrator([migrator.migrations[0]]).pending(on: connection)
  fatalError()
} catch MigrationError.fromTheFuture(let step) {
  guard step.number == 2 else { fatalError() }
}
try others(connection)

/// A type of your own, and a loop that ends early.
func others(_ connection: Connection) throws {
  try connection.execute("CREATE TABLE paint(color INTEGER)")
  let insert = try connection.prepare(sql: "INSERT INTO paint VALUES (:color)")
  for red in [1, 2, 3] { try insert.bind(Color(red: red), toParameter: "color").execute() }
  let select = try connection.prepare(sql: "SELECT color FROM paint ORDER BY color")
  var colors: [Color] = []
  while let row = try select.step() {
    colors.append(try row["color"])
    if colors.count == 2 { break }
  }
  try select.reset()
  guard colors == [Color(red: 1), Color(red: 2)] else { fatalError() }
}

struct Color: SQLValue, Equatable {
  var red: Int
  init(red: Int) { self.red = red }
  init?(databaseValue: DatabaseValue) {
    guard case .integer(let value) = databaseValue else { return nil }
    red = Int(value)
  }
  var databaseValue: DatabaseValue { .integer(Int64(red)) }
}
let memory = try Connection(configuration: configuration)
guard try memory.first(.column(.string), sql: "SELECT upper('é')") == "É" else { fatalError() }
