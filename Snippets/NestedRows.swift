// Structs inside rows, and rows that contain the rows of other queries.

// snippet.hide
import Sluice

let pool = try ConnectionPool(label: "shelf")
try await pool.perform { connection in
  try connection.execute(
    sql: """
      CREATE TABLE author(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
      CREATE TABLE book(id INTEGER PRIMARY KEY, title TEXT NOT NULL, author INTEGER REFERENCES author);
      INSERT INTO author VALUES (1, 'Ada'), (2, 'Eve');
      INSERT INTO book VALUES (1, 'Notes', 1), (2, 'Letters', NULL);
      """)
}
// snippet.show
for author in try await pool.authors() {
  print(author.name, author.books.map(\.title))
}
// snippet.hide
let items = try await pool.shelf()
guard items.map(\.author?.name) == [nil, "Ada"], items.map(\.total) == [2, 2] else { fatalError() }
guard try await pool.authors().map(\.books.count) == [1, 0] else { fatalError() }

// The generated code, verbatim.
// snippet.show
/// A row of `shelf`.
nonisolated struct ShelfItem: Sendable, Hashable, Codable {
  var book: Book
  var author: Person?
  var total: Int
}
// snippet.hide

// snippet.show
/// A row of `authors`.
nonisolated struct Author: Sendable, Hashable, Codable {
  var id: Int
  var name: String
  var books: [Book]
}
// snippet.hide

nonisolated extension ShelfItem {
  /// Converts a row to a value; reads the columns by index.
  static var converter: RowConverter<Self> {
    RowConverter { row in
      try Self(
        book: Book(
          id: row.get(.int, at: 0),
          title: row.get(.string, at: 1),
          author: row.optional(.int, at: 2)),
        author: row.isNull(at: 3)
          ? nil
          : Person(id: row.get(.int, at: 3), name: row.get(.string, at: 4)),
        total: row.get(.int, at: 5))
    }
  }
}

/// A row of `booksOf`.
nonisolated struct Book: Sendable, Hashable, Codable {
  var id: Int
  var title: String
  var author: Int?
}

nonisolated extension Book {
  /// Converts a row to a value; reads the columns by index.
  static var converter: RowConverter<Self> {
    RowConverter { row in
      try Self(
        id: row.get(.int, at: 0), title: row.get(.string, at: 1), author: row.optional(.int, at: 2))
    }
  }
}

/// A part of a row of `shelf`.
nonisolated struct Person: Sendable, Hashable, Codable {
  var id: Int
  var name: String
}

nonisolated extension Person {
  /// Converts a row to a value; reads the columns by index.
  static var converter: RowConverter<Self> {
    RowConverter { row in
      try Self(id: row.get(.int, at: 0), name: row.get(.string, at: 1))
    }
  }
}

nonisolated extension Author {
  /// Converts a row to a value whose children are still missing; reads the columns by index.
  static var converterWithoutChildren: RowConverter<Self> {
    RowConverter { row in
      try Self(id: row.get(.int, at: 0), name: row.get(.string, at: 1), books: [])
    }
  }
}

nonisolated private enum Statements {
  static let shelf = """
    SELECT book.*, author.*, count(*) OVER () AS total
    FROM book LEFT JOIN author ON author.id = book.author ORDER BY title
    """

  static let booksOf = """
    SELECT id, title, author FROM book WHERE author IN array(:authors) ORDER BY title
    """

  static let authors = """
    SELECT id, name FROM author ORDER BY name
    """
}

