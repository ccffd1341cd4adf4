import Dispatch
import SluiceCore
import SluiceTesting
import TestSupport
import Testing

@Suite(.tags(.concurrency), .timeLimit(.minutes(10))) struct `the order of calls on a queue` {
  let queue: ConnectionQueue

  init() throws {
    queue = try ConnectionQueue()
    try queue.sync { connection in
      try connection.execute(
        sql: "CREATE TABLE t(thread, number); CREATE TABLE c(n); INSERT INTO c VALUES (0)")
    }
  }

  /// Makes a call in the given form, which inserts a row.
  private func call(_ form: Int, _ thread: Int, _ number: Int, _ group: DispatchGroup) throws {
    let insert = { @Sendable (connection: Connection) in
      try connection.execute(
        sql: "INSERT INTO t VALUES (?, ?)", parameters: .int(thread), .int(number))
    }
    let completion = { @Sendable (error: (any Error)?) in if let error { Issue.record(error) } }
    switch form {
    case 0: try queue.sync { connection in try insert(connection) }
    case 1:
      queue.async(group: group) {
        try insert($0)
      } completion: {
        completion($0.failure)
      }
    case 2: try queue.syncTransaction { connection, _ in try insert(connection) }
    case 3:
      queue.asyncTransaction(group: group) { connection, _ in
        try insert(connection)
      } completion: {
        completion($0.failure)
      }
    case 4: try queue.syncSavepoint { connection, _ in try insert(connection) }
    default:
      queue.asyncSavepoint(group: group) { connection, _ in
        try insert(connection)
      } completion: {
        completion($0.failure)
      }
    }
  }

  private func numbers(of thread: Int) throws -> [Int] {
    try queue.sync { connection in
      try connection.integers("SELECT number FROM t WHERE thread = \(thread) ORDER BY rowid")
    }
  }

  @Test func `the calls of one thread run in order, even if their forms differ`() throws {
    let group = DispatchGroup()
    var random = SeededGenerator(seed: 1)
    for number in 0..<1200 {
      try call(.random(in: 0..<6, using: &random), 0, number, group)
    }
    #expect(group.finishes())
    #expect(try numbers(of: 0) == Array(0..<1200))
  }

  @Test func `the calls of each concurrent thread run in the order of that thread`() throws {
    let group = DispatchGroup()
    let isDone = concurrently(6) { thread in
      var random = SeededGenerator(seed: UInt64(thread))
      for number in 0..<200 {
        do { try call(.random(in: 0..<6, using: &random), thread, number, group) } catch {
          Issue.record(error)
        }
      }
    }
    #expect(isDone)
    #expect(group.finishes())
    for thread in 0..<6 { #expect(try numbers(of: thread) == Array(0..<200)) }
  }

  @Test func `awaited calls of one task run in order`() async throws {
    for number in 0..<300 {
      switch number % 4 {
      case 0:
        try await queue.perform { try $0.execute(sql: "INSERT INTO t VALUES (0, \(number))") }
      case 1:
        try await queue.transaction { connection, _ in
          try connection.execute(sql: "INSERT INTO t VALUES (0, \(number))")
        }
      case 2:
        try await queue.savepoint { connection, _ in
          try connection.execute(sql: "INSERT INTO t VALUES (0, \(number))")
        }
      default:
        queue.async {
          try $0.execute(sql: "INSERT INTO t VALUES (0, \(number))")
        } completion: { _ in
        }
      }
    }
    let numbers = try await queue.perform { try $0.integers("SELECT number FROM t ORDER BY rowid") }
    #expect(numbers == Array(0..<300))
  }

  @Test func `a sync waits for an earlier async`() throws {
    let gate = Gate()
    let log = SharedLog<String>()
    queue.async { _ in
      #expect(gate.pass())
      log.append("async")
    } completion: { _ in
    }
    DispatchQueue(label: "opener").async { gate.open() }
    try queue.sync { _ in log.append("sync") }
    #expect(log.entries == ["async", "sync"])
  }

  @Test func `1,000 concurrent increments by threads lose no increment`() throws {
    let isDone = concurrently(8) { _ in
      for _ in 0..<125 {
        do {
          try queue.syncTransaction { connection, _ in
            let now = try connection.integers("SELECT n FROM c")[0]
            try connection.execute(sql: "UPDATE c SET n = ?", parameters: .int(now + 1))
          }
        } catch { Issue.record(error) }
      }
    }
    #expect(isDone)
    #expect(try queue.sync { try $0.integers("SELECT n FROM c") } == [1000])
  }

  @Test func `1,000 concurrent increments by tasks lose no increment`() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<1000 {
        group.addTask {
          let increment = { @Sendable (connection: Connection) in
            let now = try connection.integers("SELECT n FROM c")[0]
            try connection.execute(sql: "UPDATE c SET n = ?", parameters: .int(now + 1))
          }
          if number % 2 == 0 {
            try await queue.perform { try increment($0) }
          } else {
            try await queue.transaction { connection, _ in try increment(connection) }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await queue.perform { try $0.integers("SELECT n FROM c") } == [1000])
  }

  @Test func `awaited calls return values and rethrow errors`() async throws {
    #expect(try await queue.perform { _ in 1 } == 1)
    let ended = try await queue.transaction { _, command in
      command = .rollback
      return 2
    }
    #expect(ended.command == .rollback)
    #expect(ended.value == 2)
    await #expect(throws: ForeignError("perform")) {
      try await queue.perform { _ in throw ForeignError("perform") }
    }
    await #expect(throws: ForeignError("transaction")) {
      try await queue.transaction { _, _ in throw ForeignError("transaction") }
    }
    await #expect(throws: ForeignError("savepoint")) {
      try await queue.savepoint { _, _ in throw ForeignError("savepoint") }
    }
  }

  @Test func `synchronous calls return values and rethrow errors`() throws {
    #expect(try queue.sync { _ in 1 } == 1)
    #expect(try queue.syncTransaction { _, _ in 2 }.value == 2)
    #expect(try queue.syncSavepoint { _, _ in 3 }.value == 3)
    #expect(throws: ForeignError()) { try queue.sync { _ in throw ForeignError() } }
    #expect(throws: ForeignError()) { try queue.syncTransaction { _, _ in throw ForeignError() } }
    #expect(try queue.sync { $0.isInAutocommit })
  }
}

extension Result {
  var failure: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }
}
