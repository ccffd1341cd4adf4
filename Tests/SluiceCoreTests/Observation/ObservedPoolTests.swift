import Dispatch
import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.observation), .timeLimit(.minutes(10))) struct `live queries on a pool` {
  private let folder: TestFolder
  private let pool: ConnectionPool

  init() throws {
    folder = try TestFolder()
    pool = try ConnectionPool(path: folder.file(), readers: 1)
    try pool.syncWrite { try $0.execute(sql: "CREATE TABLE t(a); CREATE TABLE u(a)") }
  }

  private static let count = "SELECT count(*) FROM t"

  @Test func `a live query on a pool emits once per commit`() async throws {
    for pool in [pool, try ConnectionPool()] {
      try await pool.write { try $0.execute(sql: "CREATE TABLE IF NOT EXISTS t(a)") }
      var found: [Int] = []
      for try await count in pool.observe(.column(.int), sql: Self.count) {
        found += count
        if count[0] == 20 { break }
        try await pool.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
      }
      #expect(found == Array(0...20))
    }
  }

  @Test func `a live query on a pool ignores a commit to another table`() async throws {
    let recorder = Recorder<[Int]>(.unlimited)
    pool.observe(.column(.int), sql: Self.count).subscribe(recorder)
    await pool.settle()
    for sql in ["INSERT INTO u VALUES (1)", "INSERT INTO t VALUES (1)", "DELETE FROM u"] {
      try await pool.write { try $0.execute(sql: sql) }
      await pool.settle()
    }
    #expect(recorder.values == [[0], [1]])
    recorder.subscription?.cancel()
  }

  @Test func `all queries of an observed closure see one snapshot despite concurrent writes`()
    async throws
  {
    let pool = pool
    let writing = Task {
      for _ in 0..<100 {
        try await pool.write {
          try $0.execute(sql: "INSERT INTO t VALUES (1); INSERT INTO u VALUES (1)")
        }
      }
    }
    let sums = pool.observe { connection in
      let first = try connection.integers("SELECT count(*) FROM t")[0]
      return try [first] + connection.integers("SELECT count(*) FROM u")
    }
    for try await sum in sums {
      #expect(sum[0] == sum[1])
      if sum[0] == 100 { break }
    }
    try await writing.value
  }

  @Test func `a live query fetches a value while the pool writes`() async throws {
    let pool = pool
    var values = pool.observe(.column(.int), sql: Self.count).makeAsyncIterator()
    #expect(try await values.next() == [0])
    try await pool.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
    let gate = Gate()
    let endless = EndlessWork()
    let writing = Task {
      try await pool.write { connection in
        endless.begun.open()
        #expect(gate.pass())
      }
    }
    #expect(await endless.hasBegun())
    #expect(try await values.next() == [1])
    gate.open()
    try await writing.value
  }

  @Test func `a commit during the first fetch leads to another value`() async throws {
    let pool = pool
    let runs = Counter()
    let recorder = Recorder<[Int]>(.unlimited)
    pool.observe { connection in
      runs.add()
      let count = try connection.integers(Self.count)
      if runs.count == 1 {
        let isWritten = Gate()
        Task {
          defer { isWritten.open() }
          try await pool.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        }
        #expect(isWritten.pass())
      }
      return count
    }.subscribe(recorder)
    await pool.settle()
    #expect(recorder.values == [[0], [1]])
    recorder.subscription?.cancel()
  }

  @Test func `cancelling an observation returns its reader to the pool immediately`() async throws {
    let pool = pool
    let endless = EndlessWork()
    let observing = Task {
      for try await _ in pool.observe({ try endless.run($0) }) {}
    }
    #expect(await endless.hasBegun())
    observing.cancel()
    #expect(await failure(of: observing) is CancellationError)
    try await inTime { () async throws in
      let count = try await pool.read { try $0.integers(Self.count) }
      #expect(count == [0])
    }
    #expect(pool.status.waitingReadCount == 0)
  }

  @Test func `cancelling an observation that waits for a reader ends the wait`()
    async throws
  {
    let pool = pool
    let gate = Gate()
    let endless = EndlessWork()
    let reading = Task {
      try await pool.read { _ in
        endless.begun.open()
        #expect(gate.pass())
      }
    }
    #expect(await endless.hasBegun())
    let recorder = Recorder<[Int]>(.unlimited)
    pool.observe(.column(.int), sql: Self.count).subscribe(recorder)
    while pool.status.waitingReadCount == 0 { await Task.yield() }
    recorder.subscription?.cancel()
    #expect(pool.status.waitingReadCount == 0)
    gate.open()
    try await reading.value
    #expect(recorder.values.isEmpty)
  }

  @Test func `a subscriber can read from the pool while receiving a value`() async throws {
    let pool = pool
    let found = SharedLog<[Int]>()
    let hasRead = Gate()
    let recorder = Recorder<[Int]>(.unlimited) { _, _ in
      #expect(failure { found.append(try pool.syncRead { try $0.integers(Self.count) }) } == nil)
      hasRead.open()
      return .none
    }
    pool.observe(.column(.int), sql: Self.count).subscribe(recorder)
    #expect(await apart { hasRead.pass() })
    #expect(found.entries == [[0]])
  }

  @Test func `closing a pool ends its observations with misuse`() async throws {
    for pool in [pool, try ConnectionPool()] {
      try await pool.write { try $0.execute(sql: "CREATE TABLE IF NOT EXISTS t(a)") }
      let recorder = Recorder<[Int]>(.unlimited)
      let changes = Recorder<TableChanges>(.unlimited)
      pool.observe(.column(.int), sql: Self.count).subscribe(recorder)
      pool.tableChanges().subscribe(changes)
      while recorder.values.isEmpty { await Task.yield() }
      try await pool.close()
      while recorder.ends == 0 || changes.ends == 0 { await Task.yield() }
      #expect(recorder.values == [[0]])
      #expect((recorder.error as? SQLiteError)?.code == .misuseClosed)
      #expect((changes.error as? SQLiteError)?.code == .misuseClosed)
    }
  }

  @Test func `an observation interrupted by suspending the pool continues on resume`() async throws
  {
    let pool = pool
    let endless = EndlessWork()
    let runs = Counter()
    let observing = Task {
      for try await value in pool.observe({ connection in
        runs.add()
        if runs.count == 1 { try endless.run(connection) }
        return try connection.integers(Self.count)
      }) { return value }
      return []
    }
    #expect(await endless.hasBegun())
    try await pool.suspend()
    pool.resume()
    #expect(try await observing.value == [0])
  }
}

extension ConnectionPool {
  /// Waits for the observations in progress, in a pool with one reader: an observation that starts now
  /// runs after them.
  func settle() async {
    for _ in 0..<3 {
      let error = await awaitedFailure {
        for try await _ in observe({ _ in 0 }) { break }
      }
      #expect(error == nil)
    }
  }
}
