import Dispatch
import Foundation
import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.concurrency), .timeLimit(.minutes(10))) struct `deadlines` {
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

  private var soon: ContinuousClock.Instant { .now + .milliseconds(20) }
  private var never: ContinuousClock.Instant { .now + .seconds(3600) }

  @Test func `an access past its deadline is rolled back and throws DeadlineError`()
    async throws
  {
    let deadline = soon
    await #expect(throws: DeadlineError(deadline: deadline)) {
      try await queue.perform(deadline: deadline) { try $0.execute(sql: EndlessWork.sql) }
    }
    await #expect(throws: DeadlineError.self) {
      try await queue.transaction(deadline: soon) { connection, _ in
        try connection.execute(sql: "INSERT INTO t VALUES (2)")
        try connection.execute(sql: EndlessWork.sql)
      }
    }
    await #expect(throws: DeadlineError.self) {
      try await queue.savepoint(deadline: soon) { connection, _ in
        try connection.execute(sql: "INSERT INTO t VALUES (2)")
        try connection.execute(sql: EndlessWork.sql)
      }
    }
    #expect(try await queue.serves(rows: 1))
  }

  @Test func `a synchronous access past its deadline is interrupted and rolled back`() async throws
  {
    try await inTime { [self] () async throws in
      await apart {
        #expect(throws: DeadlineError.self) {
          try queue.sync(deadline: soon) { try $0.execute(sql: EndlessWork.sql) }
        }
        #expect(throws: DeadlineError.self) {
          try queue.syncTransaction(deadline: soon) { connection, _ in
            try connection.execute(sql: "INSERT INTO t VALUES (2)")
            try connection.execute(sql: EndlessWork.sql)
          }
        }
        #expect(throws: DeadlineError.self) {
          try queue.syncSavepoint(deadline: soon) { connection, _ in
            try connection.execute(sql: "INSERT INTO t VALUES (2)")
            try connection.execute(sql: EndlessWork.sql)
          }
        }
        let rows = try? queue.sync(deadline: never) { try $0.integers("SELECT a FROM t") }
        #expect(rows == [1])
      }
      #expect(try await queue.perform { $0.isInAutocommit })
    }
  }

  @Test func `a sync with a deadline runs on the calling thread and returns the body's value`()
    throws
  {
    let thread = Thread.current
    #expect(try queue.sync(deadline: never) { _ in Thread.current == thread })
    #expect(throws: ForeignError()) {
      try queue.sync(deadline: never) { _ in throw ForeignError() }
    }
    let (command, value) = try queue.syncTransaction(deadline: never) { connection, command in
      try connection.execute(sql: "INSERT INTO t VALUES (2)")
      command = .rollback
      return 5
    }
    #expect(command == .rollback && value == 5)
    #expect(try queue.sync { try $0.integers("SELECT a FROM t") } == [1])
  }

  @Test func `an access whose deadline passes while waiting never runs`() async throws {
    let gate = Gate()
    let runs = Counter()
    queue.async { _ in
      endless.begun.open()
      #expect(gate.pass())
    } completion: { _ in
    }
    #expect(await endless.hasBegun())
    defer { gate.open() }
    try await inTime { [self] () async throws in
      await #expect(throws: DeadlineError.self) {
        try await queue.perform(deadline: soon) { _ in runs.add() }
      }
      await apart {
        #expect(throws: DeadlineError.self) {
          try queue.sync(deadline: .now + .milliseconds(20)) { _ in runs.add() }
        }
      }
    }
    gate.open()
    #expect(try await queue.serves(rows: 1))
    #expect(runs.count == 0)
  }

  @Test func `an access with a deadline in the past never runs`() async throws {
    let runs = Counter()
    let past = ContinuousClock.now - .seconds(1)
    await #expect(throws: DeadlineError(deadline: past)) {
      try await queue.perform(deadline: past) { _ in runs.add() }
    }
    await apart {
      #expect(throws: DeadlineError(deadline: past)) {
        try queue.sync(deadline: past) { _ in runs.add() }
      }
    }
    #expect(runs.count == 0)
  }

  @Test func `a deadline ends a wait for a lock that another connection holds`() async throws {
    let other = try Connection(path: folder.file())
    try other.begin(.immediate)
    try await inTime { [self] () async throws in
      let isLate = await apart {
        do {
          try queue.syncTransaction(deadline: soon) { _, _ in }
          return false
        } catch { return error is DeadlineError }
      }
      #expect(isLate)
    }
    try other.rollback()
    #expect(try await queue.perform { $0.isInAutocommit })
  }

  @Test func `a nested sync throws, and a sync in the deinit of a captured object runs`() throws {
    let error = failure {
      try queue.sync { _ in try queue.sync(deadline: never) { _ in } }
    }
    #expect(error?.code == .misuse)
    // The job holds the last reference, and releases it before the next job can run.
    let isOver = Gate()
    let start = { @Sendable (leftover: consuming Leftover) in
      let leftover = leftover
      queue.async { _ in
        withExtendedLifetime(leftover) {}
      } completion: { _ in
      }
    }
    start(
      Leftover { [queue] in
        let answer = try? queue.sync(deadline: .now + .seconds(3600)) { _ in 1 }
        if answer == 1 { isOver.open() }
      })
    #expect(isOver.pass())
    #expect(try queue.sync { $0.isInAutocommit })
  }

  @Test func `a deadline interrupts a read transaction of a read queue`() async throws {
    let reader = try ConnectionReadQueue(writeQueue: queue)
    await #expect(throws: DeadlineError.self) {
      try await reader.readTransaction(deadline: soon) { try $0.execute(sql: EndlessWork.sql) }
    }
    await apart {
      #expect(throws: DeadlineError.self) {
        try reader.syncReadTransaction(deadline: .now + .milliseconds(20)) {
          try $0.execute(sql: EndlessWork.sql)
        }
      }
    }
    #expect(try await reader.perform { try $0.integers("SELECT a FROM t") } == [1])
  }

  @Test func `accesses with and without deadlines run in the order of their calls`() throws {
    let log = SharedLog<Int>()
    let group = DispatchGroup()
    for number in 0..<200 {
      switch number % 3 {
      case 0:
        queue.async(group: group) { _ in
          log.append(number)
        } completion: { _ in
        }
      case 1: try queue.sync(deadline: never) { _ in log.append(number) }
      default: try queue.sync { _ in log.append(number) }
      }
    }
    #expect(group.finishes())
    #expect(log.entries == Array(0..<200))
  }

  @Test func `a deadline ends an access even after a commit hook has thrown`() async throws {
    try await inTime { [self] () async throws in
      try await queue.perform { connection in
        let token = try connection.onCommit { throw SQLiteError(.busy, "another time") }
        let error = failure {
          try connection.transaction { connection, _ in
            try connection.execute(sql: "INSERT INTO t VALUES (2)")
          }
        }
        #expect(error?.code == .busy)
        token.cancel()
      }
      await #expect(throws: DeadlineError.self) {
        try await queue.perform(deadline: soon) { try $0.execute(sql: EndlessWork.sql) }
      }
    }
  }

  @Test func `a cancellation after the deadline still throws DeadlineError`() async throws {
    try await inTime { [self] () async throws in
      let isStopped = Gate()
      let gate = Gate()
      let running = Task {
        // Opens the gate even if the deadline passes before the body begins.
        defer { isStopped.open() }
        try await queue.perform(deadline: soon) { connection in
          let error = failure { try connection.execute(sql: EndlessWork.sql) }
          isStopped.open()
          #expect(gate.pass())
          if let error { throw error }
        }
      }
      #expect(await apart { isStopped.pass() })
      running.cancel()
      gate.open()
      #expect(await failure(of: running) is DeadlineError)
    }
  }

  @Test func `a deadline centuries in the future does not stop a waiting access`() async throws {
    let deadline = ContinuousClock.now + .seconds(20_000_000_000)
    let gate = Gate()
    queue.async { _ in
      endless.begun.open()
      #expect(gate.pass())
    } completion: { _ in
    }
    #expect(await endless.hasBegun())
    let waiting = Task {
      try await queue.perform(deadline: deadline) { try $0.integers("SELECT 1") }
    }
    // Timers fire in order, so if the timer of `deadline` fired too early, it would fire before this error.
    await #expect(throws: DeadlineError.self) {
      try await queue.perform(deadline: .now + .milliseconds(100)) { _ in }
    }
    gate.open()
    #expect(try await waiting.value == [1])
  }
}
