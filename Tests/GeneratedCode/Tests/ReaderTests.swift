import Foundation
import Sluice
import Testing

/// Tests the generated functions on queues, read queues and pools.
@Suite(.tags(.checkedSQL)) struct `generated functions of queues and pools` {
  private static func add(_ title: String, to writer: some DatabaseWriter) async throws -> Int {
    try await writer.addBook(title: title, publisher: nil, year: nil, price: nil, summary: nil)
  }

  /// Uses all asynchronous forms: awaited, streamed, and observed while the same writer writes.
  private static func use(_ database: some DatabaseWriter) async throws {
    try await database.perform { _ = try Migrations.migrator().migrate($0) }
    let id = try await add("Notes", to: database)
    #expect(try await database.book(id: id)?.title == "Notes")
    let ada = try await database.addAuthor(name: "Ada", born: nil, died: nil)
    #expect(try await database.credit(book: id, author: ada, role: "author") == 1)
    #expect(try await database.books(author: ada).map(\.title) == ["Notes"])
    var streamed: [String] = []
    for try await book in database.streamBooks(author: ada) { streamed.append(book.title) }
    #expect(streamed == ["Notes"])
    var counts: [Int] = []
    for try await count in database.observeBookCount() {
      counts.append(count)
      guard count < 3 else { break }
      _ = try await add("Volume \(count)", to: database)
    }
    #expect(counts == [1, 2, 3])
    await #expect(throws: SQLiteError.self) {
      try await database.credit(book: 99, author: 99, role: "author")
    }
  }

  /// Uses the synchronous forms, which block the thread.
  private static func useSynchronously(_ database: some DatabaseWriter) throws {
    try database.sync { _ = try Migrations.migrator().migrate($0) }
    #expect(try database.syncAddAuthor(name: "Ada", born: nil, died: nil) == 1)
    #expect(try database.syncAuthor(id: 1)?.name == "Ada")
    #expect(try database.syncBookCount() == 0)
  }

  @Test func `the asynchronous generated functions run on a queue`() async throws {
    try await Self.use(ConnectionQueue(label: "library", configuration: Library.configuration))
  }

  @Test func `the asynchronous generated functions run on an in-memory pool`() async throws {
    try await Self.use(ConnectionPool(label: "library", configuration: Library.configuration))
  }

  @Test func `the asynchronous generated functions run on a file pool, whose readers cannot write`()
    async throws
  {
    let folder = try temporaryFolder()
    defer { remove(folder) }
    let pool = try Library.pool(in: folder)
    try await Self.use(pool)
    // The compiler accepts a write in `read`, but the reader's connection throws.
    await #expect {
      try await pool.read { try $0.addAuthor(name: "Eve", born: nil, died: nil) }
    } throws: { error in
      (error as? SQLiteError)?.code.primary == .readOnly
    }
    try await pool.close()
  }

  @Test func `generated functions on a read queue read and observe the writer's commits`()
    async throws
  {
    let folder = try temporaryFolder()
    defer { remove(folder) }
    var configuration = Library.configuration
    configuration.journalMode = .wal
    let queue = try ConnectionQueue(
      path: folder.appending(path: "library.db").path, configuration: configuration)
    try await queue.perform { _ = try Migrations.migrator().migrate($0) }
    let reader = try ConnectionReadQueue(writeQueue: queue)
    #expect(try await reader.bookCount() == 0)
    for try await count in reader.observeBookCount() {
      guard count == 0 else { break }
      _ = try await Self.add("Notes", to: queue)
    }
    #expect(try await reader.titles(limit: 9, offset: 0) == ["Notes"])
  }

  @Test func `the synchronous generated functions run on a queue and on a pool`() throws {
    try Self.useSynchronously(
      ConnectionQueue(label: "library", configuration: Library.configuration))
    let folder = try temporaryFolder()
    defer { remove(folder) }
    let pool = try Library.pool(in: folder)
    try Self.useSynchronously(pool)
    try pool.syncClose()
  }
}
