import Dispatch
import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.concurrency), .timeLimit(.minutes(10))) struct `the database protocols` {
  enum Kind: CaseIterable, Sendable { case queue, pool, memoryPool }

  let folder: TestFolder

  init() throws { folder = try TestFolder() }

  private func open(
    _ kind: Kind, _ configuration: Configuration = Configuration()
  ) throws -> any DatabaseWriter {
    let database: any DatabaseWriter =
      switch kind {
      case .queue: try ConnectionQueue(path: folder.file(), configuration: configuration)
      case .pool: try ConnectionPool(path: folder.file(), configuration: configuration)
      case .memoryPool: try ConnectionPool(configuration: configuration)
      }
    try create(in: database)
    return database
  }

  private func create(in database: any DatabaseWriter) throws {
    try database.sync { try $0.execute(sql: "CREATE TABLE t(a)") }
  }

  private static func insert(_ value: Int, _ connection: Connection) throws -> Int {
    try connection.execute(sql: "INSERT INTO t VALUES (?)", parameters: .int(value))
    return value
  }

  private static let insertion = "INSERT INTO t VALUES (0)"

  private func rows(_ database: any DatabaseReader) throws -> [Int] {
    try database.syncRead { try $0.integers("SELECT a FROM t ORDER BY a") }
  }

  @Test(arguments: Kind.allCases)
  func `an awaited access returns the value of its body`(_ kind: Kind) async throws {
    let database = try open(kind)
    try await database.perform { try $0.execute(sql: Self.insertion) }
    let one = try await database.write { connection in
      let value = try Self.insert(1, connection)
      return value
    }
    let two = try await database.transaction { connection in try Self.insert(2, connection) }
    let three = try await database.savepoint { connection in try Self.insert(3, connection) }
    let undone = try await database.transaction { connection, command in
      command = .rollback
      return try Self.insert(4, connection)
    }
    let kept = try await database.savepoint { connection, _ in try Self.insert(5, connection) }
    #expect([one, two, three] == [1, 2, 3])
    #expect(undone == (.rollback, 4))
    #expect(kept == (.commit, 5))
    #expect(try await database.read { try $0.integers("SELECT sum(a) FROM t") } == [11])
    await #expect(throws: ForeignError()) {
      try await database.write { connection in
        try connection.execute(sql: Self.insertion)
        throw ForeignError()
      }
    }
    #expect(try await database.read { try $0.integers("SELECT count(*) FROM t") } == [5])
  }

  @Test(arguments: Kind.allCases)
  func `a synchronous access returns the value of its body`(_ kind: Kind) throws {
    let database = try open(kind)
    #expect(try database.syncWrite { try Self.insert(1, $0) } == 1)
    #expect(try database.syncTransaction { try Self.insert(2, $0) } == 2)
    #expect(try database.syncSavepoint { try Self.insert(3, $0) } == 3)
    let undone = try database.syncTransaction { connection, command in
      command = .rollback
      return try Self.insert(4, connection)
    }
    let kept = try database.syncSavepoint { connection, _ in try Self.insert(5, connection) }
    #expect(undone == (.rollback, 4))
    #expect(kept == (.commit, 5))
    #expect(try database.sync(deadline: nil) { try $0.integers("SELECT sum(a) FROM t") } == [11])
    #expect(try rows(database) == [1, 2, 3, 5])
  }

  @Test(arguments: Kind.allCases)
  func `asynchronous accesses need no completion, and a dispatch group waits for all of them`(
    _ kind: Kind
  ) throws {
    let database = try open(kind)
    let group = DispatchGroup()
    let results = SharedLog<Int>()
    database.async(group: group) { try $0.execute(sql: Self.insertion) }
    database.asyncWrite(group: group) { try Self.insert(1, $0) }
    database.asyncTransaction(group: group) {
      try Self.insert(2, $0)
    } completion: { result in
      results.append((try? result.get()) ?? -1)
    }
    database.asyncTransaction(group: group) { connection, command in
      command = .rollback
      return try Self.insert(3, connection)
    } completion: { result in
      results.append((try? result.get().value) ?? -1)
    }
    database.asyncSavepoint(group: group) { try Self.insert(4, $0) }
    group.wait()
    database.asyncRead(group: group) {
      try $0.integers("SELECT sum(a) FROM t")
    } completion: { sum in
      results.append((try? sum.get().first) ?? -1)
    }
    database.asyncRead(group: group) { try $0.integers("SELECT a FROM t") }
    group.wait()
    #expect(results.entries == [2, 3, 7])
    #expect(try rows(database) == [0, 1, 2, 4])
  }

  @Test(arguments: Kind.allCases)
  func `a read cannot write and runs inside a transaction`(_ kind: Kind) async throws {
    let database = try open(kind)
    for sql in [Self.insertion, "DELETE FROM t", "CREATE TABLE u(a)", "PRAGMA user_version = 3"] {
      let error = await awaitedFailure { try await database.read { try $0.execute(sql: sql) } }
      #expect(error?.code == .readOnly, "\(sql)")
    }
    // The connection can write again in the next access.
    try await database.write { try $0.execute(sql: Self.insertion) }
    #expect(try await database.read { $0.isInAutocommit } == false)
    #expect(try await database.perform { $0.isInAutocommit })
  }

  @Test func `a read of a queue sees one state, as of its first query`() throws {
    var configuration = Configuration()
    configuration.journalMode = .wal
    let queue = try open(.queue, configuration)
    let other = try ConnectionQueue(path: folder.file())
    let counts = try queue.syncRead { connection in
      let before = try connection.integers("SELECT count(*) FROM t")
      try other.syncWrite { try $0.execute(sql: Self.insertion) }
      return try before + connection.integers("SELECT count(*) FROM t")
    }
    #expect(counts == [0, 0])
    #expect(try rows(queue) == [0])
  }

  /// A writer that another library could define: it implements only the required methods.
  private final class Forwarding: DatabaseWriter {
    private let queue: ConnectionQueue
    init(_ queue: ConnectionQueue) { self.queue = queue }

    func read<T: Sendable>(
      deadline: ContinuousClock.Instant?,
      _ body: @escaping @Sendable (inout sending Connection) throws -> T
    ) async throws -> T { try await queue.read(deadline: deadline, body) }

    func syncRead<T: Sendable>(
      deadline: ContinuousClock.Instant?, _ body: sending (inout sending Connection) throws -> T
    ) throws -> T { try queue.syncRead(deadline: deadline, body) }

    func asyncRead<T: Sendable>(
      group: DispatchGroup?, qos: DispatchQoS,
      _ body: @escaping @Sendable (inout sending Connection) throws -> T,
      completion: (@Sendable (Result<T, any Error>) -> Void)?
    ) { queue.asyncRead(group: group, qos: qos, body, completion: completion) }

    func perform<T: Sendable>(
      qos: DispatchQoS, deadline: ContinuousClock.Instant?,
      _ body: @escaping @Sendable (inout sending Connection) throws -> T
    ) async throws -> T { try await queue.perform(qos: qos, deadline: deadline, body) }

    func sync<T: Sendable>(
      deadline: ContinuousClock.Instant?, _ body: sending (inout sending Connection) throws -> T
    ) throws -> T { try queue.sync(deadline: deadline, body) }

    func async<T: Sendable>(
      group: DispatchGroup?, qos: DispatchQoS,
      _ body: @escaping @Sendable (inout sending Connection) throws -> T,
      completion: (@Sendable (Result<T, any Error>) -> Void)?
    ) { queue.async(group: group, qos: qos, body, completion: completion) }

    func syncClose(_ mode: CloseMode) throws { try queue.syncClose(mode) }
  }

  @Test
  func `a custom DatabaseWriter inherits every form of access from the protocol's extensions`()
    async throws
  {
    let database = Forwarding(try ConnectionQueue())
    try await database.perform { try $0.execute(sql: "CREATE TABLE t(a)") }
    #expect(try await database.write { try Self.insert(1, $0) } == 1)
    #expect(try await database.savepoint { try Self.insert(2, $0) } == 2)
    let (command, _) = try await database.transaction { connection, command in
      command = .rollback
      return try Self.insert(3, connection)
    }
    #expect(command == .rollback)
    #expect(try await database.read { try $0.integers("SELECT a FROM t") } == [1, 2])
    let copy = try ConnectionQueue()
    try await database.backup(to: copy)
    #expect(try await copy.read { try $0.integers("SELECT a FROM t") } == [1, 2])
    try await database.close()
    #expect(await awaitedFailure { try await database.read { _ in } }?.code == .misuseClosed)
  }

  @Test func `observing or streaming a custom DatabaseWriter throws misuse`() async throws {
    let database = Forwarding(try ConnectionQueue())
    let observation = await awaitedFailure {
      for try await _ in database.observe(.column(.int), sql: "SELECT 1") {}
    }
    let changes = await awaitedFailure { for try await _ in database.tableChanges() {} }
    let rows = await awaitedFailure {
      for try await _ in database.rows(.column(.int), sql: "SELECT 1") {}
    }
    let published = await awaitedFailure {
      for try await _ in database.rowPublisher(sql: "SELECT 1").mapRows(.column(.int)) {}
    }
    for error in [observation, changes, rows, published] {
      #expect(error?.code == .misuse)
      #expect(
        error?.message == "A Forwarding cannot be observed or streamed; use a queue or a pool")
    }
    database.noticeOtherWriters()
  }

  /// A monitor that counts failed accesses.
  private final class Failures: ConnectionMonitor {
    let accesses = Counter()
    func accessDidEnd(_ access: AccessRecord) { if access.isFailed { accesses.add() } }
  }

  @Test(arguments: Kind.allCases)
  func `a monitor receives the failure of an access without a completion`(_ kind: Kind) throws {
    let failures = Failures()
    var configuration = Configuration()
    configuration.monitor = failures
    let database = try open(kind, configuration)
    let group = DispatchGroup()
    database.async(group: group) { _ in throw ForeignError() }
    database.asyncRead(group: group) { _ in throw ForeignError() }
    database.asyncWrite(group: group) { _ in throw ForeignError() }
    group.wait()
    #expect(failures.accesses.count == 3)
  }

  @Test func `a suspended queue or pool closes only if its work is interrupted`() async throws {
    let queue = try ConnectionQueue(path: folder.file())
    let reader = try ConnectionReadQueue(writeQueue: queue)
    let pool = try ConnectionPool(path: folder.file())
    try await queue.suspend()
    try await reader.suspend()
    try await pool.suspend()
    for database in [queue, reader, pool] as [any DatabaseReader] {
      #expect(await awaitedFailure { try await database.close() }?.code == .misuse)
      try await database.close(.interrupt)
      #expect(await awaitedFailure { try await database.read { _ in } }?.code == .misuseClosed)
      try await database.close()
    }
    #expect(await awaitedFailure { try await pool.write { _ in } }?.code == .misuseClosed)
  }
}
