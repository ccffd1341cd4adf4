import SluiceCore
import TestSupport
import Testing

/// If a call could leave a transaction open, the transactions of later calls would nest in it and commit nothing.
@Suite(.tags(.concurrency), .timeLimit(.minutes(10))) struct `transactions left open` {
  let queue: ConnectionQueue

  init() throws {
    queue = try ConnectionQueue()
    try queue.sync { try $0.execute(sql: "CREATE TABLE t(a)") }
  }

  private var count: Int? {
    get throws { try queue.sync { try $0.first(.column(.int), sql: "SELECT count(*) FROM t") } }
  }

  @Test(arguments: [
    "BEGIN; INSERT INTO t VALUES (1)", "SAVEPOINT s; INSERT INTO t VALUES (1)", "BEGIN IMMEDIATE",
  ])
  func `an access whose body leaves a transaction open throws, and the transaction is rolled back`(
    sql: String
  ) throws {
    #expect(failure { try queue.sync { try $0.execute(sql: sql) } }?.code == .misuse)
    #expect(try queue.sync { $0.isInAutocommit })
    #expect(try count == 0)
    try queue.syncTransaction { connection, _ in
      try connection.execute(sql: "INSERT INTO t VALUES (2)")
    }
    #expect(try count == 1)
  }

  @Test func `an awaited access whose body leaves a transaction open throws and is rolled back`()
    async throws
  {
    let error = await #expect(throws: SQLiteError.self) {
      try await queue.perform { try $0.execute(sql: "BEGIN; INSERT INTO t VALUES (1)") }
    }
    #expect(error?.code == .misuse)
    #expect(try await queue.perform { $0.isInAutocommit })
  }

  @Test func `an access whose body throws between begin and commit rethrows the body's error`()
    throws
  {
    struct Refused: Error {}
    #expect(throws: Refused.self) {
      try queue.sync { connection in
        try connection.begin()
        try connection.execute(sql: "INSERT INTO t VALUES (1)")
        throw Refused()
      }
    }
    #expect(try queue.sync { $0.isInAutocommit })
    #expect(try count == 0)
  }

  @Test func `a body may begin and commit its own transaction`() throws {
    try queue.sync { connection in
      try connection.begin(.immediate)
      try connection.execute(sql: "INSERT INTO t VALUES (1)")
      try connection.commit()
    }
    #expect(try count == 1)
  }

  @Test func `an unfinished statement is rolled back with the transaction left open`() throws {
    struct Refused: Error {}
    let error = failure {
      try queue.sync { connection in
        try connection.begin()
        let statement = try connection.prepare(sql: "INSERT INTO t VALUES (1), (2) RETURNING a")
        try connection.addFunction("keep", arity: 0) { _ in .text(statement.sql) }
        guard try statement.step() != nil else { throw Refused() }
      }
    }
    #expect(error?.code == .misuse)
    #expect(try queue.sync { $0.isInAutocommit })
    #expect(try count == 0)
    try queue.sync { try $0.execute(sql: "INSERT INTO t VALUES (3)") }
    #expect(try count == 1)
  }
}
