import SluiceCore
import TestSupport
import Testing

/// The statements of live queries, which remain in the statement cache.
@Suite(.tags(.observation), .timeLimit(.minutes(10))) struct `statements of live queries` {
  /// Live queries of different texts, more than the cache has places without them.
  private final class Queries: Sendable {
    let queue: ConnectionQueue
    let recorders: [Recorder<[Int]>]

    init(_ count: Int, liveStatements: Int) throws {
      var configuration = Configuration()
      configuration.statementCacheSize = 8
      configuration.liveStatementCacheSize = liveStatements
      queue = try ConnectionQueue(configuration: configuration)
      try queue.sync { connection in
        try connection.execute(
          sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1); CREATE TABLE other(a)")
      }
      recorders = (0..<count).map { _ in Recorder(.unlimited) }
      for (number, recorder) in recorders.enumerated() {
        queue.observe(.column(.int), sql: "SELECT a + \(number) FROM t").subscribe(recorder)
      }
      queue.settle()
    }

    /// Changes the table, and returns the number of statements that were compiled before all values arrived.
    func compiled(for value: Int) throws -> Int {
      let before = try statistics.misses
      try queue.sync { try $0.execute("UPDATE t SET a = \(value)") }
      queue.settle()
      for (number, recorder) in recorders.enumerated() {
        #expect(recorder.values.last == [value + number])
      }
      return try statistics.misses - before
    }

    var statistics: StatementCacheStatistics {
      get throws { try queue.sync { $0.statementCacheStatistics } }
    }
  }

  @Test func `other statements do not displace those of live queries`() throws {
    let queries = try Queries(100, liveStatements: 1_000)
    _ = try queries.compiled(for: 2)
    for number in 0..<1_000 {
      try queries.queue.sync { try $0.execute(sql: "SELECT \(number)") }
    }
    // The statement that changes the table was displaced, and so was the question for the columns of the table.
    #expect(try queries.compiled(for: 3) < 5)
    let statistics = try queries.statistics
    #expect(statistics.count <= statistics.capacity)
    #expect(100...120 ~= statistics.capacity)
  }

  @Test func `a limit bounds the statements that live queries keep`() throws {
    let queries = try Queries(100, liveStatements: 10)
    _ = try queries.compiled(for: 2)
    #expect(try queries.compiled(for: 3) > 50)
    #expect(try queries.statistics.capacity == 18)
    #expect(try queries.statistics.count <= 18)
  }

  @Test func `the statements of ended live queries are like any others`() throws {
    let queries = try Queries(100, liveStatements: 1_000)
    _ = try queries.compiled(for: 2)
    for recorder in queries.recorders.dropFirst() { recorder.subscription?.cancel() }
    for number in 0..<100 {
      try queries.queue.sync { try $0.execute(sql: "SELECT \(number)") }
    }
    #expect(try queries.statistics.capacity < 20)
    #expect(try queries.statistics.count < 20)
    #expect(try queries.queue.sync { try $0.first(.column(.int), sql: "SELECT a FROM t") } == 2)
  }

  @Test func `a query that runs one statement many times keeps one`() throws {
    let queue = try ConnectionQueue()
    let recorder = Recorder<Int>(.unlimited)
    queue.observe { connection in
      try (0..<500).reduce(0) { sum, number in
        try sum + (connection.first(.column(.int), sql: "SELECT ?", parameters: number) ?? 0)
      }
    }.subscribe(recorder)
    queue.settle()
    #expect(recorder.values == [124_750])
    let capacity = try queue.sync { $0.statementCacheStatistics.capacity }
    #expect(129...131 ~= capacity)
  }
}
