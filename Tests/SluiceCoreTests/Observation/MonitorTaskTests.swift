import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.concurrency), .timeLimit(.minutes(10))) struct `monitors of awaited accesses` {
  private enum Request {
    @TaskLocal static var name: String?
  }

  private final class Traces: ConnectionMonitor {
    let statements = SharedLog<String?>()
    let accesses = SharedLog<String?>()

    func statementDidEnd(_ statement: StatementRecord) {
      if statement.sql == AwaitedStage.sql { statements.append(Request.name) }
    }

    func accessDidEnd(_ access: AccessRecord) { accesses.append(Request.name) }
  }

  @Test(arguments: AwaitedForm.allCases)
  func `a monitor reads the caller's task-local values in each form of access`(_ form: AwaitedForm)
    async throws
  {
    let traces = Traces()
    let stage = try await AwaitedStage(monitor: traces)
    try await Request.$name.withValue("mine") { try await stage.access(form) { _ in } }
    #expect(traces.statements.entries == ["mine"])
    #expect(traces.accesses.entries.contains("mine"))
  }

  @Test func `a monitor reads the caller's task-local values when the closure throws`() async throws
  {
    let traces = Traces()
    let stage = try await AwaitedStage(monitor: traces)
    await #expect(throws: ForeignError.self) {
      try await Request.$name.withValue("mine") {
        try await stage.access(.perform) { _ in throw ForeignError() }
      }
    }
    #expect(traces.accesses.entries.last == "mine")
  }

  @Test func `a monitor reads the caller's task-local values in synchronous forms`() async throws {
    let traces = Traces()
    let stage = try await AwaitedStage(monitor: traces)
    let before = traces.accesses.entries.count
    try synchronously(stage)
    #expect(traces.statements.entries == Array(repeating: "mine", count: 9))
    #expect(traces.accesses.entries.dropFirst(before).allSatisfy { $0 == "mine" })
  }

  private func synchronously(_ stage: AwaitedStage) throws {
    let (queue, reader, pool) = (stage.queue, stage.reader, stage.pool)
    let later = ContinuousClock.now + .seconds(patience)
    let sql = AwaitedStage.sql
    try Request.$name.withValue("mine") {
      try queue.sync { try $0.execute(sql: sql) }
      try queue.sync(deadline: later) { try $0.execute(sql: sql) }
      try queue.syncTransaction { connection, _ in try connection.execute(sql: sql) }
      try reader.sync { try $0.execute(sql: sql) }
      try reader.syncReadTransaction { try $0.execute(sql: sql) }
      try pool.syncRead { try $0.execute(sql: sql) }
      try pool.syncRead(deadline: later) { try $0.execute(sql: sql) }
      try pool.syncWrite { try $0.execute(sql: sql) }
      try stage.memory.syncRead { try $0.execute(sql: sql) }
    }
  }

  @Test func `a monitor reads no task-local values in calls with a completion`() async throws {
    let traces = Traces()
    let stage = try await AwaitedStage(monitor: traces)
    let before = traces.accesses.entries.count
    try await Request.$name.withValue("mine") {
      try await withCheckedThrowingContinuation { continuation in
        stage.queue.async {
          try $0.execute(sql: AwaitedStage.sql)
        } completion: {
          continuation.resume(with: $0)
        }
      }
      try await withCheckedThrowingContinuation { continuation in
        stage.pool.asyncRead {
          try $0.execute(sql: AwaitedStage.sql)
        } completion: {
          continuation.resume(with: $0)
        }
      }
    }
    #expect(traces.statements.entries == [nil, nil])
    #expect(traces.accesses.entries.dropFirst(before) == [nil, nil])
  }

  @Test func `a monitor reads no task-local values in the fetches of a live query`() async throws {
    let traces = Traces()
    let stage = try await AwaitedStage(monitor: traces)
    try await Request.$name.withValue("mine") {
      let values = stage.queue.observe { try $0.integers(AwaitedStage.sql) }
      for try await value in values {
        #expect(value == [41])
        break
      }
    }
    #expect(traces.statements.entries == [nil])
  }

  @Test func `a monitor reads no task-local values for an access that never begins`() async throws {
    let traces = Traces()
    let stage = try await AwaitedStage(monitor: traces)
    let before = traces.accesses.entries.count
    let (begun, end) = (Gate(), Gate())
    stage.pool.asyncWrite { _ in
      begun.open()
      _ = end.pass()
    }
    await apart { #expect(begun.pass()) }
    let task = Request.$name.withValue("mine") {
      Task { try await stage.pool.write { _ in } }
    }
    while stage.pool.status.waitingWriteCount == 0 { await Task.yield() }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    end.open()
    // The report of the cancelled access follows once its turn comes.
    try await stage.pool.write { _ in }
    #expect(traces.accesses.entries.dropFirst(before) == [nil, nil, nil])
  }

  @Test func `a monitor reads no task-local values in the rollback of an open transaction`()
    async throws
  {
    let rollbacks = SharedLog<String?>()
    let stage = try await AwaitedStage(monitor: Rollbacks(names: rollbacks))
    let error = await awaitedFailure {
      try await Request.$name.withValue("mine") {
        try await stage.queue.perform { try $0.execute(sql: "BEGIN; DELETE FROM t") }
      }
    }
    #expect(error?.code == .misuse)
    #expect(rollbacks.entries == [nil])
  }

  private struct Rollbacks: ConnectionMonitor {
    let names: SharedLog<String?>

    func statementDidEnd(_ statement: StatementRecord) {
      if statement.sql.hasPrefix("ROLLBACK") { names.append(Request.name) }
    }
  }
}
