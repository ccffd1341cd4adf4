// The generated function of a query that writes is not available on a read-only queue.
// says: value of type 'ConnectionReadQueue' has no member 'addBook'

import Sluice

// These functions are like those generated for INSERT INTO book(title) VALUES (:title) and SELECT title FROM book.
extension Connection {
  func addBook(title: String) throws -> Int {
    try self.execute(sql: "INSERT INTO book(title) VALUES (:title)", parameters: .string(title))
    return self.changes
  }
  func titles() throws -> [String] {
    try self.query(.column(.string), sql: "SELECT title FROM book")
  }
}
extension DatabaseWriter {
  func addBook(title: String) async throws -> Int {
    try await perform { try $0.addBook(title: title) }
  }
}
extension DatabaseReader {
  func titles() async throws -> [String] { try await read { try $0.titles() } }
}

func use(_ queue: ConnectionQueue, _ pool: ConnectionPool, _ reader: ConnectionReadQueue)
  async throws
{
  _ = try await queue.addBook(title: "Notes")
  _ = try await pool.addBook(title: "Notes")
  #if REJECTED
    _ = try await reader.addBook(title: "Notes")
  #else
    _ = try await reader.titles()
  #endif
}
