import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.observation), .timeLimit(.minutes(10))) struct `row publishers of a queue` {
  private let queue: ConnectionQueue

  init() throws {
    queue = try ConnectionQueue()
    try queue.sync { connection in
      try connection.execute(
        sql: """
          CREATE TABLE t(a);
          WITH RECURSIVE numbers(n) AS (VALUES (0) UNION ALL SELECT n + 1 FROM numbers WHERE n < 999)
          INSERT INTO t SELECT n FROM numbers
          """)
    }
  }

  private var numbers: ValuePublisher<Int> {
    queue.rowPublisher(sql: "SELECT a FROM t").mapRows(.column(.int))
  }

  @Test func `a row publisher delivers only as many rows as demanded, and demand adds up`() throws {
    let recorder = Recorder<Int>(.max(300))
    numbers.subscribe(recorder)
    queue.settle()
    #expect(recorder.values == Array(0..<300))
    recorder.subscription?.request(.max(1))
    recorder.subscription?.request(.max(1))
    queue.settle()
    #expect(recorder.values == Array(0..<302))
    recorder.subscription?.request(.unlimited)
    queue.settle()
    #expect(recorder.values == Array(0..<1000))
    #expect(recorder.ends == 1)
    recorder.subscription?.request(.unlimited)
    queue.settle()
    #expect(recorder.log.entries.count == 1002)
  }

  @Test func `a subscriber can use the queue while rows are delivered`() throws {
    let queue = queue
    let recorder = Recorder<Int>(.max(1)) { me, _ in
      #expect(throws: Never.self) { try queue.sync { try $0.execute(sql: "SELECT 1") } }
      return .max(1)
    }
    numbers.subscribe(recorder)
    queue.settle()
    while recorder.ends == 0 { queue.settle() }
    #expect(recorder.values == Array(0..<1000))
  }

  @Test func `a table can be dropped after a subscription to its rows is cancelled`() throws {
    let recorder = Recorder<Int>(.unlimited) { me, value in
      if value == 3 { me.subscription?.cancel() }
      return .none
    }
    numbers.subscribe(recorder)
    queue.settle()
    #expect(recorder.values == [0, 1, 2, 3])
    #expect(recorder.ends == 0)
    try queue.sync { try $0.execute(sql: "DROP TABLE t") }
  }

  @Test func `a table can be dropped after a subscription to its rows is deallocated`() throws {
    do {
      let log = SharedLog<Int>()
      let subscription = numbers.sink { _ in
      } receiveValue: {
        log.append($0)
      }
      queue.settle()
      withExtendedLifetime(subscription) {}
    }
    try queue.sync { try $0.execute(sql: "DROP TABLE t") }
  }

  @Test func `a RETURNING statement finishes writing before all its rows are demanded`() throws {
    let recorder = Recorder<Int>(.max(2))
    queue.rowPublisher(sql: "DELETE FROM t WHERE a < 5 RETURNING a").mapRows(.column(.int))
      .subscribe(recorder)
    queue.settle()
    #expect(recorder.values == [0, 1])
    #expect(try queue.sync { try $0.first(.column(.int), sql: "SELECT count(*) FROM t") } == 995)
    recorder.subscription?.request(.unlimited)
    queue.settle()
    #expect(recorder.values == [0, 1, 2, 3, 4])
    #expect(recorder.ends == 1)
  }

  @Test func `a row publisher reports an error once`() throws {
    let recorder = Recorder<Int>(.unlimited)
    queue.rowPublisher(sql: "SELECT nothing FROM t").mapRows(.column(.int)).subscribe(recorder)
    queue.settle()
    #expect(recorder.error is SQLiteError)
    #expect(recorder.log.entries.count == 2)
  }

  @Test func `a row publisher delivers the rows before a failing row, then the error`() throws {
    let recorder = Recorder<Int>(.unlimited)
    queue.rowPublisher(sql: "SELECT iif(a < 699, a, 'x') FROM t").mapRows(.column(.int))
      .subscribe(recorder)
    while recorder.ends == 0 { queue.settle() }
    #expect(recorder.values == Array(0..<699))
    #expect((recorder.error as? SQLiteError)?.code == .mismatch)
  }

  @Test func `the iterator of a row publisher returns each value and then nil`() async throws {
    var iterator = queue.rowPublisher("SELECT a FROM t WHERE a < \(3)").mapRows(.column(.int))
      .makeAsyncIterator()
    var found: [Int] = []
    while let value = try await iterator.next() { found.append(value) }
    #expect(found == [0, 1, 2])
    #expect(try await iterator.next() == nil)
  }

  @Test func `iterating rows in a cancelled task throws CancellationError and locks no table`()
    async throws
  {
    let numbers = numbers
    let task = Task {
      var iterator = numbers.makeAsyncIterator()
      _ = try await iterator.next()
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      return try await iterator.next()
    }
    await #expect(throws: CancellationError.self) { _ = try await task.value }
    try await queue.perform { try $0.execute(sql: "DROP TABLE t") }
  }
}
