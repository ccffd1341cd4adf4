import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.monitoring), .timeLimit(.minutes(10))) struct `monitors` {
  /// A monitor that records the statements and accesses reported to it.
  private final class Log: ConnectionMonitor {
    let statements = SharedLog<StatementRecord>()
    let accesses = SharedLog<AccessRecord>()

    func statementDidEnd(_ statement: StatementRecord) { statements.append(statement) }
    func accessDidEnd(_ access: AccessRecord) { accesses.append(access) }
  }

  private let log = Log()

  private var configuration: Configuration {
    var configuration = Configuration()
    configuration.monitor = log
    return configuration
  }

  @Test func `a monitor receives each run of a statement with that run's own counts`() throws {
    let connection = try Connection(configuration: configuration)
    try connection.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (2), (1)")
    let before = log.statements.entries.count
    let statement = try connection.prepare(sql: "SELECT a FROM t WHERE a < ? ORDER BY a")
    for _ in 0..<2 { #expect(try statement.bind(9).rows().count == 2) }
    let records = log.statements.entries.dropFirst(before)
    #expect(records.map(\.sql) == Array(repeating: statement.sql, count: 2))
    #expect(records.map(\.rowCount) == [2, 2])
    #expect(records.map(\.sortCount) == [1, 1])
    for record in records { #expect(record.stepCount > 5 && record.duration >= .zero) }
    #expect(records.map(\.fullScanStepCount) == [1, 1])
  }

  @Test func `a monitor receives the accesses to a queue with labels, durations and failures`()
    async throws
  {
    let folder = try TestFolder()
    let queue = try ConnectionQueue(
      path: folder.file(), label: "app", configuration: configuration)
    try await queue.perform { try $0.execute(sql: "CREATE TABLE t(a)") }
    await apart {
      #expect(failure { try queue.sync { try $0.execute(sql: "SELECT 1") } } == nil)
      #expect(failure { try queue.sync(deadline: .now + .seconds(600)) { _ in } } == nil)
      #expect(failure { try queue.sync { try $0.execute(sql: "SELECT") } }?.code == .error)
    }
    let accesses = log.accesses.entries
    #expect(accesses.map(\.label) == ["app", "app", "app", "app"])
    #expect(accesses.map(\.isFailed) == [false, false, false, true])
    for access in accesses { #expect(access.wait >= .zero && access.duration >= .zero) }
  }

  @Test func `a monitor receives the number of lock waits of an access`() async throws {
    let folder = try TestFolder()
    var configuration = configuration
    configuration.busyTimeout = .seconds(600)
    let pool = try ConnectionPool(path: folder.file(), configuration: configuration)
    let other = try Connection(path: folder.file())
    try other.begin(.immediate)
    let writing = Task { try await pool.write { _ in } }
    while pool.status.lockWaitCount == 0 { await Task.yield() }
    try other.rollback()
    try await writing.value
    #expect((log.accesses.entries.last?.lockWaitCount ?? 0) > 0)
  }

  @Test func `a monitor receives reader accesses with a label derived from the pool`() async throws
  {
    let folder = try TestFolder()
    let pool = try ConnectionPool(
      path: folder.file(), readers: 1, label: "pool", configuration: configuration)
    try await pool.write { try $0.execute(sql: "CREATE TABLE t(a)") }
    try await pool.read { try $0.execute(sql: "SELECT * FROM t") }
    await apart {
      #expect(failure { try pool.syncRead { try $0.execute(sql: "SELECT * FROM t") } } == nil)
    }
    #expect(log.accesses.entries.map(\.label) == ["pool", "pool.reader", "pool.reader"])
    #expect(log.statements.entries.filter { $0.sql == "SELECT * FROM t" }.count == 2)
    #expect(pool.status.waitingWriteCount == 0)
  }

  @Test func `a configuration with a monitor equals only its own copies`() {
    let configuration = configuration
    let copy = configuration
    #expect(configuration == copy && configuration.monitor != nil)
    #expect(configuration != self.configuration)
    #expect(Configuration().monitor == nil)
  }
}
