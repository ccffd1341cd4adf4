import CSluice
import Dispatch
import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.concurrency), .timeLimit(.minutes(10))) struct `suspended queues and pools` {
  let folder: TestFolder
  let queue: ConnectionQueue
  let endless = EndlessWork()

  init() throws {
    folder = try TestFolder()
    var configuration = Configuration()
    configuration.journalMode = .wal
    configuration.busyTimeout = .seconds(600)
    queue = try ConnectionQueue(path: folder.file(), configuration: configuration)
    try queue.sync { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
  }

  /// Returns whether another connection can write and truncate the WAL, which any remaining lock prevents.
  private func isFree() throws -> Bool {
    let other = try Connection(path: folder.file(), configuration: .impatient)
    try other.execute(sql: "BEGIN EXCLUSIVE; COMMIT")
    return try !other.checkpoint(.truncate).isBusy
  }

  @Test func `suspending a queue interrupts the running call, and waiting calls run on resume`()
    async throws
  {
    let running = Task {
      try await queue.transaction { connection, _ in
        try connection.execute(sql: "INSERT INTO t VALUES (2)")
        try endless.run(connection)
      }
    }
    #expect(await endless.hasBegun())
    let waiting = Task { try await queue.perform { try $0.integers("SELECT count(*) FROM t") } }
    try await queue.suspend()
    #expect(await awaitedFailure { try await running.value }?.code == .interrupt)
    #expect(try isFree())
    let later = Task { try await queue.perform { try $0.execute(sql: "INSERT INTO t VALUES (3)") } }
    let group = DispatchGroup()
    DispatchQueue(label: "thread").async(group: group) {
      #expect(failure { try queue.sync { try $0.execute(sql: "INSERT INTO t VALUES (4)") } } == nil)
    }
    await #expect(throws: DeadlineError.self) {
      try await queue.perform(deadline: .now + .milliseconds(20)) { _ in }
    }
    let cancelled = Task { try await queue.perform { _ in } }
    cancelled.cancel()
    #expect(await failure(of: cancelled) is CancellationError)
    #expect(try Connection(path: folder.file()).integers("SELECT count(*) FROM t") == [1])
    try await queue.suspend()
    queue.resume()
    queue.resume()
    #expect(try await waiting.value[0] >= 1)
    try await later.value
    #expect(await apart { group.finishes() })
    #expect(try await queue.serves(rows: 3))
  }

  @Test func `suspending a queue interrupts a synchronous call that waits for a lock`()
    throws
  {
    let other = try Connection(path: folder.file())
    try other.begin(.immediate)
    let group = DispatchGroup()
    DispatchQueue(label: "thread").async(group: group) {
      let error = failure {
        try queue.sync { connection in
          try endless.begin(connection)
          _ = failure { try connection.execute(sql: "INSERT INTO t VALUES (2)") }
          try connection.execute(sql: "SELECT 1")
        }
      }
      #expect(error?.code == .interrupt)
    }
    #expect(endless.begun.pass())
    try queue.syncSuspend()
    #expect(group.finishes())
    try other.rollback()
    #expect(try isFree())
    queue.resume()
    #expect(try queue.sync { try $0.integers("SELECT a FROM t") } == [1])
  }

  @Test func `suspending a read queue ends its open read transaction`() async throws {
    let reader = try ConnectionReadQueue(writeQueue: queue)
    try await reader.perform { try $0.beginReadTransaction() }
    try await queue.perform { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
    #expect(try !isFree())
    try await reader.suspend()
    #expect(try isFree())
    reader.resume()
    #expect(try await reader.perform { try $0.integers("SELECT count(*) FROM t") } == [2])
  }

  @Test func `suspending a pool interrupts running calls, and waiting calls run on resume`()
    async throws
  {
    try await inTime { [self] () async throws in
      let pool = try ConnectionPool(path: folder.file(), readers: 2)
      let running = [
        Task { try await pool.read { try endless.run($0) } },
        Task {
          try await pool.write { connection in
            try connection.execute(sql: "INSERT INTO t VALUES (2)")
            try endless.run(connection)
          }
        },
      ]
      #expect(await endless.hasBegun())
      #expect(await endless.hasBegun())
      try await pool.suspend()
      for task in running {
        #expect(await awaitedFailure { try await task.value }?.code == .interrupt)
      }
      #expect(try isFree())
      let later = [
        Task { try await pool.read { try $0.integers("SELECT count(*) FROM t") } },
        Task { try await pool.write { try $0.integers("SELECT count(*) FROM t") } },
      ]
      while pool.status.waitingReadCount == 0 || pool.status.waitingWriteCount < 1 {
        await Task.yield()
      }
      pool.resume()
      for task in later { #expect(try await task.value == [1]) }
    }
  }

  @Test func `a suspended queue closes only with interrupt, and can be released`()
    async throws
  {
    try await inTime { [self] () async throws in
      try await queue.suspend()
      #expect(await awaitedFailure { try await queue.close() }?.code == .misuse)
      try await queue.close(.interrupt)
      #expect(await awaitedFailure { try await queue.perform { _ in } }?.code == .misuseClosed)
      let other = try ConnectionQueue()
      try await other.suspend()
      // Release the suspended queue, which Dispatch would not allow for a dispatch queue.
      _ = consume other
    }
  }
}

@Suite(.tags(.concurrency), .timeLimit(.minutes(10))) struct `closing queues and pools` {
  let folder: TestFolder
  let endless = EndlessWork()

  init() throws { folder = try TestFolder() }

  private func pool() throws -> ConnectionPool {
    let pool = try ConnectionPool(path: folder.file(), readers: 1)
    try pool.syncWrite { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
    return pool
  }

  @Test func `closing a pool completes earlier calls`() async throws {
    let pool = try pool()
    let gate = Gate()
    let tasks = [
      Task {
        try await pool.read { connection in
          endless.begun.open()
          #expect(gate.pass())
          return try connection.integers("SELECT a FROM t")
        }
      },
      Task {
        try await pool.write { connection in
          endless.begun.open()
          #expect(gate.pass())
          return try connection.integers("SELECT a FROM t")
        }
      },
    ]
    #expect(await endless.hasBegun())
    #expect(await endless.hasBegun())
    let waiting = Task { try await pool.read { try $0.integers("SELECT a FROM t") } }
    while pool.status.waitingReadCount == 0 { await Task.yield() }
    let closing = Task { try await pool.close() }
    gate.open()
    gate.open()
    for task in tasks { #expect(try await task.value == [1]) }
    #expect(try await waiting.value == [1])
    try await closing.value
    #expect(await awaitedFailure { try await pool.read { _ in } }?.code == .misuseClosed)
    #expect(await awaitedFailure { try await pool.write { _ in } }?.code == .misuseClosed)
    try await pool.close()
    try await pool.close(.interrupt)
  }

  @Test func `closing a pool with interrupt stops running calls and rejects waiting calls`()
    async throws
  {
    let pool = try pool()
    let runs = Counter()
    let running = [
      Task { try await pool.read { try endless.run($0) } },
      Task {
        try await pool.write { connection in
          try connection.execute(sql: "INSERT INTO t VALUES (2)")
          try endless.run(connection)
        }
      },
    ]
    #expect(await endless.hasBegun())
    #expect(await endless.hasBegun())
    let waiting = [
      Task { try await pool.read { _ in runs.add() } },
      Task { try await pool.write { _ in runs.add() } },
    ]
    while pool.status.waitingReadCount == 0 || pool.status.waitingWriteCount < 1 {
      await Task.yield()
    }
    try await pool.close(.interrupt)
    for task in running {
      #expect(await awaitedFailure { try await task.value }?.code == .interrupt)
    }
    for task in waiting {
      #expect(await awaitedFailure { try await task.value }?.code == .misuseClosed)
    }
    #expect(runs.count == 0)
    #expect(try Connection(path: folder.file()).integers("SELECT a FROM t") == [1])
  }

  @Test func `closing a pool stops a statement that begins just after the interrupt`() async throws
  {
    let pool = try pool()
    let (isLent, isClosing) = (Gate(), Gate())
    let running = Task {
      try await pool.read { connection in
        try unsafe connection.withUnsafeHandle { handle in
          isLent.open()
          _ = isClosing.pass()
          // The interrupt arrives now, while no statement runs, so SQLite forgets it when the next one begins.
          sqlite3_sleep(20)
          return unsafe sqlite3_exec(handle, EndlessWork.sql, nil, nil, nil)
        }
      }
    }
    #expect(await apart { isLent.pass() })
    let waiting = Task { try await pool.read { _ in } }
    while pool.status.waitingReadCount == 0 { await Task.yield() }
    let rejected = Task {
      defer { isClosing.open() }
      return await awaitedFailure { try await waiting.value }?.code
    }
    try await pool.close(.interrupt)
    #expect(await rejected.value == .misuseClosed)
    do { #expect(try await running.value == SQLITE_INTERRUPT) } catch SQLiteError.interrupt {}
  }

  @Test func `closing a queue with interrupt stops running calls and rejects waiting calls`()
    async throws
  {
    let queue = try ConnectionQueue(path: folder.file())
    let runs = Counter()
    let running = Task { try await queue.perform { try endless.run($0) } }
    #expect(await endless.hasBegun())
    let waiting = Task { try await queue.perform { _ in runs.add() } }
    try await queue.close(.interrupt)
    #expect(await awaitedFailure { try await running.value }?.code == .interrupt)
    #expect(await awaitedFailure { try await waiting.value }?.code == .misuseClosed)
    #expect(runs.count == 0)
  }

  @Test func `closing a pool empties the WAL while another connection is open`() async throws {
    let pool = try pool()
    let other = try Connection(path: folder.file())
    _ = try other.integers("SELECT a FROM t")
    #expect((pool.status.walSize ?? 0) > 0)
    try await pool.close()
    #expect(pool.status.walSize == 0)
  }

  @Test func `closing a queue empties the WAL while another connection is open`() async throws {
    let queue = try ConnectionQueue(path: folder.file())
    let other = try ConnectionPool(path: folder.file())
    try await queue.perform { try $0.execute(sql: "CREATE TABLE t(a)") }
    _ = try await other.perform { try $0.integers("SELECT a FROM t") }
    #expect((other.status.walSize ?? 0) > 0)
    try await queue.close()
    #expect(other.status.walSize == 0)
  }

  @Test func `suspending a closing pool interrupts the pool's reads and makes the close throw`()
    async throws
  {
    let pool = try pool()
    try await inTime { [endless] () async throws in
      let running = Task { try await pool.read { try endless.run($0) } }
      #expect(await endless.hasBegun())
      let waiting = Task { try await pool.read { _ in } }
      while pool.status.waitingReadCount == 0 { await Task.yield() }
      let closing = Task { try await pool.close() }
      // As soon as the pool is closing, a new read throws at once.
      var isClosing = false
      while !isClosing {
        let late = Task { try await pool.read(deadline: .now + .milliseconds(5)) { _ in } }
        isClosing = (await failure(of: late) as? SQLiteError)?.code == .misuseClosed
      }
      try await pool.suspend()
      #expect(await awaitedFailure { try await running.value }?.code == .interrupt)
      waiting.cancel()
      #expect(await failure(of: waiting) is CancellationError)
      #expect((await failure(of: closing) as? SQLiteError)?.code == .misuse)
    }
  }

  @Test func `the pool status does not count a suspension as a waiting write`() async throws {
    let pool = try pool()
    try await pool.suspend()
    #expect(pool.status.waitingWriteCount == 0)
    pool.resume()
    #expect(pool.status.waitingWriteCount == 0)
  }
}
