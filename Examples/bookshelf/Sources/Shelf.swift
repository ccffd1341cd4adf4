import Foundation
import Sluice

/// The books in a database file, which one connection can write while others read.
///
/// The SQL is in the folders `Migrations` and `Queries`. The build generates Swift functions from it.
struct Shelf: Sendable {
  private let pool: ConnectionPool
  /// The watch for writes by other processes, which ends when it is released.
  private let watch: DatabaseWatch

  /// Opens or creates the file, and migrates it to the newest schema.
  init(path: String) async throws {
    pool = try ConnectionPool(path: path, readers: 2, label: "bookshelf")
    try await Migrations.migrator().migrate(pool)
    watch = try pool.watchOtherWriters()
  }

  /// Adds a book to the shelf, and returns its ID.
  func add(_ title: String, by author: String) async throws -> Int {
    try await pool.write { connection in
      let id = try connection.addBook(title: title, author: author, added: .now)
      try connection.indexBook(id: id)
      return id
    }
  }

  /// Marks a book as read.
  ///
  /// - Returns: Whether the shelf has a book with this ID.
  func finish(_ id: Int, stars: Int?) async throws -> Bool {
    try await pool.finishBook(finished: .now, stars: stars, id: id) == 1
  }

  func find(_ words: String) async throws -> [Book] {
    try await pool.booksMatching(words: .allWords(words, prefixes: .last))
  }

  /// Returns a list of all books and a summary, read in one transaction.
  func report() async throws -> String {
    let (books, summary) = try await pool.read { connection in
      (try connection.books(), try connection.summary())
    }
    return Report(books).description + summary.description + "\n"
  }

  /// A publisher of all books, now and after each change by any process.
  var changes: ValuePublisher<[Book]> { pool.observeBooks() }

  func close() async throws {
    watch.cancel()
    try await pool.close()
  }
}
