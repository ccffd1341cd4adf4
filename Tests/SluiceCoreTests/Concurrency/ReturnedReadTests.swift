import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.concurrency), .timeLimit(.minutes(10)))
struct `bodies that return after their access is stopped` {
  private func cancel() { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }

  /// Executes statements until the access of the connection is stopped.
  private func waitUntilStopped(_ connection: Connection) {
    while (try? connection.execute(sql: "SELECT 1")) != nil {}
  }

  /// Reads the integers of `t`, waits until the access of the connection is stopped, and returns them.
  private func readUntilStopped(_ connection: Connection, _ reads: Counter) throws -> [Int] {
    let values = try connection.integers("SELECT a FROM t")
    reads.add()
    waitUntilStopped(connection)
    return values
  }

  /// Returns the result of `access`, with a deadline that leaves enough time to read.
  private func withDeadline<T>(
    _ access: (_ deadline: ContinuousClock.Instant, _ reads: Counter) async throws -> T
  ) async throws -> T {
    var time = Duration.milliseconds(10)
    while true {
      let reads = Counter()
      do { return try await access(.now + time, reads) } catch let error as DeadlineError {
        guard reads.count == 0 else { throw error }
        time *= 2
      }
    }
  }

  @Test(arguments: AwaitedForm.lending)
  func `an access whose body has only read returns its value despite a cancellation`(
    _ form: AwaitedForm
  ) async throws {
    let stage = try await AwaitedStage()
    let task = Task {
      try await stage.access(form) { connection in
        let values = try connection?.integers("SELECT a FROM t")
        cancel()
        return values
      }
    }
    #expect(try await task.value == [1])
    #expect(try await stage.access(form) { try $0?.integers("SELECT a FROM t") } == [1])
  }

  @Test(arguments: AwaitedForm.lending)
  func `an access whose body has only read returns its value despite a passed deadline`(
    _ form: AwaitedForm
  ) async throws {
    let stage = try await AwaitedStage()
    let values = try await withDeadline { deadline, reads in
      try await stage.access(form, deadline: deadline) { connection in
        try connection.map { try readUntilStopped($0, reads) }
      }
    }
    #expect(values == [1])
    #expect(try await stage.access(form) { try $0?.integers("SELECT a FROM t") } == [1])
  }

  @Test(arguments: AwaitedForm.lending)
  func `an access whose body leaves an active statement returns its value despite a cancellation`(
    _ form: AwaitedForm
  ) async throws {
    let stage = try await AwaitedStage()
    let task = Task {
      try await stage.access(form) { connection in
        guard let connection else { return 0 }
        let kept = try connection.prepare(sql: "SELECT a FROM t UNION ALL SELECT 2")
        let isAtRow = try kept.step() != nil
        #expect(isAtRow)
        try connection.addFunction("keep", arity: 0) { _ in withExtendedLifetime(kept) { .null } }
        cancel()
        return 7
      }
    }
    #expect(try await task.value == 7)
    let values = try await stage.access(form) {
      try $0?.integers("SELECT 1 UNION ALL SELECT 2")
    }
    #expect(values == [1, 2])
  }

  @Test(arguments: AwaitedForm.writing)
  func `an access whose body has written is rolled back on cancellation or a passed deadline`(
    _ form: AwaitedForm
  ) async throws {
    let stage = try await AwaitedStage()
    for sql in ["INSERT INTO t VALUES (2)", "DROP TABLE t", "PRAGMA user_version = 7"] {
      let task = Task {
        try await stage.access(form) { connection in
          try connection?.execute(sql: sql)
          cancel()
        }
      }
      #expect(await failure(of: task) is CancellationError)
      await #expect(throws: DeadlineError.self) {
        try await stage.access(form, deadline: .now + .milliseconds(100)) { connection in
          try connection?.execute(sql: sql)
          connection.map(waitUntilStopped)
        }
      }
    }
    #expect(try await stage.rowCount(of: form) == 1)
    let version = try await stage.access(form) { try $0?.integers("PRAGMA user_version") }
    #expect(version == [0])
  }

  @Test func `an access whose body has written to a blob is rolled back on cancellation`()
    async throws
  {
    let stage = try await AwaitedStage()
    try await stage.queue.perform { connection in
      try connection.execute(sql: "CREATE TABLE b(a); INSERT INTO b VALUES (zeroblob(2))")
    }
    let task = Task {
      try await stage.queue.transaction { connection, _ in
        let blob = try connection.openBlob(table: "b", column: "a", rowid: 1, readOnly: false)
        try blob.write([1, 2], at: 0)
        try blob.close()
        cancel()
      }
    }
    #expect(await failure(of: task) is CancellationError)
    #expect(try await stage.queue.perform { try $0.column("SELECT a FROM b") } == [.blob([0, 0])])
  }

  @Test func `an access whose body requests a rollback returns its value despite a cancellation`()
    async throws
  {
    let stage = try await AwaitedStage()
    for isSavepoint in [false, true] {
      let task = Task {
        let body = {
          @Sendable (connection: inout sending Connection, command: inout TransactionCommand) in
          try connection.execute(sql: "INSERT INTO t VALUES (2)")
          command = .rollback
          cancel()
          return 7
        }
        guard isSavepoint else { return try await stage.queue.transaction(.immediate, body) }
        return try await stage.queue.savepoint(nil, body)
      }
      let (command, value) = try await task.value
      #expect(command == .rollback && value == 7)
    }
    #expect(try await stage.rowCount(of: .transaction) == 1)
  }

  @Test func `a synchronous access whose body has only read returns despite a passed deadline`()
    async throws
  {
    let stage = try await AwaitedStage()
    let values = [
      try await withDeadline { deadline, reads in
        try await apart {
          Result {
            try stage.pool.syncRead(deadline: deadline) { try readUntilStopped($0, reads) }
          }
        }.get()
      },
      try await withDeadline { deadline, reads in
        try await apart {
          Result {
            try stage.reader.syncReadTransaction(deadline: deadline) {
              try readUntilStopped($0, reads)
            }
          }
        }.get()
      },
      try await withDeadline { deadline, reads in
        try await apart {
          Result {
            try stage.queue.syncTransaction(deadline: deadline) { connection, _ in
              try readUntilStopped(connection, reads)
            }.value
          }
        }.get()
      },
    ]
    #expect(values == [[1], [1], [1]])
  }
}
