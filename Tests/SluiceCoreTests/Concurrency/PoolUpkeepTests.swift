import Dispatch
import SluiceCore
import SluiceTesting
import TestSupport
import Testing

@Suite(.tags(.concurrency), .timeLimit(.minutes(10))) struct `the upkeep of a pool` {
  /// A monitor that records the maintenance of pools.
  private final class Log: ConnectionMonitor {
    let records = SharedLog<UpkeepRecord>()
    func upkeepDidRun(_ record: UpkeepRecord) { records.append(record) }
  }

  let folder: TestFolder
  let clock = ManualClock()
  private let log = Log()

  init() throws { folder = try TestFolder() }

  /// Opens a pool with the clock of the test, and creates a table.
  private func pool(
    readers: Int = 2, isMonitored: Bool = true, _ change: (inout PoolUpkeep) -> Void = { _ in }
  ) throws -> ConnectionPool {
    var configuration = Configuration()
    if isMonitored { configuration.monitor = log }
    var upkeep = PoolUpkeep()
    upkeep.clock = clock
    change(&upkeep)
    let pool = try ConnectionPool(
      path: folder.file(), readers: readers, label: "app", configuration: configuration,
      upkeep: upkeep)
    try pool.syncWrite { try $0.execute(sql: "CREATE TABLE IF NOT EXISTS t(a)") }
    return pool
  }

  /// Waits for the first event for which `find` returns a value.
  private func event<T>(
    _ find: (UpkeepRecord.Event) -> T?, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> T {
    for _ in 0..<3000 {
      if let found = log.records.entries.compactMap({ find($0.event) }).first { return found }
      try await Task.sleep(for: .milliseconds(10))
    }
    return try #require(nil, sourceLocation: sourceLocation)
  }

  private func checkpoint(_ event: UpkeepRecord.Event) -> Checkpoint? {
    if case .checkpoint(let checkpoint, _) = event { checkpoint } else { nil }
  }

  /// Waits until the pool has planned some work.
  private func hasPlan() async throws -> Bool {
    for _ in 0..<3000 {
      if clock.sleeperCount > 0 { return true }
      try await Task.sleep(for: .milliseconds(10))
    }
    return false
  }

  private func insert(_ pages: Int, into pool: ConnectionPool) throws {
    try pool.syncWrite { connection in
      try connection.execute("INSERT INTO t VALUES (zeroblob(\(pages * 4096)))")
    }
  }

  @Test func `a commit that reaches the number of frames starts a background checkpoint`()
    async throws
  {
    let pool = try pool { $0.checkpointFrames = 20 }
    try insert(5, into: pool)
    #expect(log.records.entries.isEmpty)
    try insert(20, into: pool)
    let checkpoint = try await event(checkpoint)
    #expect(checkpoint.isComplete && checkpoint.frameCount ?? 0 >= 25)
    #expect(log.records.entries.allSatisfy { $0.label == "app" })
    // The next commit restarts the WAL.
    try insert(1, into: pool)
    #expect(try #require(pool.status.walSize) < 1_000_000)
    try await pool.close()
  }

  @Test func `commits run a checkpoint only at four times the number of frames`() throws {
    let pool = try pool { $0.checkpointFrames = 50 }
    #expect(try pool.sync { try $0.walAutocheckpoint } == 200)
    let unchanged = try ConnectionPool(path: folder.file("b.db"), upkeep: .none)
    #expect(try unchanged.sync { try $0.walAutocheckpoint } == 1000)
  }

  @Test func `a checkpoint runs at the interval after a commit, and then no more`() async throws {
    let pool = try pool { upkeep in
      upkeep.checkpointInterval = .seconds(60)
      upkeep.idleReaderTimeout = nil
      upkeep.optimizeInterval = nil
    }
    try insert(1, into: pool)
    #expect(try await hasPlan())
    clock.advance(by: .seconds(59))
    #expect(clock.sleeperCount == 1)
    clock.advance(by: .seconds(1))
    #expect(try await event(checkpoint).isComplete)
    try await pool.barrier { _ in }
    #expect(clock.sleeperCount == 0)
    // Another commit plans another checkpoint.
    try insert(1, into: pool)
    #expect(try await hasPlan())
    try await pool.close()
    #expect(clock.sleeperCount == 0)
  }

  @Test func `a pool without automatic checkpoints leaves the WAL to another program`()
    async throws
  {
    var configuration = Configuration()
    configuration.monitor = log
    configuration.pragmas = ["wal_autocheckpoint": 0]
    var upkeep = PoolUpkeep()
    upkeep.checkpointFrames = 1
    let pool = try ConnectionPool(
      path: folder.file(), configuration: configuration, upkeep: upkeep)
    try await pool.write { try $0.execute(sql: "CREATE TABLE t(a)") }
    try insert(10, into: pool)
    #expect(try await pool.perform { try $0.walAutocheckpoint } == 0)
    let checkpoint = try await pool.perform { try $0.checkpoint() }
    #expect(checkpoint.frameCount == checkpoint.checkpointedFrameCount)
    #expect(log.records.entries.isEmpty)
  }

  @Test func `a read that holds the WAL is reported with its label, time and SQL`() async throws {
    let pool = try pool { upkeep in
      upkeep.checkpointInterval = .seconds(10)
      upkeep.readerPatience = .seconds(20)
    }
    let (begun, gate) = (Gate(), Gate())
    let sql = "SELECT count(*) FROM t"
    async let reading = pool.read { connection in
      let count = try connection.integers(sql)
      begun.open()
      #expect(gate.pass())
      return count
    }
    #expect(await apart { begun.pass() })
    try insert(3, into: pool)
    var reported: (starvation: WALStarvation, readers: [RunningRead], walSize: Int)?
    // The time of the reader begins at the first checkpoint that it stops.
    for _ in 0..<200 where reported == nil {
      clock.advance(by: .seconds(10))
      try await Task.sleep(for: .milliseconds(20))
      for record in log.records.entries {
        if case .heldWAL(let starvation, let readers, let size) = record.event {
          reported = reported ?? (starvation, readers, size)
        }
      }
    }
    let (starvation, readers, walSize) = try #require(reported)
    #expect(starvation.duration >= .seconds(20))
    #expect(starvation.checkpointedFrameCount < starvation.frameCount)
    #expect(readers.map(\.label) == ["app.reader"] && readers.map(\.sql) == [sql])
    #expect(readers.allSatisfy { $0.since < .now } && walSize > 3 * 4096)
    gate.open()
    #expect(try await reading == [0])
    try await pool.close()
  }

  @Test func `a limit of the WAL refuses writes until the reader has left`() async throws {
    let pool = try pool { upkeep in
      upkeep.checkpointFrames = nil
      upkeep.walLimit = .refuseWrites(bytes: 10 * 4096)
    }
    let (begun, gate) = (Gate(), Gate())
    async let reading = pool.read { connection in
      let count = try connection.integers("SELECT count(*) FROM t")
      begun.open()
      #expect(gate.pass())
      return count
    }
    #expect(await apart { begun.pass() })
    try await pool.write { try $0.execute(sql: "INSERT INTO t VALUES (zeroblob(81920))") }
    let error = await awaitedFailure {
      try await pool.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
    }
    #expect(error?.code == .busy)
    #expect(
      error?.message.contains("The WAL has reached the limit of 40960 bytes") == true,
      "\(error?.message ?? "")")
    // Reads and checkpoints are not refused.
    #expect(try await pool.perform { try $0.integers("SELECT count(*) FROM t") } == [1])
    #expect(try await pool.perform { try $0.checkpoint().isBusy } == false)
    gate.open()
    #expect(try await reading == [0])
    try await pool.write { try $0.execute(sql: "INSERT INTO t VALUES (3)") }
    #expect(try await pool.read { try $0.integers("SELECT count(*) FROM t") } == [2])
    try await pool.close()
  }

  @Test func `a limit of the WAL slows writes, which succeed`() async throws {
    let pool = try pool { upkeep in
      upkeep.checkpointFrames = nil
      upkeep.walLimit = .slowWrites(bytes: 10 * 4096, by: .milliseconds(20))
    }
    let (begun, gate) = (Gate(), Gate())
    async let reading = pool.read { connection in
      let count = try connection.integers("SELECT count(*) FROM t")
      begun.open()
      #expect(gate.pass())
      return count
    }
    #expect(await apart { begun.pass() })
    try await pool.write { try $0.execute(sql: "INSERT INTO t VALUES (zeroblob(81920))") }
    try await pool.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
    let isRelieved = try await event { event in
      if case .walLimit(_, let isRelieved, _) = event { isRelieved } else { nil }
    }
    #expect(!isRelieved)
    gate.open()
    #expect(try await reading == [0])
    try await pool.write { try $0.execute(sql: "INSERT INTO t VALUES (3)") }
    _ = try await event { event in
      if case .walLimit(_, true, _) = event { true } else { nil }
    }
    #expect(try await pool.read { try $0.integers("SELECT count(*) FROM t") } == [3])
    try await pool.close()
  }

  @Test func `idle readers close after the timeout and open again on demand`() async throws {
    let pool = try pool(readers: 3) { $0.idleReaderTimeout = .seconds(60) }
    let gate = Gate()
    let begun = Gate()
    async let reading: Void = pool.read { _ in
      begun.open()
      #expect(gate.pass())
    }
    #expect(await apart { begun.pass() })
    try await pool.read { _ in }
    gate.open()
    try await reading
    #expect(pool.status.openReaderCount == 2)
    // The first check finds readers that were in use since the last one.
    for _ in 0..<200 where pool.status.openReaderCount > 0 {
      clock.advance(by: .seconds(60))
      try await Task.sleep(for: .milliseconds(10))
    }
    #expect(pool.status.openReaderCount == 0)
    let count = try await event { event in
      if case .closedReaders(let count) = event { count } else { nil }
    }
    #expect(count > 0)
    #expect(try await pool.read { try $0.integers("SELECT count(*) FROM t") } == [0])
    #expect(pool.status.openReaderCount == 1)
    try await pool.close()
  }

  @Test func `the statistics are updated at the interval if there were commits`() async throws {
    let pool = try pool(isMonitored: true) { upkeep in
      upkeep.checkpointInterval = nil
      upkeep.checkpointFrames = nil
      upkeep.optimizeInterval = .seconds(3600)
    }
    try await pool.write { connection in
      try connection.execute(
        sql: """
          CREATE TABLE indexed(a, b);
          CREATE INDEX indexed_a ON indexed(a);
          INSERT INTO indexed VALUES (0, 0);
          ANALYZE;
          INSERT INTO indexed
          WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
          SELECT i, i FROM n
          """)
    }
    try await pool.write { connection in
      try connection.execute(sql: "SELECT * FROM indexed WHERE a = 7")
    }
    #expect(try await hasPlan())
    clock.advance(by: .seconds(3600))
    _ = try await event { event in if case .optimized = event { true } else { nil } }
    let statistics = try await pool.perform { try $0.column("SELECT stat FROM sqlite_stat1") }
    #expect(statistics != ["1 1"])
    // The limit of the update is not left behind.
    #expect(try await pool.perform { try $0.value("PRAGMA analysis_limit") } == 0)
    try await pool.close()
  }

  @Test func `a pool without upkeep plans nothing`() async throws {
    var upkeep = PoolUpkeep.none
    upkeep.clock = clock
    var configuration = Configuration()
    configuration.monitor = log
    let pool = try ConnectionPool(
      path: folder.file(), configuration: configuration, upkeep: upkeep)
    try await pool.write { try $0.execute(sql: "CREATE TABLE t(a)") }
    try insert(2000, into: pool)
    try await pool.read { _ in }
    #expect(clock.sleeperCount == 0)
    try await pool.close()
    #expect(log.records.entries.isEmpty)
  }

  @Test func `a released pool cancels its plan and closes its connections`() async throws {
    var pool: ConnectionPool? = try pool()
    try await pool?.read { _ in }
    #expect(try await hasPlan())
    weak let released = pool
    pool = nil
    for _ in 0..<3000 where released != nil || clock.sleeperCount > 0 {
      try await Task.sleep(for: .milliseconds(10))
    }
    #expect(released == nil && clock.sleeperCount == 0)
    #expect(try folder.content == ["app.db"])
  }

  @Test func `a suspended pool keeps its plan`() async throws {
    let pool = try pool { $0.optimizeInterval = nil }
    try insert(1, into: pool)
    #expect(try await hasPlan())
    try await pool.suspend()
    clock.advance(by: .seconds(60))
    #expect(try await hasPlan())
    #expect(log.records.entries.isEmpty)
    pool.resume()
    clock.advance(by: .seconds(60))
    #expect(try await event(checkpoint).isComplete)
    try await pool.close()
  }

  @Test(arguments: [Int.min, -1, 0, 1, Int.max])
  func `a pool accepts settings of any size`(_ number: Int) async throws {
    let time = Duration.seconds(number)
    let pool = try pool { upkeep in
      upkeep.checkpointFrames = number
      upkeep.checkpointInterval = time
      upkeep.readerPatience = time
      upkeep.walLimit = .slowWrites(bytes: number, by: min(time, .milliseconds(1)))
      upkeep.idleReaderTimeout = time
      upkeep.optimizeInterval = time
    }
    try insert(3, into: pool)
    for _ in 0..<3 {
      try await pool.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
      #expect(try await pool.read { try $0.integers("SELECT count(*) FROM t") }.count == 1)
      clock.advance(by: .milliseconds(100))
    }
    try await pool.close()
  }

  @Test func `a failed background checkpoint is reported, and a later one succeeds`() async throws {
    let files = try FaultyFileSystem(over: MemoryFileSystem())
    var configuration = files.configuration()
    configuration.monitor = log
    configuration.journalMode = .wal
    var upkeep = PoolUpkeep()
    upkeep.clock = clock
    upkeep.checkpointInterval = .seconds(60)
    let pool = try ConnectionPool(path: "app.db", configuration: configuration, upkeep: upkeep)
    try await pool.write { try $0.execute(sql: "CREATE TABLE t(a)") }
    #expect(try await hasPlan())
    files.arm(.error(.ioErrorSync, in: [.sync]).forEver)
    clock.advance(by: .seconds(60))
    let error = try await event { event in
      if case .failed(let error) = event { error } else { nil }
    }
    #expect(error.code.primary == .ioError)
    files.disarm()
    #expect(try await hasPlan())
    clock.advance(by: .seconds(60))
    #expect(try await event(checkpoint).isComplete)
    #expect(try await pool.read { try $0.integers("SELECT count(*) FROM t") } == [0])
    try await pool.close()
  }

  @Test func `maintenance that waits for the write connection is not counted as a write`()
    async throws
  {
    let pool = try pool { $0.checkpointFrames = 1 }
    let before = log.records.entries.count
    for _ in 0..<100 {
      try await pool.perform { connection in
        try connection.execute(sql: "INSERT INTO t VALUES (2)")
        // The commit has queued a checkpoint, which waits for this access to end.
        #expect(pool.status.waitingWriteCount == 0)
      }
    }
    for _ in 0..<3000 where log.records.entries.count == before {
      try await Task.sleep(for: .milliseconds(10))
    }
    #expect(log.records.entries.count > before)
    try await pool.close()
  }
}
