import SluiceCore
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct `pool barriers` {
  let folder: TestFolder
  let pool: ConnectionPool

  init() throws {
    folder = try TestFolder()
    pool = try ConnectionPool(path: folder.file(), readers: 3)
    try pool.sync { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
  }

  @Test func `no read of a pool runs during a barrier`() async throws {
    let (begun, ended) = (Counter(), Counter())
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      for number in 0..<6 {
        tasks.addTask {
          for _ in 0..<200 {
            if number % 2 == 0 {
              try await pool.read { _ in
                begun.add()
                ended.add()
              }
            } else {
              #expect(
                await apart {
                  failure {
                    try pool.syncRead { _ in
                      begun.add()
                      ended.add()
                    }
                  }
                } == nil)
            }
          }
        }
      }
      for _ in 0..<2 {
        tasks.addTask {
          for _ in 0..<30 {
            try await pool.barrier { connection in
              for _ in 0..<100 { #expect(begun.count == ended.count) }
              try connection.execute(sql: "UPDATE t SET a = a + 1")
            }
          }
        }
      }
      try await tasks.waitForAll()
    }
    #expect(try await pool.read { try $0.integers("SELECT a FROM t") } == [61])
  }

  @Test func `a barrier waits for a running read, and reads that start later wait for the barrier`()
    async throws
  {
    let (begun, gate, order) = (Gate(), Gate(), SharedLog<String>())
    let read = Task {
      try await pool.read { _ in
        begun.open()
        #expect(gate.pass())
        order.append("read")
      }
    }
    #expect(await apart { begun.pass() })
    let barrier = Task { try await pool.barrier { _ in order.append("barrier") } }
    // Reads run, one at a time, until the barrier makes one wait. More reads could wait for each other.
    var later: [Task<Void, any Error>] = []
    while pool.status.waitingReadCount == 0 {
      if order.entries.count == later.count {
        later.append(Task { try await pool.read { _ in order.append("later") } })
      }
      await Task.yield()
    }
    #expect(!order.entries.contains("barrier"))
    gate.open()
    for task in later + [read, barrier] { try await task.value }
    let entries = order.entries
    let place = try #require(entries.firstIndex(of: "barrier"))
    #expect(entries[..<place].contains("read"))
    #expect(entries.last == "later")
  }

  @Test(arguments: [false, true]) func `a cancellation or a passed deadline ends a waiting barrier`(
    isCancelled: Bool
  ) async throws {
    let (begun, gate) = (Gate(), Gate())
    let read = Task {
      try await pool.read { _ in
        begun.open()
        #expect(gate.pass())
      }
    }
    #expect(await apart { begun.pass() })
    let deadline = isCancelled ? nil : ContinuousClock.now + .milliseconds(20)
    let barrier = Task {
      try await pool.barrier(deadline: deadline) { _ in Issue.record("it ran") }
    }
    if isCancelled {
      while pool.status.waitingReadCount == 0 {
        Task { try await pool.read { _ in } }
        await Task.yield()
      }
      barrier.cancel()
      #expect(await failure(of: barrier) is CancellationError)
    } else {
      #expect(await failure(of: barrier) is DeadlineError)
    }
    // Other accesses run again, although the first read still runs.
    try await pool.read { _ in }
    try await pool.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
    gate.open()
    try await read.value
  }

  @Test func `a barrier waits for an open stream of rows`() async throws {
    try await pool.write { connection in
      for value in 2...1_000 { try connection.execute("INSERT INTO t VALUES (\(value))") }
    }
    var rows = pool.rows(.column(.int), sql: "SELECT a FROM t").makeAsyncIterator()
    #expect(try await rows.next() == 1)
    await #expect(throws: DeadlineError.self) {
      try await pool.barrier(deadline: .now + .milliseconds(20)) { _ in Issue.record("it ran") }
    }
    while try await rows.next() != nil {}
    #expect(try await pool.barrier { try $0.integers("SELECT count(*) FROM t") } == [1_000])
  }

  @Test func `a barrier inside another access, or another access inside a barrier, throws misuse`()
    async throws
  {
    let nested = { @Sendable [pool] () throws in try pool.syncBarrier { _ in } }
    for error in [
      await awaitedFailure { try await pool.read { _ in try nested() } },
      await awaitedFailure { try await pool.perform { _ in try nested() } },
      await awaitedFailure { try await pool.barrier { _ in try nested() } },
      await awaitedFailure { [pool] in
        try await pool.barrier { _ in try pool.syncRead { _ in } }
      },
    ] {
      #expect(error?.code == .misuse)
    }
    #expect(try await pool.read { try $0.integers("SELECT a FROM t") } == [1])
  }

  @Test func `each form of a barrier runs on a file pool and on an in-memory pool`() async throws {
    for pool in [self.pool, try ConnectionPool()] {
      try await pool.perform { try $0.execute(sql: "CREATE TABLE IF NOT EXISTS u(a)") }
      #expect(
        await apart {
          try? pool.syncBarrier {
            try $0.vacuum()
            return 1
          }
        } == 1)
      #expect(
        try await pool.barrier { connection in
          try connection.vacuum()
          return 2
        } == 2)
      let answer = await withCheckedContinuation { continuation in
        pool.asyncBarrier {
          try $0.vacuum()
          return 3
        } completion: {
          continuation.resume(returning: $0)
        }
      }
      #expect(try answer.get() == 3)
      let error = await awaitedFailure { try await pool.barrier { try $0.execute(sql: "x") } }
      #expect(error?.code == .error)
      #expect(try await pool.read { try $0.integers("SELECT count(*) FROM u") } == [0])
    }
  }

  @Test(arguments: [CloseMode.drain, .interrupt]) func `a pool can be closed while a barrier waits`(
    _ mode: CloseMode
  ) async throws {
    let (begun, gate) = (Gate(), Gate())
    let read = Task {
      try await pool.read { _ in
        begun.open()
        #expect(gate.pass())
      }
    }
    #expect(await apart { begun.pass() })
    let barrier = Task { try await pool.barrier { _ in } }
    var later: [Task<Void, any Error>] = []
    while pool.status.waitingReadCount == 0 {
      later.append(Task { try await pool.read { _ in } })
      await Task.yield()
    }
    let closing = Task { try await pool.close(mode) }
    if mode == .interrupt { #expect(await failure(of: barrier) is SQLiteError) }
    gate.open()
    try await closing.value
    _ = await read.result
    if mode == .drain { try await barrier.value }
    for task in later { _ = await task.result }
  }

  @Test func `a waiting barrier does not run if its pool closes with interrupt`() async throws {
    for row in 2...50 { try await pool.write { try $0.execute("INSERT INTO t VALUES (\(row))") } }
    var rows = pool.rows(.column(.int), sql: "SELECT a FROM t").makeAsyncIterator()
    #expect(try await rows.next() == 1)
    let barrier = Task { try await pool.barrier { _ in Issue.record("it ran") } }
    while pool.status.waitingReadCount == 0 {
      Task { try await pool.read { _ in } }
      await Task.yield()
    }
    try await pool.close(.interrupt)
    #expect(await awaitedFailure { try await barrier.value }?.code == .misuseClosed)
  }
}
