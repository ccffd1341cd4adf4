import Dispatch
import SluiceCore
import TestSupport
import Testing

/// Bodies that replace the queue's connection with another connection.
@Suite(.tags(.concurrency, .reliability), .timeLimit(.minutes(10))) struct `replaced connections` {
  typealias Swap = @Sendable (inout sending Connection) throws -> Void

  private static func expectClosed(_ queue: ConnectionQueue) {
    for _ in 0..<2 {
      #expect(failure { try queue.sync { _ in Issue.record("a body ran") } }?.code == .misuse)
      #expect(
        failure { try queue.syncTransaction { _, _ in Issue.record("a body ran") } }?.code
          == .misuse)
    }
    let group = DispatchGroup()
    let codes = SharedLog<ResultCode?>()
    queue.async(group: group) { _ in
      Issue.record("a body ran")
    } completion: {
      codes.append(($0.failure as? SQLiteError)?.code)
    }
    queue.asyncTransaction(group: group) { _, _ in
      Issue.record("a body ran")
    } completion: {
      codes.append(($0.failure as? SQLiteError)?.code)
    }
    #expect(group.finishes())
    #expect(codes.entries == [.misuse, .misuse])
  }

  @Test(arguments: [false, true])
  func `a sync whose body assigns another connection throws and closes the queue`(
    _ isThrowing: Bool
  ) throws {
    let queue = try ConnectionQueue()
    do {
      try queue.sync { connection in
        connection = try Connection()
        if isThrowing { throw ForeignError() }
      }
      Issue.record("the exchange went unseen")
    } catch let error as SQLiteError {
      #expect(!isThrowing)
      #expect(error.code == .misuse)
    } catch {
      // The error that the body throws takes precedence.
      #expect(isThrowing)
    }
    Self.expectClosed(queue)
  }

  @Test(arguments: [false, true])
  func `a transaction whose body assigns another connection throws and closes the queue`(
    _ isThrowing: Bool
  )
    throws
  {
    let queue = try ConnectionQueue()
    do {
      try queue.syncTransaction { connection, _ in
        connection = try Connection()
        if isThrowing { throw ForeignError() }
      }
      Issue.record("the exchange went unseen")
    } catch let error as SQLiteError {
      #expect(!isThrowing)
      #expect(error.code == .misuse)
    } catch {
      #expect(isThrowing)
    }
    Self.expectClosed(queue)
  }

  @Test
  func `an async call whose body assigns another connection reports misuse to its completion`()
    throws
  {
    let group = DispatchGroup()
    let codes = SharedLog<ResultCode?>()
    let one = try ConnectionQueue()
    one.async(group: group) { connection in
      connection = try Connection()
    } completion: {
      codes.append(($0.failure as? SQLiteError)?.code)
    }
    let other = try ConnectionQueue()
    other.asyncTransaction(group: group) { connection, _ in
      connection = try Connection()
    } completion: {
      codes.append(($0.failure as? SQLiteError)?.code)
    }
    #expect(group.finishes())
    #expect(codes.entries == [.misuse, .misuse])
    Self.expectClosed(one)
    Self.expectClosed(other)
  }

  @Test func `an awaited call whose body assigns another connection throws misuse`() async throws {
    let one = try ConnectionQueue()
    let own = await awaitedFailure { try await one.perform { $0 = try Connection() } }
    #expect(own?.code == .misuse)
    let later = await awaitedFailure { try await one.perform { _ in } }
    #expect(later?.code == .misuse)
    let other = try ConnectionQueue()
    let transacted = await awaitedFailure {
      try await other.transaction { connection, _ in connection = try Connection() }
    }
    #expect(transacted?.code == .misuse)
    Self.expectClosed(one)
    Self.expectClosed(other)
  }

  @Test(arguments: [false, true])
  func `a read whose body assigns another connection throws and closes the read queue`(
    _ isThrowing: Bool
  )
    throws
  {
    let folder = try TestFolder()
    let queue = try ConnectionQueue(path: folder.file(), configuration: .impatientWAL)
    for isTransaction in [false, true] {
      let reader = try ConnectionReadQueue(writeQueue: queue)
      let exchange: Swap = { connection in
        connection = try Connection()
        if isThrowing { throw SQLiteError(.full, "by us") }
      }
      let error = failure {
        if isTransaction {
          try reader.syncReadTransaction { try exchange(&$0) }
        } else {
          try reader.sync { try exchange(&$0) }
        }
      }
      #expect(error?.code == (isThrowing ? .full : .misuse))
      #expect(failure { try reader.sync { _ in } }?.code == .misuse)
      #expect(failure { try reader.syncReadTransaction { _ in } }?.code == .misuse)
      #expect(failure { try reader.sync { try $0.beginReadTransaction() } }?.code == .misuse)
    }
    try queue.sync { try $0.execute(sql: "CREATE TABLE t(a)") }
  }

  @Test func `a body may assign another connection if it restores the original`() throws {
    let queue = try ConnectionQueue()
    try queue.sync { connection in
      try connection.execute(sql: "CREATE TABLE t(a)")
      let own = connection
      connection = try Connection()
      connection = own
    }
    try queue.sync { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
    #expect(try queue.sync { try $0.integers("SELECT a FROM t") } == [1])
  }

  @Test func `a call whose body assigns several connections throws misuse`() throws {
    let queue = try ConnectionQueue()
    let error = failure {
      try queue.sync { connection in
        for _ in 0..<3 { connection = try Connection() }
      }
    }
    #expect(error?.code == .misuse)
    Self.expectClosed(queue)
  }

  @Test func `a transaction whose body assigns another connection commits nothing`() throws {
    let folder = try TestFolder()
    let queue = try ConnectionQueue(path: folder.file(), configuration: .impatient)
    try queue.sync { try $0.execute(sql: "CREATE TABLE t(a)") }
    let error = failure {
      try queue.syncTransaction { connection, _ in
        try connection.execute(sql: "INSERT INTO t VALUES (1)")
        connection = try Connection()
      }
    }
    #expect(error?.code == .misuse)
    let after = try Connection(path: folder.file(), configuration: .impatient)
    #expect(try after.integers("SELECT count(*) FROM t") == [0])
    try after.execute(sql: "INSERT INTO t VALUES (2)")
  }
}
