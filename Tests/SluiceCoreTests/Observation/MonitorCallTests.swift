import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.monitoring), .timeLimit(.minutes(10)))
struct `monitors that use the connections they observe` {
  /// A monitor that runs its actions at the end of each access.
  private final class Caller: ConnectionMonitor {
    let actions = SharedLog<@Sendable () -> Void>()
    let told = Counter()
    let statements = SharedLog<String>()

    func statementDidEnd(_ statement: StatementRecord) { statements.append(statement.sql) }

    func accessDidEnd(_ access: AccessRecord) {
      told.add()
      for action in actions.entries { action() }
    }
  }

  private let folder: TestFolder
  private let caller = Caller()
  private let queue: ConnectionQueue
  private let pool: ConnectionPool

  init() throws {
    folder = try TestFolder()
    try Connection(path: folder.file(), configuration: .impatientWAL)
      .execute(sql: "CREATE TABLE t(a)")
    var configuration = Configuration()
    configuration.monitor = caller
    queue = try ConnectionQueue(path: folder.file(), configuration: configuration)
    pool = try ConnectionPool(path: folder.file(), readers: 1, configuration: configuration)
  }

  enum Form: CaseIterable, Sendable {
    case sync, syncInTime, syncTransaction, perform, async
    case syncRead, syncReadInTime, syncWrite, read, write
  }

  private func call(_ form: Form) async throws {
    let later = ContinuousClock.now + .seconds(patience)
    switch form {
    case .perform: try await queue.perform { try $0.execute(sql: "SELECT 1") }
    case .async:
      try await withCheckedThrowingContinuation { continuation in
        queue.async {
          try $0.execute(sql: "SELECT 1")
        } completion: {
          continuation.resume(with: $0)
        }
      }
    case .read: try await pool.read { try $0.execute(sql: "SELECT 1") }
    case .write: try await pool.write { try $0.execute(sql: "SELECT 1") }
    default:
      let error = await apart {
        failure {
          switch form {
          case .sync: try queue.sync { try $0.execute(sql: "SELECT 1") }
          case .syncInTime: try queue.sync(deadline: later) { try $0.execute(sql: "SELECT 1") }
          case .syncTransaction:
            try queue.syncTransaction { connection, _ in try connection.execute(sql: "SELECT 1") }
          case .syncRead: try pool.syncRead { try $0.execute(sql: "SELECT 1") }
          case .syncReadInTime:
            try pool.syncRead(deadline: later) { try $0.execute(sql: "SELECT 1") }
          default: try pool.syncWrite { try $0.execute(sql: "SELECT 1") }
          }
        }
      }
      #expect(error == nil)
    }
  }

  @Test(arguments: Form.allCases)
  func `a monitor's own synchronous accesses succeed and are not reported`(
    _ form: Form
  ) async throws {
    let errors = SharedLog<SQLiteError?>()
    let later = ContinuousClock.now + .seconds(patience)
    caller.actions.append { [queue, pool] in
      let insert = "INSERT INTO t VALUES (1)"
      errors.append(failure { try queue.sync { try $0.execute(sql: insert) } })
      errors.append(failure { try queue.sync(deadline: later) { try $0.execute(sql: insert) } })
      errors.append(
        failure {
          try queue.syncTransaction { connection, _ in try connection.execute(sql: insert) }
        })
      errors.append(failure { try pool.syncRead { _ = try $0.integers("SELECT a FROM t") } })
      errors.append(
        failure { try pool.syncRead(deadline: later) { _ = try $0.integers("SELECT a FROM t") } })
      errors.append(failure { try pool.syncWrite { try $0.execute(sql: insert) } })
    }
    let before = caller.statements.entries.count
    try await call(form)
    #expect(errors.entries == Array(repeating: nil, count: 6))
    #expect(caller.told.count == 1)
    let statements = caller.statements.entries.dropFirst(before)
    #expect(statements.filter { $0.contains("FROM t") || $0.contains("INTO t") }.isEmpty)
    #expect(statements.contains("SELECT 1"))
    #expect(
      try Connection(path: folder.file()).integers("SELECT count(*) FROM t") == [4])
  }

  @Test func `a monitor can access a connection that other tasks wait for`() async throws {
    let errors = SharedLog<SQLiteError?>()
    caller.actions.append { [queue, pool] in
      errors.append(failure { try pool.syncRead { _ in } })
      errors.append(failure { try queue.sync { _ in } })
    }
    try await withThrowingTaskGroup { tasks in
      for number in 0..<40 {
        tasks.addTask { [queue, pool] in
          if number.isMultiple(of: 2) {
            try await pool.read { _ in }
          } else {
            try await queue.perform { _ in }
          }
        }
      }
      try await tasks.waitForAll()
    }
    #expect(caller.told.count == 40)
    #expect(errors.entries == Array(repeating: nil, count: 80))
  }

  @Test func `accesses by a monitor do not change the order of completions`() async throws {
    let order = SharedLog<Int>()
    caller.actions.append { [queue] in
      queue.async { _ in
      } completion: { _ in
      }
    }
    for number in 0..<100 {
      queue.async { _ in
      } completion: { _ in
        order.append(number)
      }
    }
    while order.entries.count < 100 { await Task.yield() }
    #expect(order.entries == Array(0..<100))
  }
}
