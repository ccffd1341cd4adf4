import SluiceCore
import TestSupport
import Testing

/// An awaited access that runs a closure.
enum AwaitedForm: CaseIterable, Sendable {
  case perform, transaction, savepoint, rows
  case readPerform, readTransaction, readRows
  case poolRead, poolWrite, poolPerform, poolRows
  case memoryRead, memoryWrite, memoryRows

  /// The forms whose closure receives the connection.
  static let lending = allCases.filter { ![.rows, .readRows, .poolRows, .memoryRows].contains($0) }
  /// The forms that write in a transaction.
  static let writing: [Self] = [.transaction, .savepoint, .poolWrite, .memoryWrite]
}

/// Queues and pools on databases that contain a table `t` with one row.
struct AwaitedStage: Sendable {
  let folder: TestFolder
  let queue: ConnectionQueue
  let reader: ConnectionReadQueue
  let pool: ConnectionPool
  let memory: ConnectionPool

  /// The statement that each access runs in addition to its closure.
  static let sql = "SELECT 41"

  init(monitor: (any ConnectionMonitor)? = nil) async throws {
    folder = try TestFolder()
    var configuration = Configuration()
    configuration.journalMode = .wal
    // The queue and the pool write to the same file, so one may wait for the lock of the other.
    configuration.busyTimeout = .seconds(600)
    try Connection(path: folder.file(), configuration: configuration)
      .execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
    configuration.monitor = monitor
    queue = try ConnectionQueue(path: folder.file(), configuration: configuration)
    reader = try ConnectionReadQueue(writeQueue: queue)
    pool = try ConnectionPool(path: folder.file(), readers: 2, configuration: configuration)
    configuration.journalMode = nil
    memory = try ConnectionPool(configuration: configuration)
    try await memory.write { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
  }

  /// Runs an access whose closure calls `body`.
  ///
  /// `body` receives the connection, or nil if the form is a stream.
  func access<T: Sendable>(
    _ form: AwaitedForm, deadline: ContinuousClock.Instant? = nil,
    _ body: @escaping @Sendable (Connection?) throws -> T
  ) async throws -> T {
    let run = { @Sendable (connection: Connection) throws -> T in
      try connection.execute(sql: Self.sql)
      return try body(connection)
    }
    switch form {
    case .perform: return try await queue.perform(deadline: deadline) { try run($0) }
    case .transaction:
      return try await queue.transaction(retries: 3, deadline: deadline) { connection, _ in
        try run(connection)
      }.value
    case .savepoint:
      return try await queue.savepoint(deadline: deadline) { connection, _ in
        try run(connection)
      }.value
    case .readPerform: return try await reader.perform(deadline: deadline) { try run($0) }
    case .readTransaction:
      return try await reader.readTransaction(deadline: deadline) { try run($0) }
    case .poolRead: return try await pool.read(deadline: deadline) { try run($0) }
    case .poolWrite: return try await pool.write(deadline: deadline) { try run($0) }
    case .poolPerform: return try await pool.perform(deadline: deadline) { try run($0) }
    case .memoryRead: return try await memory.read(deadline: deadline) { try run($0) }
    case .memoryWrite: return try await memory.write(deadline: deadline) { try run($0) }
    case .rows: return try await row(of: queue, body)
    case .readRows: return try await row(of: reader, body)
    case .poolRows: return try await row(of: pool, body)
    case .memoryRows: return try await row(of: memory, body)
    }
  }

  private func row<T: Sendable>(
    of source: some DatabaseReader, _ body: @escaping @Sendable (Connection?) throws -> T
  ) async throws -> T {
    var values: [T] = []
    for try await value in source.rows(RowConverter { _ in try body(nil) }, sql: Self.sql) {
      values.append(value)
    }
    return try #require(values.first)
  }

  /// Returns the number of rows of `t` in the database that `form` writes to.
  func rowCount(of form: AwaitedForm) async throws -> Int? {
    let pool = [.memoryRead, .memoryWrite].contains(form) ? memory : pool
    return try await pool.perform { try $0.integers("SELECT count(*) FROM t").first }
  }
}

/// Runs `body` in a detached task, and returns the result of `body`.
///
/// No task awaits the detached task, so no waiter raises its priority.
func ownTask<T: Sendable>(
  priority: TaskPriority, _ body: @escaping @Sendable () async throws -> T
) async throws -> T {
  try await withCheckedThrowingContinuation { continuation in
    Task.detached(priority: priority) {
      do { continuation.resume(returning: try await body()) } catch {
        continuation.resume(throwing: error)
      }
    }
  }
}
