import Dispatch
import Foundation
import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.concurrency), .timeLimit(.minutes(10))) struct `the connection pool` {
  let folder: TestFolder
  let pool: ConnectionPool
  let endless = EndlessWork()

  init() throws {
    folder = try TestFolder()
    pool = try ConnectionPool(path: folder.file(), readers: 2, configuration: Self.configuration)
    try pool.syncWrite { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
  }

  private static var configuration: Configuration {
    var configuration = Configuration()
    configuration.busyTimeout = .seconds(600)
    return configuration
  }

  @Test func `readers and the writer do not wait for each other`() async throws {
    let gate = Gate()
    async let reading = pool.read { connection in
      let before = try connection.integers("SELECT count(*) FROM t")
      endless.begun.open()
      #expect(gate.pass())
      return try before + connection.integers("SELECT count(*) FROM t")
    }
    #expect(await endless.hasBegun())
    try await pool.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
    let newer = try await pool.read { try $0.integers("SELECT count(*) FROM t") }
    #expect(newer == [2])
    gate.open()
    // A read sees one state, even while the writer commits.
    #expect(try await reading == [1, 1])
    let mode = try await pool.perform { try $0.value("PRAGMA journal_mode") }
    #expect(mode == "wal")
  }

  @Test func `a read of a pool sees one state, as of its first query`() throws {
    let path = folder.file()
    let counts = try pool.syncRead { connection in
      let other = try Connection(path: path)
      try other.execute(sql: "INSERT INTO t VALUES (2)")
      let first = try connection.integers("SELECT count(*) FROM t")
      try other.execute(sql: "INSERT INTO t VALUES (3)")
      return try first + connection.integers("SELECT count(*) FROM t")
    }
    #expect(counts == [2, 2])
    #expect(try pool.syncRead { try $0.integers("SELECT count(*) FROM t") } == [3])
  }

  @Test func `a read of a pool cannot write, and a write that throws is rolled back`() async throws
  {
    #expect(
      await awaitedFailure {
        try await pool.read { try $0.execute(sql: "DELETE FROM t") }
      }?.code == .readOnly)
    await #expect(throws: ForeignError()) {
      try await pool.write { connection in
        try connection.execute(sql: "DELETE FROM t")
        throw ForeignError()
      }
    }
    #expect(try await pool.read { try $0.integers("SELECT a FROM t") } == [1])
    let isImmediate = try await pool.write { try $0.transactionState() == .write }
    #expect(isImmediate)
  }

  @Test func `a syncRead cannot write, and a syncWrite that throws is rolled back`() throws {
    #expect(try pool.syncRead { try $0.integers("SELECT a FROM t") } == [1])
    #expect(
      failure { try pool.syncRead { try $0.execute(sql: "DELETE FROM t") } }?.code == .readOnly)
    #expect(throws: ForeignError()) {
      try pool.syncWrite { connection in
        try connection.execute(sql: "DELETE FROM t")
        throw ForeignError()
      }
    }
    try pool.syncWrite(deadline: .now + .seconds(600)) {
      try $0.execute(sql: "INSERT INTO t VALUES (2)")
    }
    let rows = try pool.syncRead(deadline: .now + .seconds(600)) {
      try $0.integers("SELECT a FROM t")
    }
    #expect(rows == [1, 2])
    try pool.sync { try $0.execute(sql: "VACUUM") }
  }

  @Test
  func `the preparation closures run on each connection of a pool, including readers opened later`()
    async throws
  {
    let opened = Counter()
    var configuration = Self.configuration
    configuration.prepareConnection { connection in
      opened.add()
      try connection.addFunction("twice") { (number: Int) in number * 2 }
    }
    configuration.prepareConnection { connection in
      try connection.addCollation("backwards") { (first: String, second: String) in
        SQLOrder(second, first)
      }
    }
    let pool = try ConnectionPool(path: folder.file(), readers: 3, configuration: configuration)
    #expect(opened.count == 1)
    let sql =
      "SELECT twice(column1) FROM (VALUES (1), (2)) ORDER BY '' || column1 COLLATE backwards"
    let gates = [Gate(), Gate(), Gate()]
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      for number in 0..<3 {
        tasks.addTask {
          try await pool.read { connection in
            let answer = try connection.integers(sql)
            #expect(answer == [4, 2])
            // All three reads run at once, so each has its own connection.
            for _ in 0..<2 { gates[number].open() }
            for other in 1...2 { #expect(gates[(number + other) % 3].pass()) }
          }
        }
      }
      try await tasks.waitForAll()
    }
    #expect(try await pool.write { try $0.integers(sql) } == [4, 2])
    #expect(opened.count == 4)
    #expect(pool.status.openReaderCount == 3)
  }

  @Test
  func `a preparation closure that throws fails the read, and a later read succeeds`()
    async throws
  {
    let isBroken = Counter()
    var configuration = Self.configuration
    configuration.prepareConnection { connection in
      _ = try connection.integers("SELECT 1")
      if isBroken.count == 1 { throw ForeignError() }
      isBroken.add()
    }
    let pool = try ConnectionPool(path: folder.file(), readers: 1, configuration: configuration)
    await #expect(throws: ForeignError()) { try await pool.read { _ in } }
    #expect(throws: ForeignError()) { try pool.syncRead { _ in } }
    isBroken.add()
    #expect(try await pool.read { try $0.integers("SELECT a FROM t") } == [1])
    #expect(throws: ForeignError()) {
      var configuration = Configuration()
      configuration.prepareConnection { _ in throw ForeignError() }
      _ = try Connection(configuration: configuration)
    }
  }

  @Test func `a nested call on the same pool throws misuse`() async throws {
    typealias Call = @Sendable (ConnectionPool) throws -> Void
    let calls: [Call] = [
      { try $0.syncRead { _ in } }, { try $0.syncWrite { _ in } }, { try $0.sync { _ in } },
      { try $0.syncRead(deadline: .now + .seconds(600)) { _ in } },
      { try $0.syncWrite(deadline: .now + .seconds(600)) { _ in } },
      { try $0.syncClose() }, { try $0.syncClose(.interrupt) }, { try $0.syncSuspend() },
    ]
    for pool in [pool, try ConnectionPool()] {
      try await inTime { () async throws in
        await apart {
          for call in calls {
            #expect(failure { try pool.syncRead { _ in try call(pool) } }?.code == .misuse)
            #expect(failure { try pool.syncWrite { _ in try call(pool) } }?.code == .misuse)
          }
        }
        #expect(try await pool.read { try $0.integers("SELECT 1") } == [1])
      }
    }
  }

  @Test func `the reads of a pool run in the order of their calls`() async throws {
    let pool = try ConnectionPool(path: folder.file(), readers: 1)
    let log = SharedLog<Int>()
    let gate = Gate()
    let group = DispatchGroup()
    DispatchQueue(label: "first").async(group: group) {
      let error = failure {
        try pool.syncRead { _ in
          endless.begun.open()
          #expect(gate.pass())
        }
      }
      #expect(error == nil)
    }
    #expect(await endless.hasBegun())
    for number in 0..<20 {
      if number % 2 == 0 {
        DispatchQueue(label: "other").async(group: group) {
          #expect(failure { try pool.syncRead { _ in log.append(number) } } == nil)
        }
      } else {
        group.enter()
        Task {
          defer { group.leave() }
          try await pool.read { _ in log.append(number) }
        }
      }
      // The next read starts when this read waits.
      while pool.status.waitingReadCount <= number, log.entries.isEmpty { await Task.yield() }
    }
    gate.open()
    #expect(await apart { group.finishes() })
    #expect(log.entries == Array(0..<20))
  }

  @Test func `accesses that are cancelled or pass their deadline do not affect other accesses`()
    async throws
  {
    try await inTime { [self] () async throws in
      let pool = try ConnectionPool(path: folder.file(), readers: 1)
      let running = Task { try await pool.read { try endless.run($0) } }
      #expect(await endless.hasBegun())
      let runs = Counter()
      let waiting = Task { try await pool.read { _ in runs.add() } }
      while pool.status.waitingReadCount == 0 { await Task.yield() }
      waiting.cancel()
      #expect(await failure(of: waiting) is CancellationError)
      await #expect(throws: DeadlineError.self) {
        try await pool.read(deadline: .now + .milliseconds(20)) { _ in runs.add() }
      }
      await apart {
        #expect(throws: DeadlineError.self) {
          try pool.syncRead(deadline: .now + .milliseconds(20)) { _ in runs.add() }
        }
      }
      #expect(pool.status.waitingReadCount == 0)
      let next = Task { try await pool.read { try $0.integers("SELECT a FROM t") } }
      running.cancel()
      #expect(await failure(of: running) is CancellationError)
      #expect(try await next.value == [1])
      #expect(runs.count == 0)
      await apart {
        #expect(throws: DeadlineError.self) {
          try pool.syncRead(deadline: .now + .milliseconds(20)) {
            try $0.execute(sql: EndlessWork.sql)
          }
        }
        #expect(throws: DeadlineError.self) {
          try pool.syncWrite(deadline: .now + .milliseconds(20)) {
            try $0.execute(sql: EndlessWork.sql)
          }
        }
      }
      await #expect(throws: DeadlineError.self) {
        try await pool.write(deadline: .now + .milliseconds(20)) { connection in
          try connection.execute(sql: "DELETE FROM t")
          try connection.execute(sql: EndlessWork.sql)
        }
      }
      #expect(try await pool.read { try $0.integers("SELECT a FROM t") } == [1])
    }
  }

  @Test func `a reader that a body closes or replaces is reopened`() async throws {
    try await inTime { [self] () async throws in
      let pool = try ConnectionPool(path: folder.file(), readers: 1)
      _ = await awaitedFailure { try await pool.read { try $0.close() } }
      #expect(try await pool.read { try $0.integers("SELECT a FROM t") } == [1])
      let error = await awaitedFailure { try await pool.read { $0 = try Connection() } }
      #expect(error?.code == .misuse)
      #expect(try await pool.read { try $0.integers("SELECT a FROM t") } == [1])
      #expect(pool.status.openReaderCount == 1)
    }
  }

  @Test func `two pools on one file see each other's commits`() async throws {
    let other = try ConnectionPool(path: folder.file())
    for number in 2...20 {
      try await (number % 2 == 0 ? pool : other).write { connection in
        try connection.execute("INSERT INTO t VALUES (\(number))")
      }
      let sum = try await (number % 2 == 0 ? other : pool).read {
        try $0.integers("SELECT count(*) FROM t")
      }
      #expect(sum == [number])
    }
  }

  @Test func `an in-memory pool shares one connection, and its reads cannot write`()
    async throws
  {
    let pools = [
      try ConnectionPool(), try ConnectionPool(path: ":memory:"),
      try ConnectionPool(uri: "file::memory:"), try ConnectionPool(uri: "file:a?mode=memory"),
    ]
    for pool in pools {
      try await pool.write { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
      #expect(try await pool.read { try $0.integers("SELECT a FROM t") } == [1])
      for sql in ["DELETE FROM t", "CREATE TABLE u(a)", "INSERT INTO t VALUES (2) RETURNING a"] {
        #expect(
          await awaitedFailure { try await pool.read { try $0.execute(sql: sql) } }?.code
            == .readOnly)
      }
      #expect(try await pool.read { try $0.integers("SELECT a FROM t") } == [1])
      try await pool.write { try $0.execute(sql: "DELETE FROM t") }
      #expect(pool.status.readerLimit == 0)
      await apart { #expect(failure { try pool.syncClose() } == nil) }
    }
  }

  @Test
  func `creating a pool with zero readers throws, and a pool uses the configured journal mode`()
    async throws
  {
    let new = folder.path + "/new.db"
    #expect(failure { try ConnectionPool(path: new, readers: 0) }?.code == .misuse)
    #expect(!FileManager.default.fileExists(atPath: new))
    var configuration = Self.configuration
    configuration.journalMode = .delete
    let pool = try ConnectionPool(path: folder.path + "/b.db", configuration: configuration)
    let mode = try await pool.perform { try $0.value("PRAGMA journal_mode") }
    #expect(mode == "delete")
    let uri = try ConnectionPool(uri: "file:\(folder.file())?mode=rw", readers: 1)
    #expect(try await uri.read { try $0.integers("SELECT a FROM t") } == [1])
  }

  @Test func `the pool status reports busy readers, lock waits and the size of the WAL`()
    async throws
  {
    try await pool.write { try $0.execute(sql: "INSERT INTO t VALUES (zeroblob(100000))") }
    #expect((pool.status.walSize ?? 0) > 100_000)
    let gate = Gate()
    let reading = Task {
      try await pool.read { _ in
        endless.begun.open()
        #expect(gate.pass())
      }
    }
    #expect(await endless.hasBegun())
    #expect(pool.status.busyReaderCount == 1)
    #expect(pool.status.readerLimit == 2)
    gate.open()
    try await reading.value
    let other = try Connection(path: folder.file())
    try other.begin(.immediate)
    let before = pool.status.lockWaitCount
    let writing = Task { try await pool.write { _ in } }
    while pool.status.lockWaitCount == before { await Task.yield() }
    try other.rollback()
    try await writing.value
    #expect(pool.status.busyReaderCount == 0)
  }
}
