// The calls that extend SQL or build on it, each shown once.

// snippet.hide
import CSluice
import SluiceModels

final class Product: SQLAggregateFunction {
  private var product = 1.0
  func step(_ values: borrowing SQLFunctionArguments) throws {
    product *= try values.get(at: 0)
  }
  func final() throws -> DatabaseValue { .real(product) }
}

struct Book: Codable, Model {
  static let table = ModelTable("book", key: \Book.id)
  var id: Int64?
  var title: String
}
// snippet.show
let connection = try Connection()  // a new in-memory database

// Functions, aggregates, collations, table-valued functions
try connection.addFunction("initial") { (text: String) in String(text.prefix(1)) }
try connection.addAggregateFunction("product", arity: 1) { Product() }
try connection.addCollation("backwards") { (a: String, b: String) in SQLOrder(b, a) }
try connection.addTableFunction(
  "range", columns: ["value"], parameters: ["first", "last"]
) {
  (first: Int, last: Int) in first...last
}
let product = try connection.first(
  .column(.double), "SELECT product(value) FROM range(1, 5)")

// Hooks
let hook = try connection.onUpdate { change in print(change.table, change.rowid) }
hook.cancel()

// Errors
try connection.execute("CREATE TABLE unit(name TEXT UNIQUE)")
try connection.execute("INSERT INTO unit VALUES ('litre')")
do {
  try connection.execute("INSERT INTO unit VALUES ('litre')")
} catch SQLiteError.constraint {
  print("There is one already.")
}
// snippet.hide
guard product == 120 else { fatalError() }
// snippet.show
// Migrations
let migrator = try Migrator([
  Migration(
    1, "create person", sql: "CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT)"),
  Migration(2, "add age", sql: "ALTER TABLE person ADD COLUMN age INTEGER"),
])
let database = try ConnectionQueue()
// Asynchronous on a queue.
try await migrator.migrate(database, upTo: "create person")
try migrator.migrate(connection)  // synchronous on a connection

// Models (import SluiceModels)
try connection.createTable(of: Book.self)
var book = try connection.insert(Book(title: "Notes"))
book.title = "Notes by the translator"
try connection.update(book)
let books = try connection.fetch(Book.where(\.title != "").order(by: \.title))
try connection.delete(book)

// Incremental blob I/O
try connection.execute("CREATE TABLE film(id INTEGER PRIMARY KEY, pictures BLOB)")
try connection.execute("INSERT INTO film VALUES (1, zeroblob(\(1024)))")
let blob = try connection.openBlob(
  table: "film", column: "pictures", rowid: 1, readOnly: false)
try blob.write([1, 2, 3], at: 0)
try blob.close()

// Sessions
let session = try connection.session()
try connection.execute("INSERT INTO person VALUES (1, 'Ada', 36)")
let changeset = try session.changeset()

// Full-text search
try connection.execute("CREATE VIRTUAL TABLE note USING fts5(body)")
try connection.execute("INSERT INTO note VALUES ('The Analytical Engine')")
let pattern = FTS5Pattern.allWords("analytical engine")
let found = try connection.query(
  .column(.string), "SELECT body FROM note WHERE note MATCH \(pattern)")

// The C handle (import CSluice for the C functions)
let isReadOnly = try unsafe connection.withUnsafeHandle { handle in
  unsafe sqlite3_db_readonly(handle, "main") == 1
}
// snippet.hide
guard books.count == 1, found.count == 1, !changeset.isEmpty, !isReadOnly else {
  fatalError()
}
