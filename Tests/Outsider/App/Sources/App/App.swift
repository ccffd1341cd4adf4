// An app as Xcode creates it: everything is isolated to the main actor unless it says otherwise.
import Foundation
import Sluice
import SluiceModels

@main
struct App {
  static func main() async throws {
    try connections()
    try await pools()
    try await views()
    try await extensions()
    try await checkedSQL()
  }

  static func connections() throws {
    let connection = try Connection()
    try connection.execute(
      sql: "CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INTEGER)")
    try connection.execute("INSERT INTO person(name, age) VALUES (\("Ada"), \(36))")
    try connection.execute(
      sql: "INSERT INTO person(name, age) VALUES (:name, :age)",
      encoding: Person(name: "Alan", age: nil))
    try connection.execute(sql: "SELECT name, age FROM person ORDER BY id") { row in
      print(try row.get(.string, named: "name"), try row.optional(.int, named: "age") ?? 0)
    }
    try connection.addFunction("initial") { (name: String) in initial(of: name) }
    try connection.addAggregateFunction("longest", arity: 1) { Longest() }
    try connection.addCollation("backwards") { (a: String, b: String) in SQLOrder(b, a) }
    print(
      try connection.query(
        .columns(.string, .string),
        "SELECT longest(name), initial(name) FROM person ORDER BY name COLLATE backwards"))
    print(try connection.query(Person.self, "SELECT name, age FROM person").map(\.name))
    try connection.execute("SELECT \(Color("red")) AS color") { row in
      let color: Color = try row.color
      print(color.code)
    }
    let sum = try connection.transaction { connection in
      try connection.savepoint { connection in
        try connection.first(.column(.int), "SELECT sum(age) FROM person") ?? 0
      }
    }
    print(sum)
    let hook = try connection.onUpdate { change in print(change.table, change.rowid) }
    try connection.execute("DELETE FROM person WHERE id = 2")
    hook.cancel()
    do {
      try connection.execute("INSERT INTO person(id, name) VALUES (1, 'Eve')")
    } catch SQLiteError.constraint {
      print("Person 1 already exists.")
    }
  }

  static func pools() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var configuration = Configuration()
    configuration.prepareConnection { connection in
      try connection.addFunction("initial") { (name: String) in initial(of: name) }
      try connection.addAggregateFunction("longest", arity: 1) { Longest() }
    }
    let path = folder.appending(path: "app.db").path
    let pool = try ConnectionPool(path: path, readers: 2, configuration: configuration)
    try await pool.write { connection in
      try connection.execute("CREATE TABLE person(name TEXT NOT NULL, age INTEGER)")
      try connection.execute(
        sql: "INSERT INTO person VALUES (:name, :age)", encoding: Person(name: "Ada", age: 36))
      try connection.afterCommit { _ in print("Ada is stored.") }
    }
    let people = try await pool.read { connection in
      try connection.query(Person.self, "SELECT name, age FROM person")
    }
    print(people.map(\.age))
    try await pool.write { connection in
      _ = try connection.add(transactionObserver: CommitCounter())
      try connection.addTokenizer("letters") { _ in Letters() }
      try connection.execute(sql: "CREATE VIRTUAL TABLE letter USING fts5(s, tokenize = letters)")
      try connection.execute("INSERT INTO letter VALUES ('abc')")
      print(
        try connection.first(.column(.string), "SELECT s FROM letter WHERE letter MATCH 'b'") ?? "")
    }
    print(
      try await pool.read { try $0.query(.column(.string), "SELECT longest(name) FROM person") })
    print(try letters(pool))

    var changes = pool.rowChanges(in: "person").makeAsyncIterator()
    let results = pool.observe(Person.self, "SELECT name, age FROM person ORDER BY name")
    for try await people in results {
      print(people.map(\.name))
      if people.count == 2 { break }
      // The rows of a stream arrive on the main actor; its closure runs on a reader.
      for try await name in pool.rows(.column(.string), "SELECT name FROM person") { print(name) }
      let task = Task {
        try await pool.write { try $0.execute("INSERT INTO person VALUES ('Eve', NULL)") }
      }
      try await task.value
    }
    if let commit = try await changes.next() { print("changed rows:", commit.changes.count) }
    try await pool.close()
  }

  static func letters(_ database: any DatabaseReader) throws -> [String] {
    try database.syncRead { connection in
      try connection.query(.column(.string), "SELECT initial(name) FROM person")
    }
  }

  static func views() async throws {
    let queue = try ConnectionQueue()
    try await queue.write { connection in
      try connection.createTable(of: Note.self)
      _ = try connection.insert([Note(title: "One"), Note(title: "Two")])
    }
    let titles = queue.live(.titled, "SELECT title FROM note ORDER BY id")
    try await titles.load()
    print(titles.value)

    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let pool = try ConnectionPool(path: folder.appending(path: "app.db").path)
    try await pool.write { try $0.createTable(of: Note.self) }
    let store = Store(pool)
    try store.load()
    try await store.save()
    await store.showsNotes()
    print(store.notes.value.map(\.title), store.count.value, store.updates > 0, store.draft.isEmpty)
    let high = try await pool.read { try $0.fetch(Note.where(\.priority == .high)) }
    print(high.map(\.title))
  }

  static func extensions() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try SQLiteLibrary.addFileSystem("cipher", Cipher())
    var configuration = Configuration()
    configuration.fileSystem = "cipher"
    let path = folder.appending(path: "app.db").path
    let pool = try ConnectionPool(path: path, configuration: configuration)
    try await pool.write { connection in
      try connection.addModule("digits", as: .eponymousOnly) { _ in Digits() }
      try connection.addTokenizer("spelling") { _ in Spelling() }
      try connection.execute(
        sql: "CREATE VIRTUAL TABLE film USING fts5(title, tokenize = 'spelling')")
      try connection.execute("INSERT INTO film VALUES (\(Place(name: "A colour film")))")
      print(
        try connection.query(.column(.string), "SELECT title FROM film('color')"),
        try connection.first(.column(.int), "SELECT sum(digit) FROM digits") ?? 0)
      try connection.createTable(of: Copy.self)
      _ = try connection.insert(Copy(shelf: .room(7)))
    }
    let copies = try await pool.read { try $0.fetch(Copy.all) }
    let start = try Data(contentsOf: URL(filePath: path)).prefix(6)
    print(copies.map { "\($0.shelf)" }, start == Data("SQLite".utf8))
    try await pool.close()
  }

  static func checkedSQL() async throws {
    let queue = try ConnectionQueue()
    try await Migrations.migrator().migrate(queue)
    let id = try await queue.addBook(title: "Notes", rating: 4.5)
    for book in try await queue.books(rating: 4) { print(id, book.title, book.rating ?? 0) }
    let books: [Book] = try await queue.perform { connection in try connection.books(rating: 5) }
    for try await books in queue.observeBooks(rating: 1).prefix(1) { print(books.count + 0) }
    print(books.count)
  }
}
