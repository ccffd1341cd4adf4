import Dispatch
import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.concurrency), .timeLimit(.minutes(10))) struct `read transactions` {
  let folder: TestFolder
  let queue: ConnectionQueue
  let reader: ConnectionReadQueue

  init() throws {
    folder = try TestFolder()
    queue = try ConnectionQueue(path: folder.file(), configuration: .impatientWAL)
    try queue.sync { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
    reader = try ConnectionReadQueue(writeQueue: queue)
  }

  private func write(_ value: Int) throws { try queue.sync { try $0.insert(value) } }
  private func read() throws -> [Int] { try reader.sync { try $0.rows } }

  @Test func `a read transaction takes its snapshot when it begins, not at its first read`() throws
  {
    try reader.sync { try $0.beginReadTransaction() }
    try write(2)
    #expect(try read() == [1])
    #expect(try reader.sync { try $0.transactionState() } == .read)
    try reader.sync { try $0.endReadTransaction() }
    #expect(try read() == [1, 2])
  }

  @Test func `a scoped read transaction takes its snapshot when it begins`() throws {
    let rows = try reader.syncReadTransaction { connection in
      try queue.sync { try $0.insert(2) }
      return try connection.rows
    }
    #expect(rows == [1])
    #expect(try read() == [1, 2])
    #expect(try reader.sync { $0.isInAutocommit })
  }

  @Test func `awaited and asynchronous read transactions take their snapshots when they begin`()
    async throws
  {
    let rows = try await reader.readTransaction { connection in
      try queue.sync { try $0.insert(2) }
      return try connection.rows
    }
    #expect(rows == [1])
    let later = await withCheckedContinuation { continuation in
      reader.asyncReadTransaction { connection in
        try queue.sync { try $0.insert(3) }
        return try connection.rows
      } completion: {
        continuation.resume(returning: try? $0.get())
      }
    }
    #expect(later == [1, 2])
    #expect(try await reader.perform { try $0.rows } == [1, 2, 3])
  }

  @Test func `updateReadTransaction moves the snapshot to the latest commit`() throws {
    try reader.sync { try $0.beginReadTransaction() }
    try write(2)
    #expect(try read() == [1])
    try reader.sync { try $0.updateReadTransaction() }
    try write(3)
    #expect(try read() == [1, 2])
    try reader.sync { try $0.endReadTransaction() }
    #expect(try read() == [1, 2, 3])
  }

  @Test func `a read transaction can begin, update and end in awaited calls`() async throws {
    try await reader.perform { try $0.beginReadTransaction() }
    try await queue.perform { try $0.insert(2) }
    #expect(try await reader.perform { try $0.rows } == [1])
    try await reader.perform { try $0.updateReadTransaction() }
    #expect(try await reader.perform { try $0.rows } == [1, 2])
    try await reader.perform { try $0.endReadTransaction() }
    let again = await awaitedFailure { try await reader.perform { try $0.endReadTransaction() } }
    #expect(again?.code == .misuse)
    let update = await awaitedFailure {
      try await reader.perform { try $0.updateReadTransaction() }
    }
    #expect(update?.code == .misuse)
  }

  @Test func `each read queue has its own snapshot`() throws {
    let readers = try (0..<4).map { _ in try ConnectionReadQueue(writeQueue: queue) }
    for (number, reader) in readers.enumerated() {
      try reader.sync { try $0.beginReadTransaction() }
      try write(number + 2)
    }
    for (number, reader) in readers.enumerated() {
      #expect(try reader.sync { try $0.rows } == Array(1...(number + 1)))
    }
    try readers[1].sync { try $0.updateReadTransaction() }
    #expect(try readers[1].sync { try $0.rows } == [1, 2, 3, 4, 5])
    #expect(try readers[0].sync { try $0.rows } == [1])
    for reader in readers { try reader.sync { try $0.endReadTransaction() } }
  }

  @Test func `a write queue can commit during a read transaction, which does not see the commits`()
    throws
  {
    try reader.sync { try $0.beginReadTransaction() }
    for value in 2...50 {
      try queue.syncTransaction { connection, _ in try connection.insert(value) }
    }
    #expect(try queue.sync { try $0.rows } == Array(1...50))
    #expect(try read() == [1])
    try reader.sync { try $0.endReadTransaction() }
    #expect(try read() == Array(1...50))
    #expect(try queue.sync { try $0.value("PRAGMA wal_checkpoint(TRUNCATE)") } == 0)
  }

  @Test func `ending or updating a read transaction that has not begun throws misuse`() throws {
    #expect(failure { try reader.sync { try $0.endReadTransaction() } }?.code == .misuse)
    #expect(failure { try reader.sync { try $0.updateReadTransaction() } }?.code == .misuse)
    #expect(try reader.sync { $0.isInAutocommit })
    try reader.sync { try $0.beginReadTransaction() }
    try reader.sync { try $0.endReadTransaction() }
    #expect(failure { try reader.sync { try $0.endReadTransaction() } }?.code == .misuse)
  }

  @Test func `beginning a second read transaction throws misuse and preserves the first`() throws {
    try reader.sync { try $0.beginReadTransaction() }
    try write(2)
    #expect(failure { try reader.sync { try $0.beginReadTransaction() } }?.code == .misuse)
    #expect(try read() == [1])
    try reader.sync { try $0.endReadTransaction() }
  }

  @Test func `a scoped read transaction inside an open read transaction uses its snapshot`() throws
  {
    try reader.sync { try $0.beginReadTransaction() }
    try write(2)
    #expect(try reader.syncReadTransaction { try $0.rows } == [1])
    #expect(throws: ForeignError()) { try reader.syncReadTransaction { _ in throw ForeignError() } }
    #expect(try read() == [1])
    #expect(try reader.sync { !$0.isInAutocommit })
    try reader.sync { try $0.endReadTransaction() }
  }

  @Test func `a read transaction ends if its body throws`() throws {
    #expect(throws: ForeignError()) { try reader.syncReadTransaction { _ in throw ForeignError() } }
    #expect(try reader.sync { $0.isInAutocommit })
    #expect(try queue.sync { try $0.value("PRAGMA wal_checkpoint(TRUNCATE)") } == 0)
  }

  @Test func `a read transaction can write only temporary tables`() throws {
    #expect(failure { try reader.syncReadTransaction { try $0.insert(2) } }?.code == .readOnly)
    try reader.syncReadTransaction {
      try $0.execute(sql: "CREATE TEMP TABLE u(a); INSERT INTO u VALUES (5)")
    }
    #expect(try reader.sync { try $0.integers("SELECT a FROM u") } == [5])
  }

  @Test
  func `updateReadTransaction and endReadTransaction throw misuse in a write transaction`() throws {
    let connection = try Connection()
    try connection.execute(sql: "CREATE TABLE t(a)")
    try connection.begin(.immediate)
    try connection.execute(sql: "INSERT INTO t VALUES (1)")
    #expect(failure { try connection.updateReadTransaction() }?.code == .misuse)
    #expect(failure { try connection.endReadTransaction() }?.code == .misuse)
    try connection.commit()
    #expect(try connection.rows == [1])
  }
}
