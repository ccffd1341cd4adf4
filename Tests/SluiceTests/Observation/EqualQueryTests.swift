import Sluice
import Synchronization
import TestSupport
import Testing

/// Publishers of queries that cannot have different results.
@Suite(.tags(.observation), .timeLimit(.minutes(10))) struct `equal live queries` {
  private struct Item: Decodable, Equatable {
    let id: Int
    let title: String
  }

  private struct Name: Decodable, Equatable { let title: String }

  /// Counts how often the queries run.
  private final class Log: ConnectionMonitor {
    let count = Atomic(0)

    func statementDidEnd(_ statement: StatementRecord) {
      if statement.sql.contains("FROM item") { count.add(1, ordering: .relaxed) }
    }
  }

  /// A queue, and values that subscriptions have received.
  private final class Stage: Sendable {
    let log = Log()
    let queue: ConnectionQueue
    private let values = Atomic(0)
    private let tokens = Mutex<[ValueCancellable]>([])

    init() throws {
      var configuration = Configuration()
      configuration.monitor = log
      queue = try ConnectionQueue(configuration: configuration)
      try queue.sync { connection in
        try connection.execute(
          sql: "CREATE TABLE item(id INTEGER PRIMARY KEY, title); INSERT INTO item VALUES (1, 'a')")
      }
    }

    func subscribe<T>(to publisher: ValuePublisher<T>) {
      let token = publisher.sink { _ in
      } receiveValue: { [weak self] _ in
        self?.values.add(1, ordering: .acquiringAndReleasing)
      }
      tokens.withLock { $0.append(token) }
    }

    private var received: Int { values.load(ordering: .acquiring) }

    /// Commits, waits until each subscription has another value, and returns how many queries ran for that.
    func runs() async throws -> Int {
      let subscriptions = tokens.withLock(\.count)
      while received < subscriptions { await Task.yield() }
      let before = log.count.load(ordering: .relaxed)
      try await queue.perform { try $0.execute(sql: "UPDATE item SET title = title || 'x'") }
      while received < 2 * subscriptions { await Task.yield() }
      return log.count.load(ordering: .relaxed) - before
    }
  }

  private static let sql = "SELECT id, title FROM item WHERE id = ?"

  @Test func `the same type, SQL and values are fetched once`() async throws {
    let stage = try Stage()
    for _ in 0..<20 {
      stage.subscribe(to: stage.queue.observe(Item.self, sql: Self.sql, parameters: 1))
    }
    #expect(try await stage.runs() == 1)
    // An SQL literal is a query like any other.
    let next = try Stage()
    for _ in 0..<3 {
      let publisher = next.queue.observe(
        Item.self, "SELECT id, title FROM item WHERE id = \(1)")
      next.subscribe(to: publisher)
    }
    #expect(try await next.runs() == 1)
  }

  @Test func `another type, SQL or value is another query`() async throws {
    let stage = try Stage()
    let queue = stage.queue
    stage.subscribe(to: queue.observe(Item.self, sql: Self.sql, parameters: 1))
    stage.subscribe(to: queue.observe(Name.self, sql: Self.sql, parameters: 1))
    stage.subscribe(to: queue.observe(Item.self, sql: Self.sql + " ", parameters: 1))
    stage.subscribe(to: queue.observe(Item.self, sql: Self.sql, parameters: 2))
    stage.subscribe(to: queue.observe(Item.self, sql: Self.sql, parameters: "1"))
    stage.subscribe(to: queue.observe(Item.self, sql: Self.sql, parameters: 1.0))
    #expect(try await stage.runs() == 6)
  }

  @Test func `texts and numbers that only Swift calls equal are other values`() async throws {
    let stage = try Stage()
    let sql = "SELECT 1 AS id, ? || title AS title FROM item"
    for text in ["\u{e9}", "e\u{301}"] {
      stage.subscribe(to: stage.queue.observe(Item.self, sql: sql, parameters: text))
    }
    for number in [0.0, -0.0] {
      stage.subscribe(to: stage.queue.observe(Item.self, sql: sql, parameters: number))
    }
    #expect(try await stage.runs() == 4)
  }

  @Test func `queries with objects are never equal`() async throws {
    let stage = try Stage()
    for _ in 0..<2 {
      stage.subscribe(
        to: stage.queue.observe(
          Item.self, sql: "SELECT id, title FROM item WHERE id IN array(?)",
          parameters: .array([1, 2])))
    }
    #expect(try await stage.runs() == 2)
  }

  @Test func `a number that equals no number leaves nothing behind`() async throws {
    weak var released: ConnectionQueue?
    do {
      let stage = try Stage()
      released = stage.queue
      let publisher = stage.queue.observe(Item.self, sql: Self.sql, parameters: Double.nan)
      let error = await #expect(throws: SQLiteError.self) { for try await _ in publisher {} }
      #expect(error?.code == .mismatch)
    }
    while released != nil { await Task.yield() }
  }

  @Test func `a query that has ended does not keep another one from beginning`() async throws {
    let stage = try Stage()
    for _ in 1...50 {
      let publisher = stage.queue.observe(Item.self, sql: Self.sql, parameters: 1)
      for try await items in publisher {
        #expect(items.map(\.id) == [1])
        break
      }
    }
  }
}
