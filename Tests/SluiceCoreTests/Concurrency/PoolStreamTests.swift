import Dispatch
import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.concurrency), .timeLimit(.minutes(10))) struct `row streams of a pool` {
  private let folder: TestFolder
  private let pool: ConnectionPool
  private static let sql = "SELECT a FROM t ORDER BY a"
  private static let setup = """
    CREATE TABLE t(a);
    INSERT INTO t WITH c(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM c WHERE x < 1000) SELECT x FROM c
    """

  init() throws {
    folder = try TestFolder()
    pool = try ConnectionPool(path: folder.file(), readers: 1)
    try pool.syncWrite { try $0.execute(sql: Self.setup) }
  }

  @Test func `a stream of a pool emits the rows as of its start, despite later writes`()
    async throws
  {
    var found: [Int] = []
    for try await value in pool.rows(.column(.int), sql: Self.sql) {
      found.append(value)
      if value == 100 { try await pool.write { try $0.execute(sql: "DELETE FROM t") } }
    }
    #expect(found == Array(1...1000))
    #expect(pool.status.busyReaderCount == 0)
    #expect(try await pool.read { try $0.integers("SELECT count(*) FROM t") } == [0])
  }

  @Test
  func `a stream of a pool emits the rows before a failing row, then throws and frees its reader`()
    async throws
  {
    var found: [Int] = []
    await #expect(throws: SQLiteError.self) {
      for try await value in pool.rows(
        .column(.int), sql: "SELECT iif(a < 700, a, 'x') FROM t ORDER BY a")
      { found.append(value) }
    }
    #expect(found == Array(1..<700))
    #expect(try await pool.read { try $0.integers("SELECT 1") } == [1])
  }

  @Test func `a stream occupies its reader until its iterator is released`() async throws {
    try await inTime { [self] () async throws in
      let pool = pool
      var values = Optional(pool.rows(.column(.int), sql: Self.sql).makeAsyncIterator())
      #expect(try await values?.next() == 1)
      #expect(pool.status.busyReaderCount == 1)
      let reading = Task { try await pool.read { try $0.integers("SELECT 1") } }
      while pool.status.waitingReadCount == 0 { await Task.yield() }
      #expect(try await values?.next() == 2)
      values = nil
      #expect(try await reading.value == [1])
      #expect(pool.status.busyReaderCount == 0)
      // No read transaction is open, so a checkpoint can truncate the WAL.
      #expect(try await pool.perform { try $0.checkpoint(.truncate) }.isComplete)
    }
  }

  @Test func `cancelling a stream frees its reader, or ends its wait for a reader`() async throws {
    let pool = pool
    let reading = Task {
      for try await value in pool.rows(.column(.int), sql: Self.sql) where value == 20 {
        unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      }
    }
    #expect(await failure(of: reading) is CancellationError)
    var values = pool.rows(.column(.int), sql: Self.sql).makeAsyncIterator()
    #expect(try await values.next() == 1)
    let waiting = Task {
      for try await _ in pool.rows(.column(.int), sql: Self.sql) {}
    }
    while pool.status.waitingReadCount == 0 { await Task.yield() }
    waiting.cancel()
    #expect(await failure(of: waiting) is CancellationError)
    #expect(pool.status.waitingReadCount == 0)
    #expect(try await values.next() == 2)
  }

  @Test func `a stream that throws frees its reader`() async throws {
    try await inTime { [self] () async throws in
      for sql in [
        "SELECT nothing", "SELECT iif(a < 100, a, 'x') FROM t", "INSERT INTO t VALUES (1)",
      ] {
        let error = await awaitedFailure {
          for try await _ in pool.rows(.column(.int), sql: sql) {}
        }
        #expect(error != nil)
        #expect(try await pool.read { $0.isInAutocommit } == false)
      }
      #expect(pool.status.busyReaderCount == 0)
    }
  }

  @Test(arguments: CloseMode.allCases)
  func `closing a pool does not wait for a stream that is no longer read`(
    _ mode: CloseMode
  ) async throws {
    try await inTime { [pool] () async throws in
      var values = pool.rows(.column(.int), sql: Self.sql).makeAsyncIterator()
      #expect(try await values.next() == 1)
      try await pool.close(mode)
      let error = await awaitedFailure { while try await values.next() != nil {} }
      #expect(error?.code == .misuseClosed)
    }
  }

  @Test func `suspending a pool ends its streams, and the pool can read again after resuming`()
    async throws
  {
    var values = pool.rows(.column(.int), sql: Self.sql).makeAsyncIterator()
    #expect(try await values.next() == 1)
    try await pool.suspend()
    let other = try Connection(path: folder.file(), configuration: .impatient)
    try other.execute(sql: "DELETE FROM t")
    #expect(try !other.checkpoint(.truncate).isBusy)
    pool.resume()
    let error = await awaitedFailure { while try await values.next() != nil {} }
    #expect(error?.code == .interrupt)
    #expect(try await pool.read { try $0.integers("SELECT count(*) FROM t") } == [0])
  }

  @Test func `a stream of an in-memory pool emits rows but cannot write`() async throws {
    let pool = try ConnectionPool()
    try await pool.write { try $0.execute(sql: Self.setup) }
    var found: [Int] = []
    for try await value in pool.rows(.column(.int), sql: Self.sql) { found.append(value) }
    #expect(found == Array(1...1000))
    let error = await awaitedFailure {
      for try await _ in pool.rows(.column(.int), sql: "DELETE FROM t RETURNING a") {}
    }
    #expect(error?.code == .readOnly)
    #expect(try await pool.read { try $0.integers("SELECT count(*) FROM t") } == [1000])
  }

  @Test func `a row publisher follows demand, and cancelling its subscription frees the reader`()
    async throws
  {
    let recorder = Recorder<Int>(.max(3))
    pool.rowPublisher(sql: Self.sql).mapRows(.column(.int)).subscribe(recorder)
    while recorder.values.count < 3 { await Task.yield() }
    #expect(recorder.values == [1, 2, 3])
    recorder.subscription?.cancel()
    #expect(try await pool.read { try $0.integers("SELECT count(*) FROM t") } == [1000])
    let all = Recorder<Int>(.unlimited)
    pool.rowPublisher(sql: Self.sql).mapRows(.column(.int)).subscribe(all)
    while all.ends == 0 { await Task.yield() }
    #expect(all.values == Array(1...1000))
  }

  @Test func `twenty concurrent streams can share two readers`() async throws {
    let pool = try ConnectionPool(path: folder.file(), readers: 2)
    let sums = try await withThrowingTaskGroup(of: Int.self) { tasks in
      for _ in 0..<20 {
        tasks.addTask {
          var sum = 0
          for try await value in pool.rows(.column(.int), sql: Self.sql) { sum += value }
          return sum
        }
      }
      return try await tasks.reduce(into: []) { $0.append($1) }
    }
    #expect(sums == Array(repeating: 500_500, count: 20))
    #expect(pool.status.openReaderCount <= 2)
    #expect(pool.status.busyReaderCount == 0)
  }
}
