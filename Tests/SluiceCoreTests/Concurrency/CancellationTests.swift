import Dispatch
import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.concurrency), .timeLimit(.minutes(10))) struct `cancelled tasks` {
  let folder: TestFolder
  let queue: ConnectionQueue
  let endless = EndlessWork()

  init() throws {
    folder = try TestFolder()
    var configuration = Configuration()
    configuration.journalMode = .wal
    configuration.busyTimeout = .seconds(600)
    queue = try ConnectionQueue(path: folder.file(), configuration: configuration)
    try queue.sync { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
  }

  @Test func `an access in a task that is already cancelled does not run`() async throws {
    let runs = Counter()
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      try await queue.perform { _ in runs.add() }
    }
    task.cancel()
    #expect(await failure(of: task) is CancellationError)
    #expect(try await queue.serves(rows: 1))
    #expect(runs.count == 0)
  }

  @Test func `cancelling a waiting access ends it although a long access is still running`()
    async throws
  {
    let gate = Gate()
    let runs = Counter()
    queue.async { _ in
      endless.begun.open()
      #expect(gate.pass())
    } completion: { _ in
    }
    #expect(await endless.hasBegun())
    let tasks = (0..<20).map { number in
      Task {
        if number % 2 == 0 {
          try await queue.perform { _ in runs.add() }
        } else {
          try await queue.transaction { _, _ in runs.add() }
        }
      }
    }
    for task in tasks { task.cancel() }
    for task in tasks { #expect(await failure(of: task) is CancellationError) }
    gate.open()
    #expect(try await queue.serves(rows: 1))
    #expect(runs.count == 0)
  }

  @Test func `a cancelled access is interrupted and rolled back`() async throws {
    let tasks = [
      Task { try await queue.perform { try endless.run($0) } },
      Task {
        try await queue.transaction { connection, _ in
          try connection.execute(sql: "INSERT INTO t VALUES (2)")
          try endless.run(connection)
        }
        return ()
      },
      Task {
        try await queue.savepoint { connection, _ in
          try connection.execute(sql: "INSERT INTO t VALUES (2)")
          try endless.run(connection)
        }
        return ()
      },
      Task {
        try await queue.perform { connection in
          // Only the queue ends this transaction.
          try connection.execute(sql: "BEGIN; INSERT INTO t VALUES (2)")
          try endless.run(connection)
        }
      },
    ]
    #expect(await endless.hasBegun())
    for task in tasks { task.cancel() }
    for task in tasks { #expect(await failure(of: task) is CancellationError) }
    #expect(try await queue.serves(rows: 1))
  }

  @Test func `every further statement of a cancelled access throws interrupt`() async throws {
    let codes = SharedLog<ResultCode?>()
    let task = Task {
      try await queue.transaction { connection, _ in
        try connection.execute(sql: "INSERT INTO t VALUES (2)")
        codes.append(failure { try endless.run(connection) }?.code)
        for sql in ["SELECT 1", "INSERT INTO t VALUES (3)", "SELECT count(*) FROM t"] {
          codes.append(failure { try connection.execute(sql: sql) }?.code)
        }
        codes.append(failure { try connection.savepoint { _, _ in } }?.code)
      }
    }
    #expect(await endless.hasBegun())
    task.cancel()
    #expect(await failure(of: task) is CancellationError)
    #expect(codes.entries == Array(repeating: .interrupt, count: 5))
    #expect(try await queue.serves(rows: 1))
  }

  @Test func `a cancellation between two statements makes the second statement throw`() async throws
  {
    let gate = Gate()
    let task = Task {
      try await queue.transaction { connection, _ in
        try connection.execute(sql: "INSERT INTO t VALUES (2)")
        endless.begun.open()
        #expect(gate.pass())
        try connection.execute(sql: "INSERT INTO t VALUES (3)")
      }
    }
    #expect(await endless.hasBegun())
    task.cancel()
    gate.open()
    #expect(await failure(of: task) is CancellationError)
    #expect(try await queue.serves(rows: 1))
  }

  @Test func `an access whose body returns despite its cancellation delivers its value`()
    async throws
  {
    let gate = Gate()
    let task = Task {
      try await queue.perform { connection in
        try connection.execute(sql: "INSERT INTO t VALUES (2)")
        endless.begun.open()
        #expect(gate.pass())
        return 7
      }
    }
    #expect(await endless.hasBegun())
    task.cancel()
    gate.open()
    #expect(try await task.value == 7)
    #expect(try await queue.serves(rows: 2))
  }

  @Test func `an access cancelled during its commit returns only if the commit succeeds`()
    async throws
  {
    let gate = Gate()
    let task = Task {
      try await queue.transaction { connection, _ in
        try connection.onCommit { [endless] in
          endless.begun.open()
          _ = gate.pass()
        }
        try connection.execute(sql: "INSERT INTO t VALUES (2)")
      }
    }
    #expect(await endless.hasBegun())
    task.cancel()
    gate.open()
    let error = await failure(of: task)
    #expect(error == nil || error is CancellationError)
    #expect(try await queue.serves(rows: error == nil ? 2 : 1))
  }

  @Test func `a failing commit in a cancelled task throws the error of the commit`() async throws {
    let gate = Gate()
    let task = Task {
      try await queue.transaction { connection, _ in
        try connection.onCommit { [endless] in
          endless.begun.open()
          _ = gate.pass()
          throw SQLiteError(.full, "no room")
        }
        try connection.execute(sql: "INSERT INTO t VALUES (2)")
      }
    }
    #expect(await endless.hasBegun())
    task.cancel()
    gate.open()
    #expect((await failure(of: task) as? SQLiteError)?.code == .full)
    #expect(try await queue.perform { $0.isInAutocommit })
  }

  @Test func `a cancellation ends a wait for a lock that another connection holds`() async throws {
    let other = try Connection(path: folder.file())
    try other.begin(.immediate)
    let task = Task {
      try await queue.perform { connection in
        try endless.begin(connection)
        try connection.execute(sql: "INSERT INTO t VALUES (2)")
      }
    }
    #expect(await endless.hasBegun())
    task.cancel()
    #expect(await failure(of: task) is CancellationError)
    try other.rollback()
    #expect(try await queue.serves(rows: 1))
  }

  @Test func `a cancellation stops the retries of a busy handler`() async throws {
    let other = try Connection(path: folder.file())
    try other.begin(.immediate)
    let task = Task {
      try await queue.perform { connection in
        try connection.setBusyHandler { [endless] _ in
          endless.begun.open()
          return true
        }
        try connection.execute(sql: "INSERT INTO t VALUES (2)")
      }
    }
    #expect(await endless.hasBegun())
    task.cancel()
    #expect(await failure(of: task) is CancellationError)
    try other.rollback()
    #expect(try await queue.serves(rows: 1))
  }

  @Test func `a cancelled statement is interrupted when its running function returns`()
    async throws
  {
    let gate = Gate()
    let task = Task {
      try await queue.perform { connection in
        try connection.addFunction("wait", arity: 1) { [begun = endless.begun] values in
          if try values.integer(at: 0) == 1 {
            begun.open()
            #expect(gate.pass())
          }
          return .null
        }
        try connection.execute(
          sql: """
            WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) \
            SELECT count(wait(x)) FROM c
            """)
      }
    }
    #expect(await endless.hasBegun())
    task.cancel()
    gate.open()
    #expect(await failure(of: task) is CancellationError)
    #expect(try await queue.serves(rows: 1))
  }

  @Test func `a cancellation rolls back nested savepoints inside a row closure`() async throws {
    let task = Task {
      try await queue.transaction { connection, _ in
        try connection.execute(sql: "INSERT INTO t VALUES (2), (3)")
        try connection.execute(sql: "SELECT a FROM t") { _ in
          try connection.savepoint { connection, _ in
            try connection.execute(sql: "INSERT INTO t VALUES (4)")
            try connection.savepoint { connection, _ in
              try connection.execute(sql: "INSERT INTO t VALUES (5)")
              try endless.run(connection)
            }
          }
        }
      }
    }
    #expect(await endless.hasBegun())
    task.cancel()
    #expect(await failure(of: task) is CancellationError)
    #expect(try await queue.serves(rows: 1))
  }

  @Test func `a statement that outlives a cancelled access does not interrupt later accesses`()
    async throws
  {
    let task = Task {
      try await queue.perform { connection in
        let kept = try connection.prepare(sql: "SELECT a FROM t UNION ALL SELECT 2")
        let isAtRow = try kept.step() != nil
        #expect(isAtRow)
        try connection.addFunction("keep", arity: 0) { _ in withExtendedLifetime(kept) { .null } }
        try endless.run(connection)
      }
    }
    #expect(await endless.hasBegun())
    task.cancel()
    #expect(await failure(of: task) is CancellationError)
    #expect(try await queue.serves(rows: 1))
    #expect(try await queue.perform { try $0.integers("SELECT 1 UNION ALL SELECT 2") } == [1, 2])
  }

  @Test func `an access whose body has closed the connection can be cancelled`() async throws {
    let gate = Gate()
    let task = Task {
      try await queue.perform { connection in
        try connection.close()
        endless.begun.open()
        #expect(gate.pass())
        try connection.execute(sql: "SELECT 1")
      }
    }
    #expect(await endless.hasBegun())
    task.cancel()
    gate.open()
    #expect(await failure(of: task) is CancellationError)
    #expect(
      await awaitedFailure { try await queue.perform { try $0.execute(sql: "SELECT 1") } }?.code
        == .misuseClosed)
  }

  @Test func `a cancellation on a read queue preserves an earlier read transaction`() async throws {
    let reader = try ConnectionReadQueue(writeQueue: queue)
    try await reader.perform { try $0.beginReadTransaction() }
    try await queue.perform { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
    for isTransaction in [true, false] {
      let task = Task {
        guard isTransaction else { return try await reader.perform { try endless.run($0) } }
        try await reader.readTransaction { try endless.run($0) }
      }
      #expect(await endless.hasBegun())
      task.cancel()
      #expect(await failure(of: task) is CancellationError)
    }
    let count = try await reader.perform { try $0.integers("SELECT count(*) FROM t") }
    #expect(count == [1])
    try await reader.perform { try $0.endReadTransaction() }
  }
}
