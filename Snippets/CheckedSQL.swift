// Queries in .sql files, called as functions that the plugin generates.

// snippet.hide
import Foundation
// snippet.show
import Sluice
// snippet.hide

let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
_ = FileManager.default.changeCurrentDirectoryPath(folder.path)
// snippet.show

let queue = try ConnectionQueue(path: "app.db", label: "app")
try await Migrations.migrator().migrate(queue)

// Types come from the schema: the column rating can be NULL, so rating is optional.
let id = try await queue.addBook(title: "Notes", author: "Ada", rating: nil)
for book in try await queue.books(author: "Ada") {
  print(book.id, book.title, book.rating ?? 0)
}

// The same query on a connection, and as a live query.
let books = try await queue.perform { connection in try connection.books(author: "Ada") }
for try await books in queue.observeBooks(author: "Ada").prefix(1) { print(books.count) }
// snippet.hide
guard id == 1, books.map(\.title) == ["Notes"] else { fatalError() }

let archive = "archive.db"
var configuration = Configuration()
// snippet.show
try Migrations.Archive.migrator().migrate(Connection(path: archive))
configuration.prepareConnection { connection in
  try connection.attach(path: archive, as: "archive")
}
// snippet.hide
let both = try Connection(configuration: configuration)
guard try both.table(named: "book", database: "archive") != nil else { fatalError() }

nonisolated extension Migrations {
  nonisolated enum Archive {
    static func migrator() throws -> Migrator {
      try Migrator([
        Migration(
          1, "create", sql: "CREATE TABLE book(id INTEGER PRIMARY KEY, title TEXT NOT NULL)")
      ])
    }
  }
}

// The generated code, verbatim.
/// The migrations that create the schema with which the queries were checked.
nonisolated enum Migrations {
  /// All migrations, in order.
  static let all: [Migration] = [
    Migration(
      1, "create",
      sql: """
        CREATE TABLE book(
          id INTEGER PRIMARY KEY,
          title TEXT NOT NULL,
          author TEXT NOT NULL,
          rating REAL);

        """)
  ]

  /// Returns a migrator for these migrations; `preparing` adds the functions and collations that they use.
  static func migrator(
    preparing: (@Sendable (_ copy: Connection) throws -> Void)? = nil
  ) throws -> Migrator {
    try Migrator(all, preparing: preparing)
  }
}

// snippet.show
/// A row of `books`.
nonisolated struct Book: Sendable, Hashable, Codable {
  var id: Int
  var title: String
  var rating: Double?
}
// snippet.hide

nonisolated extension Book {
  /// Converts a row to a value; reads the columns by index.
  static var converter: RowConverter<Self> {
    RowConverter { row in
      try Self(
        id: row.get(.int, at: 0),
        title: row.get(.string, at: 1),
        rating: row.optional(.double, at: 2))
    }
  }
}

nonisolated private enum Statements {
  static let books = """
    SELECT id, title, rating FROM book WHERE author = :author ORDER BY rating DESC
    """

  static let addBook = """
    INSERT INTO book(title, author, rating) VALUES (:title, :author, :rating) RETURNING id
    """
}

nonisolated extension Connection {
  /// Books by an author, best first.
  ///
  /// ```sql
  /// SELECT id, title, rating FROM book WHERE author = :author ORDER BY rating DESC
  /// ```
  func books(author: String) throws -> [Book] {
    try self.query(Book.converter, sql: Statements.books, parameters: author)
  }

  /// Returns the first row of the query `addBook`.
  ///
  /// ```sql
  /// INSERT INTO book(title, author, rating) VALUES (:title, :author, :rating) RETURNING id
  /// ```
  func addBook(title: String, author: String, rating: Double?) throws -> Int {
    let row = try self.first(
      .column(.int), sql: Statements.addBook, parameters: title, author, rating)
    guard let row else {
      throw SQLiteError(.notFound, "addBook found no row", sql: Statements.addBook)
    }
    return row
  }
}

nonisolated extension DatabaseReader {
  /// See `Connection.books(author:)`; suspends the task instead of blocking a thread.
  func books(author: String) async throws -> [Book] {
    try await self.read { try $0.books(author: author) }
  }

  /// See `Connection.books(author:)`; blocks the calling thread.
  @available(*, noasync, message: "Use books, which does not block the thread")
  func syncBooks(author: String) throws -> [Book] {
    try self.syncRead { try $0.books(author: author) }
  }
}

nonisolated extension DatabaseWriter {
  /// See `Connection.addBook(title:author:rating:)`; suspends the task instead of blocking a thread.
  func addBook(title: String, author: String, rating: Double?) async throws -> Int {
    try await self.perform { try $0.addBook(title: title, author: author, rating: rating) }
  }

  /// See `Connection.addBook(title:author:rating:)`; blocks the calling thread.
  @available(*, noasync, message: "Use addBook, which does not block the thread")
  func syncAddBook(title: String, author: String, rating: Double?) throws -> Int {
    try self.sync { try $0.addBook(title: title, author: author, rating: rating) }
  }
}

nonisolated extension DatabaseReader {
  /// Publishes the result of `Connection.books(author:)`, now and after each commit that may have changed it.
  func observeBooks(author: String) -> ValuePublisher<[Book]> {
    self.observe { try $0.books(author: author) }
  }

  /// Returns a live value with the result of `Connection.books(author:)`; it is empty at first.
  @MainActor
  func liveBooks(author: String) -> LiveValue<[Book]> {
    self.live(initial: []) { try $0.books(author: author) }
  }
}
