import Allocations
import Dispatch
import Foundation
import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.concurrency), .timeLimit(.minutes(10))) struct `row streams` {
  private let queue: ConnectionQueue

  init() throws {
    queue = try ConnectionQueue()
    try queue.sync { connection in
      try connection.execute(sql: "CREATE TABLE t(a)")
      try connection.execute(sql: "INSERT INTO t SELECT n FROM (\(numbers(to: 2000)))")
    }
  }

  @Test func `a row stream of a queue emits all rows in order`() async throws {
    var found: [Int] = []
    for try await value in queue.rows(.column(.int), sql: "SELECT a FROM t") { found.append(value) }
    #expect(found == Array(0..<2000))
  }

  @Test func `a row stream can bind values by position, by name and by interpolation`() async throws
  {
    let limit = 2
    let streams = [
      queue.rows(.column(.int), sql: "SELECT a FROM t WHERE a < ?", parameters: .int(limit)),
      queue.rows(.column(.int), sql: "SELECT a FROM t WHERE a < :a", parameters: [":a": 2]),
      queue.rows(.column(.int), "SELECT a FROM t WHERE a < \(limit)"),
    ]
    for stream in streams {
      var found: [Int] = []
      for try await value in stream { found.append(value) }
      #expect(found == [0, 1])
    }
  }

  @Test func `breaking out of a stream ends its statement`() async throws {
    for round in 0..<300 {
      for try await value in queue.rows(.column(.int), sql: "SELECT a FROM t") where value == 10 {
        break
      }
      let state = try await queue.perform { connection in
        try connection.execute(sql: "ALTER TABLE t RENAME COLUMN a TO b")
        try connection.execute(sql: "ALTER TABLE t RENAME COLUMN b TO a")
        return try connection.transactionState()
      }
      #expect(state == .none, "\(round)")
    }
  }

  @Test func `breaking out of a stream of a read queue ends its transaction`() async throws {
    let folder = try TestFolder()
    var configuration = Configuration()
    configuration.journalMode = .wal
    let writer = try ConnectionQueue(path: folder.file(), configuration: configuration)
    try await writer.perform { connection in
      try connection.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")
      try connection.execute(sql: "INSERT INTO t SELECT n FROM (\(numbers(to: 2000)))")
    }
    let reader = try ConnectionReadQueue(writeQueue: writer)
    var count = 0
    for try await _ in reader.rows(.column(.int), sql: "SELECT a FROM t") {
      count += 1
      if count == 100 {
        // The stream still reads the database as it was when the stream began.
        try await writer.perform { try $0.execute(sql: "DELETE FROM t") }
        #expect(try await reader.perform { try $0.transactionState() } == .read)
      }
      if count == 1000 { break }
    }
    #expect(count == 1000)
    #expect(try await reader.perform { try $0.transactionState() } == TransactionState.none)
    // No read transaction is open, so a checkpoint can truncate the WAL.
    let checkpoint = try await writer.perform { try $0.checkpoint(.truncate) }
    #expect(checkpoint.isComplete)
  }

  @Test func `a row stream reads at most one batch ahead and frees the queue between batches`()
    async throws
  {
    let calls = SharedLog<Int>()
    try await queue.perform { connection in
      try connection.addFunction("noted") { (number: Int) in
        calls.append(number)
        return number
      }
    }
    var iterator = queue.rows(.column(.int), sql: "SELECT noted(a) FROM t").makeAsyncIterator()
    for _ in 0..<10 { _ = try await iterator.next() }
    #expect(try await queue.perform { try $0.integers("SELECT 1") } == [1])
    #expect(calls.entries.count < 100)
    for _ in 0..<990 { _ = try await iterator.next() }
    #expect(calls.entries.count < 2000)
  }

  @Test func `a cancelled stream throws CancellationError and ends its statement`() async throws {
    let queue = queue
    let task = Task {
      var count = 0
      for try await _ in queue.rows(.column(.int), sql: "SELECT a FROM t") {
        count += 1
        if count == 20 { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
      }
      return count
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    try await queue.perform { try $0.execute(sql: "DROP TABLE t") }
  }

  @Test func `a row that fails to convert ends the stream and its statement`() async throws {
    var count = 0
    do {
      for try await _ in queue.rows(
        .column(.int), sql: "SELECT iif(a < 100, a, 'x') FROM t")
      { count += 1 }
      Issue.record("It went on")
    } catch SQLiteError.mismatch {
      #expect(count <= 100)
    }
    try await queue.perform { try $0.execute(sql: "DROP TABLE t") }
  }

  @Test(arguments: [
    "SELECT iif(a < 699, a, 'x') FROM t",
    "SELECT iif(a < 699, a, abs(-9223372036854775808)) FROM t",
    "DELETE FROM t WHERE a < 1000 RETURNING iif(a < 699, a, 'x')",
  ])
  func `a row stream emits the rows before a failing row, then throws`(sql: String) async throws {
    var found: [Int] = []
    var values = queue.rows(.column(.int), sql: sql).makeAsyncIterator()
    await #expect(throws: SQLiteError.self) {
      while let value = try await values.next() { found.append(value) }
    }
    #expect(found == Array(0..<699))
    #expect(try await values.next() == nil)
    try await queue.perform { try $0.execute(sql: "DROP TABLE t") }
  }

  @Test func `a stream of DELETE RETURNING deletes the rows and emits all of them`() async throws {
    var found: [Int] = []
    for try await value in queue.rows(
      .column(.int), sql: "DELETE FROM t WHERE a < 1000 RETURNING a")
    { found.append(value) }
    #expect(found == Array(0..<1000))
    #expect(try await queue.perform { try $0.integers("SELECT count(*) FROM t") } == [1000])
  }

  @Test func `a stream throws and ends after a rollback and the closing of its connection`()
    async throws
  {
    var iterator = queue.rows(.column(.int), sql: "SELECT a FROM t").makeAsyncIterator()
    _ = try await iterator.next()
    try await queue.transaction { connection, command in
      try connection.execute(sql: "CREATE TABLE other(a)")
      command = .rollback
    }
    try await queue.perform { try $0.close() }
    await #expect(throws: SQLiteError.self) { while try await iterator.next() != nil {} }
    #expect(try await iterator.next() == nil)
  }

  #if os(Linux)
    @Test(
      .enabled(if: allocations_are_counted(), "A sanitizer keeps memory that was freed."))
    func `a stream of a million rows adds less than 10 MB of peak memory`() async {
      await #expect(processExitsWith: .success) {
        let queue = try ConnectionQueue()
        func walk(_ rows: Int) async throws -> Int {
          var sum = 0
          for try await text in queue.rows(
            .column(.string),
            sql: """
              WITH RECURSIVE numbers(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM numbers LIMIT ?)
              SELECT printf('%0100d', n) FROM numbers
              """, parameters: .int(rows))
          {
            sum += text.utf8.count
          }
          return sum
        }
        #expect(try await walk(10_000) == 1_000_000)
        let before = try peakMemory()
        #expect(try await walk(1_000_000) == 100_000_000)
        let growth = try peakMemory() - before
        #expect(growth < 10_000_000, "\(growth) bytes")
      }
    }
  #endif
}

/// Returns SQL that selects the numbers from 0 up to, but not including, `end`.
private func numbers(to end: Int) -> String {
  """
  WITH RECURSIVE numbers(n) AS (VALUES (0) UNION ALL SELECT n + 1 FROM numbers LIMIT \(end))
  SELECT n FROM numbers
  """
}
