import Foundation
import Sluice

/// The books in a database file: one connection writes, and others read meanwhile.
///
/// The SQL is in the folders `Migrations` and `Queries`, of which the functions are made when the package is built.
struct Shelf: Sendable {
  private let pool: ConnectionPool
  /// Notices what other processes write, as long as it is there.
  private let watch: DatabaseWatch

  /// Opens the file, or makes it, and brings it to the newest schema.
  init(path: String) async throws {
    pool = try ConnectionPool(path: path, readers: 2, label: "bookshelf")
    try await Migrations.migrator().migrate(pool)
    watch = try pool.watchOtherWriters()
  }

  /// Puts a book on the shelf, and returns its number.
  func add(_ title: String, by author: String) async throws -> Int {
    try await pool.write { connection in
      let id = try connection.addBook(title: title, author: author, added: .now)
      try connection.indexBook(id: id)
      return id
    }
  }

  /// Tells that a book was read; if there is none of that number, it is false.
  func finish(_ id: Int, stars: Int?) async throws -> Bool {
    try await pool.finishBook(finished: .now, stars: stars, id: id) == 1
  }

  func find(_ words: String) async throws -> [Book] {
    try await pool.booksMatching(words: .allWords(words, prefixes: .last))
  }

  /// All books with a line about them, which one transaction reads.
  func report() async throws -> String {
    let (books, summary) = try await pool.read { connection in
      (try connection.books(), try connection.summary())
    }
    return Report(books).description + summary.description + "\n"
  }

  /// All books, now and after each change, whichever process makes it.
  var changes: ValuePublisher<[Book]> { pool.observeBooks() }

  func close() async throws {
    watch.cancel()
    try await pool.close()
  }
}