nonisolated extension Connection {
  /// Returns all rows of the query `shelf`.
  ///
  /// ```sql
  /// SELECT book.*, author.*, count(*) OVER () AS total
  /// FROM book LEFT JOIN author ON author.id = book.author ORDER BY title
  /// ```
  func shelf() throws -> [ShelfItem] {
    try self.query(ShelfItem.converter, sql: Statements.shelf)
  }

  /// Returns all rows of the query `booksOf`.
  ///
  /// ```sql
  /// SELECT id, title, author FROM book WHERE author IN array(:authors) ORDER BY title
  /// ```
  func booksOf(authors: [Int]) throws -> [Book] {
    try self.query(Book.converter, sql: Statements.booksOf, parameters: .array(authors))
  }

  /// Returns all rows of the query `authors`.
  ///
  /// ```sql
  /// SELECT id, name FROM author ORDER BY name
  /// ```
  func authors() throws -> [Author] {
    try self.transaction { _ in
      try self.query(Author.converterWithoutChildren, sql: Statements.authors)
        .adding(\.books, key: { $0.id }, by: { $0.author }, as: { $0 }, sql: Statements.booksOf) {
          try self.booksOf(authors: $0)
        }
    }
  }
}

nonisolated extension DatabaseReader {
  /// See `Connection.shelf()`; suspends the task instead of blocking a thread.
  func shelf() async throws -> [ShelfItem] {
    try await self.read { try $0.shelf() }
  }

  /// See `Connection.shelf()`; blocks the calling thread.
  @available(*, noasync, message: "Use shelf, which does not block the thread")
  func syncShelf() throws -> [ShelfItem] {
    try self.syncRead { try $0.shelf() }
  }

  /// See `Connection.booksOf(authors:)`; suspends the task instead of blocking a thread.
  func booksOf(authors: [Int]) async throws -> [Book] {
    try await self.read { try $0.booksOf(authors: authors) }
  }

  /// See `Connection.booksOf(authors:)`; blocks the calling thread.
  @available(*, noasync, message: "Use booksOf, which does not block the thread")
  func syncBooksOf(authors: [Int]) throws -> [Book] {
    try self.syncRead { try $0.booksOf(authors: authors) }
  }

  /// See `Connection.authors()`; suspends the task instead of blocking a thread.
  func authors() async throws -> [Author] {
    try await self.read { try $0.authors() }
  }

  /// See `Connection.authors()`; blocks the calling thread.
  @available(*, noasync, message: "Use authors, which does not block the thread")
  func syncAuthors() throws -> [Author] {
    try self.syncRead { try $0.authors() }
  }
}

nonisolated extension DatabaseReader {
  /// Publishes the result of `Connection.authors()`, now and after each commit that may have changed it.
  func observeAuthors() -> ValuePublisher<[Author]> {
    self.observe { try $0.authors() }
  }

  /// Returns a live value with the result of `Connection.authors()`; it is empty at first.
  @MainActor
  func liveAuthors() -> LiveValue<[Author]> {
    self.live(initial: []) { try $0.authors() }
  }
}

nonisolated extension Array {
  /// Returns the rows with their children, which `read` returns for all keys.
  ///
  /// Keys are equal if `identity` returns equal values for them.
  fileprivate func adding<Key, Identity: Hashable, Child>(
    _ children: WritableKeyPath<Element, [Child]>, key: (Element) -> Key?,
    by parent: (Child) -> Key?, as identity: (Key) throws -> Identity, sql: String,
    _ read: (_ keys: [Key]) throws -> [Child]
  ) throws -> [Element] {
    var known: Set<Identity> = []
    let keys = try compactMap(key).filter { try known.insert(identity($0)).inserted }
    guard !keys.isEmpty else { return self }
    let families = try Dictionary(grouping: read(keys)) { try parent($0).map(identity) }
    guard families.keys.allSatisfy({ $0.map(known.contains) == true }) else {
      throw SQLiteError(
        .mismatch,
        "A child has the key NULL or a key that no row has; SQL must compare keys exactly, without NOCASE or 1 = 1.0",
        sql: sql)
    }
    return try map { row in
      var row = row
      row[keyPath: children] = try key(row).map(identity).flatMap { families[$0] } ?? []
      return row
    }
  }
}
