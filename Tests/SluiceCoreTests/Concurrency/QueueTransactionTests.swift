import Dispatch
import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.concurrency, .reliability), .timeLimit(.minutes(10))) struct `transactions on a queue`
{
  let folder: TestFolder
  let queue: ConnectionQueue

  init() throws {
    folder = try TestFolder()
    queue = try ConnectionQueue(path: folder.file(), configuration: .impatientWAL)
    try queue.sync { connection in try connection.execute(sql: "CREATE TABLE t(a UNIQUE)") }
  }

  /// Returns the code that another connection throws when it begins to write, or nil if it can write.
  private static func canWrite(_ path: String) -> ResultCode? {
    failure {
      let other = try Connection(path: path, configuration: .impatient)
      try other.begin(.immediate)
      try other.rollback()
    }?.code
  }

  @Test func `a transaction on a queue is immediate by default`() throws {
    let path = folder.file()
    try queue.syncTransaction { connection, _ throws in
      #expect(try connection.transactionState() == .write)
      #expect(Self.canWrite(path) == .busy)
    }
    #expect(Self.canWrite(path) == nil)
  }

  @Test func `awaited and asynchronous transactions are immediate by default`() async throws {
    let path = folder.file()
    let state = try await queue.transaction { connection, _ in
      #expect(Self.canWrite(path) == .busy)
      return try connection.transactionState()
    }
    #expect(state.value == .write)
    let later = await withCheckedContinuation { continuation in
      queue.asyncTransaction { connection, _ in
        #expect(Self.canWrite(path) == .busy)
        return try connection.transactionState()
      } completion: {
        continuation.resume(returning: try? $0.get().value)
      }
    }
    #expect(later == .write)
  }

  @Test func `a transaction on a queue can be deferred`() throws {
    let path = folder.file()
    try queue.syncTransaction(.deferred) { connection, _ throws in
      #expect(try connection.transactionState() == .none)
      #expect(Self.canWrite(path) == nil)
    }
  }

  @Test func `a transaction that cannot begin throws busy, and the queue remains usable`() throws {
    let other = try Connection(path: folder.file(), configuration: .impatient)
    try other.begin(.immediate)
    #expect(
      failure { try queue.syncTransaction { _, _ in Issue.record("a body ran") } }?.code == .busy)
    #expect(try queue.sync { $0.isInAutocommit })
    try other.rollback()
    try queue.syncTransaction { connection, _ in try connection.insert(1) }
  }

  @Test func `awaited transactions and savepoints commit, roll back and rethrow errors`()
    async throws
  {
    let kept = try await queue.transaction { connection, _ in try connection.insert(1) }
    #expect(kept.command == .commit)
    let undone = try await queue.savepoint("it's") { connection, command in
      try connection.insert(2)
      command = .rollback
    }
    #expect(undone.command == .rollback)
    await #expect(throws: ForeignError()) {
      try await queue.transaction { connection, _ in
        try connection.insert(3)
        throw ForeignError()
      }
    }
    await #expect(throws: ForeignError()) {
      try await queue.savepoint { connection, _ in
        try connection.insert(4)
        throw ForeignError()
      }
    }
    let (rows, isIdle) = try await queue.perform { (try $0.rows, $0.isInAutocommit) }
    #expect(rows == [1])
    #expect(isIdle)
  }

  @Test func `transactions and savepoints nest inside a transaction of a queue`() throws {
    try queue.syncTransaction { connection, _ in
      try connection.insert(1)
      try connection.transaction { connection, command in
        try connection.insert(2)
        command = .rollback
      }
      try connection.savepoint { connection, _ in try connection.insert(3) }
    }
    #expect(try queue.sync { try $0.rows } == [1, 3])
  }

  @Test func `a transaction whose body ends it with SQL throws misuse`() throws {
    for sql in ["COMMIT", "ROLLBACK"] {
      let error = failure {
        try queue.syncTransaction { connection, _ in
          try connection.execute(sql: sql)
          #expect(failure { try connection.insert(1) }?.code == .misuse)
        }
      }
      #expect(error?.code == .misuse)
    }
    #expect(try queue.sync { try $0.rows } == [])
  }

  @Test func `closing the connection inside a transaction throws misuse`() throws {
    #expect(
      failure { try queue.syncTransaction { connection, _ in try connection.close() } }?.code
        == .misuse
    )
    #expect(failure { try queue.sync { try $0.rows } }?.code == .misuseClosed)
  }
}

/// A transaction that SQLite rolls back automatically remains rolled back in every form of call.
@Suite(.tags(.reliability), .timeLimit(.minutes(10)))
struct `automatic rollback on a queue` {
  let queue: ConnectionQueue

  init() throws {
    queue = try ConnectionQueue()
    try queue.sync { connection in try RollbackCause.prepare(connection) }
  }

  private static func body(_ connection: Connection, _ cause: RollbackCause, _ isSwallowing: Bool)
    throws
  {
    try connection.insert(1)
    if !isSwallowing { try cause.strike(connection) }
    _ = failure { try cause.strike(connection) }
    #expect(cause.isNamed(by: failure { try connection.insert(2) }))
    #expect(cause.isNamed(by: failure { try connection.rows }))
  }

  @Test(arguments: RollbackCause.allCases, [false, true])
  func `a synchronous transaction throws the cause of an automatic rollback`(
    _ cause: RollbackCause, _ isSwallowing: Bool
  ) throws {
    let error = failure {
      try queue.syncTransaction { connection, _ in try Self.body(connection, cause, isSwallowing) }
    }
    #expect(cause.isNamed(by: error))
    #expect(try queue.sync { $0.isInAutocommit })
    #expect(try queue.sync { try $0.rows } == [0])
    try queue.syncTransaction { connection, _ in try connection.insert(9) }
    #expect(try queue.sync { try $0.rows } == [0, 9])
  }

  @Test(arguments: RollbackCause.allCases, [false, true])
  func `an asynchronous transaction reports the cause of an automatic rollback`(
    _ cause: RollbackCause, _ isSwallowing: Bool
  ) throws {
    let group = DispatchGroup()
    let errors = SharedLog<SQLiteError?>()
    queue.asyncTransaction(group: group) { connection, _ in
      try Self.body(connection, cause, isSwallowing)
    } completion: {
      errors.append($0.failure as? SQLiteError)
    }
    queue.asyncTransaction(group: group) { connection, _ in
      try connection.insert(9)
    } completion: {
      errors.append($0.failure as? SQLiteError)
    }
    #expect(group.finishes())
    #expect(cause.isNamed(by: errors.entries.first ?? nil))
    #expect(errors.entries.last == .some(nil))
    #expect(try queue.sync { try $0.rows } == [0, 9])
  }

  @Test(arguments: RollbackCause.allCases, [false, true])
  func `an awaited transaction or savepoint throws the cause of an automatic rollback`(
    _ cause: RollbackCause, _ isSwallowing: Bool
  ) async throws {
    let error = await awaitedFailure {
      try await queue.transaction { connection, _ in
        try Self.body(connection, cause, isSwallowing)
      }
    }
    #expect(cause.isNamed(by: error))
    let nested = await awaitedFailure {
      try await queue.savepoint { connection, _ in
        _ = try? connection.transaction { connection, _ in
          try Self.body(connection, cause, isSwallowing)
        }
        #expect(cause.isNamed(by: failure { try connection.insert(3) }))
      }
    }
    #expect(cause.isNamed(by: nested))
    try await queue.transaction { connection, _ in try connection.insert(9) }
    #expect(try await queue.perform { try $0.rows } == [0, 9])
  }
}
