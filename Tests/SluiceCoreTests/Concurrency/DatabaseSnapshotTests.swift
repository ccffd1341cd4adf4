import SluiceCore
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct `snapshots of pools and queues` {
  let folder: TestFolder
  let pool: ConnectionPool

  init() throws {
    folder = try TestFolder()
    pool = try ConnectionPool(path: folder.file())
    try pool.sync { connection in
      try connection.execute(
        sql: """
          CREATE TABLE account(id INTEGER PRIMARY KEY, amount INTEGER);
          INSERT INTO account VALUES (1, 500), (2, 500)
          """)
    }
  }

  /// Moves `amount` between the accounts, which preserves the sum.
  private func move(_ amount: Int, in pool: ConnectionPool) async throws {
    try await pool.write { connection in
      try connection.execute("UPDATE account SET amount = amount - \(amount) WHERE id = 1")
      try connection.execute("UPDATE account SET amount = amount + \(amount) WHERE id = 2")
    }
  }

  private func amounts(in database: some DatabaseReader) async throws -> [Int] {
    try await database.read { try $0.integers("SELECT amount FROM account ORDER BY id") }
  }

  @Test(arguments: [1, 3]) func `a snapshot does not change while its pool writes`(
    readers: Int
  ) async throws {
    try await move(100, in: pool)
    let snapshot = try await pool.snapshot(readers: readers)
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask { for _ in 0..<300 { try await move(1, in: pool) } }
      for _ in 0..<6 {
        tasks.addTask {
          for _ in 0..<100 {
            let found = try await amounts(in: snapshot)
            #expect(found == [400, 600])
          }
        }
      }
      try await tasks.waitForAll()
    }
    #expect(try await amounts(in: pool) == [100, 900])
    #expect(try await amounts(in: snapshot) == [400, 600])
    try await snapshot.close()
  }

  @Test func `all readers of a snapshot see one state while another pool writes`() async throws {
    let other = try ConnectionPool(path: folder.file())
    let writing = Task { while !Task.isCancelled { try await move(1, in: other) } }
    for _ in 0..<20 {
      let snapshot = try await pool.snapshot(readers: 3)
      let (arrived, gate) = (Counter(), Gate())
      let states = try await withThrowingTaskGroup(of: [Int].self) { tasks in
        for _ in 0..<3 {
          tasks.addTask {
            try await snapshot.read { connection in
              arrived.add()
              if arrived.count == 3 { for _ in 0..<3 { gate.open() } }
              // All three reads run at once, so each has its own connection.
              #expect(gate.pass())
              return try connection.integers("SELECT amount FROM account ORDER BY id")
            }
          }
        }
        return try await tasks.reduce(into: Set<[Int]>()) { $0.insert($1) }
      }
      #expect(states.count == 1)
      try await snapshot.close()
    }
    writing.cancel()
    _ = await writing.result
  }

  @Test func `a snapshot taken inside a write access contains only committed changes`() async throws
  {
    let (before, during, after) = try await pool.perform { [pool] connection in
      try connection.execute(sql: "UPDATE account SET amount = 1")
      let snapshot = try pool.syncSnapshot()
      let during = try connection.transaction { connection in
        try connection.execute(sql: "UPDATE account SET amount = 2")
        // A snapshot excludes uncommitted changes.
        return try pool.syncSnapshot()
      }
      try connection.execute(sql: "UPDATE account SET amount = 3")
      return (snapshot, during, try pool.syncSnapshot())
    }
    #expect(try await amounts(in: before) == [1, 1])
    #expect(try await amounts(in: during) == [1, 1])
    #expect(try await amounts(in: after) == [3, 3])
    let error = await awaitedFailure { [pool] in
      try await pool.perform { _ in _ = try pool.syncSnapshot(readers: 2) }
    }
    #expect(error?.code == .misuse)
  }

  @Test func `a queue takes snapshots inside and outside its accesses`() async throws {
    let queue = try ConnectionQueue(path: folder.file())
    let snapshot = try await queue.perform { [queue] connection in
      try connection.execute(sql: "UPDATE account SET amount = 7")
      return try queue.syncSnapshot()
    }
    let two = try await queue.snapshot(readers: 2)
    try await queue.write { try $0.execute(sql: "DELETE FROM account") }
    #expect(try await amounts(in: snapshot) == [7, 7])
    #expect(try await amounts(in: two) == [7, 7])
    #expect(try await amounts(in: queue) == [])
  }

  @Test func `each form of a read can be used on a snapshot`() async throws {
    let snapshot = try await pool.snapshot()
    try await move(1, in: pool)
    let sql = "SELECT amount FROM account ORDER BY id"
    #expect(await apart { try? snapshot.syncRead { try $0.integers(sql) } } == [500, 500])
    let answer = await withCheckedContinuation { continuation in
      snapshot.asyncRead {
        try $0.integers(sql)
      } completion: {
        continuation.resume(returning: $0)
      }
    }
    #expect(try answer.get() == [500, 500])
    let rows = snapshot.rows(.column(.int), sql: sql)
    #expect(try await rows.reduce(into: []) { $0.append($1) } == [500, 500])
    for try await value in snapshot.observe(.column(.int), sql: sql) {
      #expect(value == [500, 500])
      break
    }
  }

  @Test func `a snapshot rejects writes, and a read that ends the snapshot's transaction throws`()
    async throws
  {
    let snapshot = try await pool.snapshot()
    let writing = await awaitedFailure {
      try await snapshot.read { try $0.execute(sql: "DELETE FROM account") }
    }
    #expect(writing?.code == .readOnly)
    #expect(try await amounts(in: snapshot) == [500, 500])
    for sql in ["COMMIT; BEGIN", "SELECT 1"] {
      let error = await awaitedFailure { try await snapshot.read { try $0.execute(sql: sql) } }
      #expect(error?.code == .misuse)
    }
    let other = try await pool.snapshot()
    #expect(
      await awaitedFailure { try await other.read { try $0.updateReadTransaction() } } != nil)
    let third = try await pool.snapshot()
    #expect(await awaitedFailure { try await third.read { try $0.close() } } != nil)
    #expect(await awaitedFailure { try await amounts(in: third) }?.code == .misuse)
    #expect(
      failure { try third.syncRead { [third] _ in try third.syncRead { _ in } } }?.code == .misuse)
  }

  @Test func `a snapshot never returns another state, even if a body ends its transaction`()
    async throws
  {
    typealias Body = @Sendable (DatabaseSnapshot) async throws -> Void
    let bodies: [Body] = [
      { try await $0.read { try $0.execute(sql: "ROLLBACK") } },
      { try await $0.read { try $0.endReadTransaction() } },
      { try await $0.read { try $0.execute(sql: "COMMIT; BEGIN; SELECT * FROM account") } },
      { for try await _ in $0.rows(.values, sql: "ROLLBACK") {} },
      { snapshot in
        for sql in ["COMMIT", "BEGIN"] {
          for try await _ in snapshot.rows(.values, sql: sql) {}
        }
      },
    ]
    for body in bodies {
      let snapshot = try await pool.snapshot()
      let before = try await amounts(in: snapshot)
      try? await body(snapshot)
      try await move(1, in: pool)
      var streamed: [Int] = []
      do {
        for try await amount in snapshot.rows(.column(.int), sql: "SELECT amount FROM account") {
          streamed.append(amount)
        }
      } catch { #expect((error as? SQLiteError)?.code == .misuse) }
      #expect(streamed.isEmpty || streamed == before)
      do {
        #expect(try await amounts(in: snapshot) == before)
      } catch { #expect((error as? SQLiteError)?.code == .misuse) }
    }
  }

  @Test func `a snapshot that loses one of its readers uses the other for all reads`() async throws
  {
    let snapshot = try await pool.snapshot(readers: 2)
    let loss = await awaitedFailure { try await snapshot.read { try $0.execute(sql: "COMMIT") } }
    #expect(loss?.code == .misuse)
    try await withThrowingTaskGroup(of: [Int].self) { group in
      for _ in 0..<20 { group.addTask { try await self.amounts(in: snapshot) } }
      for try await amounts in group { #expect(amounts == [500, 500]) }
    }
  }

  @Test func `taking a snapshot calls no hook and no transaction observer`() async throws {
    let events = SharedLog<String>()
    try await pool.perform { connection in
      try connection.onRollback { events.append("rollback") }
      try connection.onCommit { events.append("commit") }
      try connection.add(transactionObserver: Ends(events))
    }
    _ = try await pool.snapshot(readers: 3)
    #expect(events.entries.isEmpty)
    try await move(1, in: pool)
    #expect(events.entries.contains("commit") && events.entries.contains("did commit"))
    await #expect(throws: CancellationError.self) {
      try await pool.write { connection in
        try connection.execute(sql: "DELETE FROM account")
        throw CancellationError()
      }
    }
    #expect(events.entries.suffix(2).sorted() == ["did roll back", "rollback"])
  }

  private final class Ends: TransactionObserver {
    let events: SharedLog<String>
    init(_ events: SharedLog<String>) { self.events = events }
    func databaseDidCommit(_ connection: Connection) { events.append("did commit") }
    func databaseDidRollback(_ connection: Connection) { events.append("did roll back") }
  }

  @Test func `taking a snapshot of a suspended pool throws interrupt`() async throws {
    try await pool.suspend()
    for readers in [1, 2] {
      #expect(
        await awaitedFailure { _ = try await pool.snapshot(readers: readers) }?.code == .interrupt)
    }
    pool.resume()
    #expect(try await amounts(in: pool.snapshot()) == [500, 500])
  }

  @Test func `a snapshot of a read-only pool has exactly one reader`() async throws {
    var configuration = Configuration()
    configuration.readOnly = true
    let reading = try ConnectionPool(path: folder.file(), configuration: configuration)
    #expect(try await amounts(in: reading.snapshot()) == [500, 500])
    #expect(
      await awaitedFailure { _ = try await reading.snapshot(readers: 2) }?.code == .misuse)
  }

  @Test func `a snapshot includes an attached database in WAL mode`() async throws {
    let other = folder.path + "/other.sqlite"
    let writer = try ConnectionPool(path: other)
    try await writer.write { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
    var configuration = Configuration()
    configuration.prepareConnection { try $0.attach(path: other, as: "other") }
    let attaching = try ConnectionPool(path: folder.file(), configuration: configuration)
    let snapshot = try await attaching.snapshot()
    try await writer.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
    #expect(try await snapshot.read { try $0.integers("SELECT a FROM other.t") } == [1])
  }

  @Test func `a read that is cancelled or passes its deadline does not change the snapshot`()
    async throws
  {
    let snapshot = try await pool.snapshot()
    try await move(1, in: pool)
    let endless = EndlessWork()
    let running = Task { try await snapshot.read { try endless.run($0) } }
    #expect(await endless.hasBegun())
    await #expect(throws: DeadlineError.self) {
      try await snapshot.read(deadline: .now + .milliseconds(20)) { _ in }
    }
    running.cancel()
    #expect(await failure(of: running) is CancellationError)
    #expect(try await amounts(in: snapshot) == [500, 500])
  }

  @Test func `a snapshot blocks truncation of the WAL until the snapshot is closed or released`()
    async throws
  {
    var snapshot: DatabaseSnapshot? = try await pool.snapshot()
    func isWALFree() async throws -> Bool {
      try await move(1, in: pool)
      return try await pool.perform { connection in
        try connection.setBusyTimeout(.zero)
        return try !connection.checkpoint(.truncate).isBusy
      }
    }
    #expect(try await !isWALFree())
    try await snapshot?.close()
    #expect(try await isWALFree())
    try await snapshot?.close()
    let error = await awaitedFailure { [snapshot] in try await snapshot?.read { _ in } }
    #expect(error?.code == .misuseClosed)
    snapshot = try await pool.snapshot()
    #expect(try await !isWALFree())
    snapshot = nil
    #expect(try await isWALFree())
  }

  @Test func `a snapshot outlives its pool`() async throws {
    let snapshot = try await pool.snapshot(readers: 2)
    try await pool.close()
    #expect(try await amounts(in: snapshot) == [500, 500])
    try await snapshot.close(.interrupt)
    #expect(await awaitedFailure { try await amounts(in: snapshot) }?.code == .misuseClosed)
  }

  @Test func `taking a snapshot throws without WAL mode or with less than one reader`() async throws
  {
    var configuration = Configuration()
    configuration.journalMode = .delete
    let rollback = try ConnectionPool(
      path: folder.path + "/rollback.db", configuration: configuration)
    try await rollback.perform { try $0.execute(sql: "CREATE TABLE t(a)") }
    let memory = try ConnectionPool()
    #expect(await awaitedFailure { try await rollback.snapshot() }?.code == .misuse)
    #expect(await awaitedFailure { try await memory.snapshot() }?.code == .misuse)
    #expect(await awaitedFailure { try await ConnectionQueue().snapshot() }?.code == .misuse)
    for count in [0, -1, .min] {
      #expect(await awaitedFailure { try await pool.snapshot(readers: count) }?.code == .misuse)
    }
    // The failed calls must not leave a lock.
    try await rollback.perform { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
    try await move(1, in: pool)
  }

  @Test(arguments: [1, 2]) func `taking a snapshot in a cancelled task throws CancellationError`(
    readers: Int
  ) async throws {
    let gate = Gate()
    let task = Task {
      #expect(await apart { gate.pass() })
      return try await pool.snapshot(readers: readers)
    }
    task.cancel()
    gate.open()
    #expect(await failure(of: task) is CancellationError)
  }
}
