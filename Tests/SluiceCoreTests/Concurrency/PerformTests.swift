import Dispatch
import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.concurrency), .timeLimit(.minutes(10))) struct `awaited calls of a queue` {
  @Test func `32 blocking performs do not prevent another task from running`() async throws {
    let gate = DispatchSemaphore(value: 0)
    let begun = SharedLog<Int>()
    let queues = try (0..<32).map { _ in try ConnectionQueue() }
    try await withThrowingTaskGroup(of: Int.self) { group in
      for (number, queue) in queues.enumerated() {
        group.addTask {
          try await queue.perform { connection in
            begun.append(number)
            // The gate opens only after another task has run while all of these wait.
            guard gate.wait(timeout: .now() + patience) == .success else { return -1 }
            return try connection.integers("SELECT \(number)")[0]
          }
        }
      }
      group.addTask {
        while begun.entries.count < 32 { await Task.yield() }
        for _ in 0..<32 { gate.signal() }
        return -2
      }
      var results: Set<Int> = []
      for try await result in group { results.insert(result) }
      #expect(results == Set(-2..<32).subtracting([-1]))
    }
  }

  @Test func `a task that waits behind a long job lets other tasks run`() async throws {
    let queue = try ConnectionQueue()
    let gate = Gate()
    queue.async { _ in
      #expect(gate.pass())
    } completion: { _ in
    }
    async let waiting = withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<16 { group.addTask { try await queue.perform { _ in number } } }
      var sum = 0
      for try await number in group { sum += number }
      return sum
    }
    await Task.detached { gate.open() }.value
    #expect(try await waiting == 120)
  }

  @Test func `perform can be called on the main actor and on another actor`() async throws {
    let queue = try ConnectionQueue()
    try await MainActorUser.use(queue)
    try await Owner(queue).use()
    #expect(try await queue.perform { try $0.integers("SELECT count(*) FROM t") } == [2])
  }
}

@MainActor private enum MainActorUser {
  static func use(_ queue: ConnectionQueue) async throws {
    try await queue.perform { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
  }
}

private actor Owner {
  private let queue: ConnectionQueue
  init(_ queue: ConnectionQueue) { self.queue = queue }

  func use() async throws {
    try await queue.transaction { connection, _ in
      try connection.execute(sql: "INSERT INTO t VALUES (2)")
    }
  }
}
