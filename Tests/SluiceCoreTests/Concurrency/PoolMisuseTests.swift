import Dispatch
import Foundation
import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.concurrency), .timeLimit(.minutes(10))) struct `misuse of a pool` {
  private let folder: TestFolder
  private let pool: ConnectionPool
  private static let count = "SELECT count(*) FROM t"

  init() throws {
    folder = try TestFolder()
    pool = try ConnectionPool(path: folder.file(), readers: 1)
    try pool.syncWrite { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
  }

  /// Returns whether a write succeeds and the read after it finds `rows` rows.
  private func serves(rows: Int) async throws -> Bool {
    try await pool.write { _ in }
    return try await pool.read { try $0.integers(Self.count) } == [rows]
  }

  @Test(arguments: [
    "BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT a", "PRAGMA query_only = 0; DELETE FROM t",
    "ATTACH ':memory:' AS other", "PRAGMA journal_mode = DELETE",
  ])
  func `a pool remains usable after a read runs SQL that changes transactions or settings`(
    _ sql: String
  )
    async throws
  {
    _ = await awaitedFailure { try await pool.read { try $0.execute(sql: sql) } }
    #expect(try await serves(rows: 1))
    #expect(pool.status.busyReaderCount == 0)
  }

  @Test(arguments: ["BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT a", "RELEASE a", "VACUUM"])
  func `a pool remains usable after a stream or an observation runs transaction SQL`(_ sql: String)
    async throws
  {
    _ = await awaitedFailure { for try await _ in pool.rows(.values, sql: sql) {} }
    _ = await awaitedFailure {
      for try await _ in pool.observe({ try $0.execute(sql: sql) }) { break }
    }
    #expect(try await serves(rows: 1))
    #expect(pool.status.busyReaderCount == 0)
  }

  @Test
  func
    `an observation ends if its closure writes, calls the pool, or closes or replaces the connection`()
    async throws
  {
    let pool = pool
    typealias Fetch = @Sendable (inout sending Connection) throws -> Int
    let fetches: [Fetch] = [
      { connection in
        try connection.close()
        return 1
      },
      { connection in
        connection = try Connection()
        return 1
      },
      { _ in try pool.syncRead { _ in 1 } },
      { _ in try pool.syncWrite { _ in 1 } },
      { connection in
        try connection.execute(sql: "INSERT INTO t VALUES (2)")
        return 1
      },
    ]
    for fetch in fetches {
      let error = await awaitedFailure { for try await _ in pool.observe(fetch) { break } }
      #expect([.misuse, .readOnly].contains(error?.code))
      #expect(try await serves(rows: 1))
    }
  }

  @Test(arguments: [1, 2])
  func `a preparation closure cannot call its pool, and the pool remains usable`(_ readers: Int)
    async throws
  {
    // The pool retains the closure, which must not retain the pool.
    let pools = SharedLog<@Sendable () -> ConnectionPool?>()
    let codes = SharedLog<ResultCode?>()
    var configuration = Configuration()
    configuration.prepareConnection { _ in
      guard let pool = pools.entries.first?() else { return }
      codes.append(failure { try pool.syncRead { _ in } }?.code)
      codes.append(failure { try pool.syncRead(deadline: .now + .seconds(1)) { _ in } }?.code)
      codes.append(failure { try pool.syncWrite { _ in } }?.code)
      codes.append(failure { try pool.syncClose() }?.code)
    }
    let pool = try ConnectionPool(
      path: folder.file(), readers: readers, configuration: configuration)
    pools.append { [weak pool] in pool }
    let deadline = ContinuousClock.now + .seconds(patience)
    #expect(try await pool.read(deadline: deadline) { try $0.integers(Self.count) } == [1])
    #expect(codes.entries == [.misuse, .misuse, .misuse, .misuse])
    #expect(try await pool.read(deadline: deadline) { try $0.integers(Self.count) } == [1])
    try await pool.close()
  }

  @Test(arguments: [true, false])
  func `an observation ends if a write closes or replaces the pool's write connection`(
    _ closes: Bool
  ) async throws {
    let pool = pool
    let recorder = Recorder<[Int]>(.unlimited)
    pool.observe(.column(.int), sql: Self.count).subscribe(recorder)
    await pool.settle()
    _ = await awaitedFailure {
      try await pool.perform { connection in
        if closes { try connection.close() } else { connection = try Connection() }
      }
    }
    while recorder.ends == 0 { await Task.yield() }
    #expect((recorder.error as? SQLiteError)?.code == (closes ? .misuseClosed : .misuse))
  }

  @Test func `a converter that calls the pool, closes the pool or throws ends its stream`()
    async throws
  {
    let pool = pool
    let converters = [
      RowConverter<Int> { _ in try pool.syncRead { _ in 1 } },
      RowConverter<Int> { _ in
        try pool.syncClose(.interrupt)
        return 1
      },
      RowConverter<Int> { _ in throw SQLiteError(.range, "no") },
    ]
    for converter in converters {
      let error = await awaitedFailure {
        for try await _ in pool.rows(converter, sql: "SELECT a FROM t") {}
      }
      #expect([.misuse, .range].contains(error?.code))
      #expect(try await serves(rows: 1))
    }
  }

  @Test func `copies of an iterator share one reader, which returns to the pool`() async throws {
    var first = pool.rows(.column(.int), sql: "VALUES (1), (2), (3)").makeAsyncIterator()
    var second = first
    #expect(try await first.next() == 1)
    // The rows belong to the first iterator, so the second one may throw.
    _ = await awaitedFailure { while try await second.next() != nil {} }
    _ = await awaitedFailure { while try await first.next() != nil {} }
    #expect(try await serves(rows: 1))
    #expect(pool.status.busyReaderCount == 0)
  }

  @Test func `reads and observations of a pool throw cantOpen after its file is deleted`()
    async throws
  {
    let recorder = Recorder<[Int]>(.unlimited)
    try FileManager.default.removeItem(atPath: folder.path)
    pool.observe(.column(.int), sql: Self.count).subscribe(recorder)
    while recorder.ends == 0 { await Task.yield() }
    #expect((recorder.error as? SQLiteError)?.code.primary == .cantOpen)
    let error = await awaitedFailure { try await pool.read { _ in } }
    #expect(error?.code.primary == .cantOpen)
    #expect(pool.status.busyReaderCount == 0)
    try await pool.close()
  }

  @Test func `an observation emits nothing more after its own closure cancels it`() async throws {
    let recorder = Recorder<Int>(.unlimited)
    let runs = Counter()
    pool.observe { [recorder] connection in
      runs.add()
      recorder.subscription?.cancel()
      try connection.execute(sql: EndlessWork.sql)
      return 1
    }.subscribe(recorder)
    while runs.count == 0 { await Task.yield() }
    #expect(try await serves(rows: 1))
    #expect(recorder.values.isEmpty && recorder.ends == 0)
  }

  @Test func `a pool and a queue remain usable after concurrent suspends and resumes`() async throws
  {
    let pool = try ConnectionPool(path: folder.file(), readers: 3)
    let queue = try ConnectionQueue(path: folder.file())
    let isDone = await apart {
      concurrently(6) { number in
        for step in 0..<100 {
          if (step + number) % 2 == 0 {
            #expect(failure { try pool.syncSuspend() } == nil)
            #expect(failure { try queue.syncSuspend() } == nil)
          } else {
            pool.resume()
            queue.resume()
          }
        }
      }
    }
    #expect(isDone)
    pool.resume()
    queue.resume()
    #expect(try await pool.read { try $0.integers(Self.count) } == [1])
    #expect(try await queue.perform { try $0.integers(Self.count) } == [1])
  }

  @Test(arguments: CloseMode.allCases)
  func `concurrent calls to close a pool do not throw`(_ mode: CloseMode) async throws {
    let pool = try ConnectionPool(path: folder.file(), readers: 3)
    let reading = Task {
      while true { _ = try await pool.read { try $0.integers(Self.count) } }
    }
    while pool.status.openReaderCount == 0 { await Task.yield() }
    await withTaskGroup(of: Void.self) { tasks in
      for _ in 0..<8 {
        tasks.addTask { #expect(await awaitedFailure { try await pool.close(mode) } == nil) }
      }
    }
    #expect(await awaitedFailure { try await reading.value } != nil)
    #expect(pool.status.openReaderCount == 0)
  }
}
