import Dispatch
import SluiceCore
import SluiceTesting
import TestSupport
import Testing

/// Tasks that are cancelled at random moments, concurrently with tasks that are not cancelled.
@Suite(.tags(.reliability), .timeLimit(.minutes(30))) struct `random cancellation` {
  @Test(arguments: [false, true])
  func `random cancellation affects no other task and leaves no partial transaction`(
    _ isOnDisk: Bool
  ) async throws {
    let folder = try TestFolder()
    let queue = try isOnDisk ? ConnectionQueue(path: folder.file()) : ConnectionQueue()
    try await queue.perform { try $0.execute(sql: "CREATE TABLE t(a); CREATE TABLE other(a)") }
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededGenerator(seed: seed)
    var written = 0
    var cancelled = 0
    let count = rounds(80, long: 5_000)
    for round in 0..<count {
      let work = Int.random(in: 0..<200, using: &random)
      let delay = Int.random(in: 0..<2_000, using: &random)
      let hasDeadline = Int.random(in: 0..<4, using: &random) == 0
      let victim = Task {
        let deadline = hasDeadline ? ContinuousClock.now + .microseconds(delay) : nil
        try await queue.transaction(deadline: deadline) { connection, _ in
          try connection.execute(sql: "INSERT INTO t VALUES (1)")
          let sql =
            "WITH c(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM c WHERE x < \(work * 20)) "
          _ = try connection.integers(sql + "SELECT count(*) FROM c")
          try connection.savepoint { connection, _ in
            try connection.execute(sql: "INSERT INTO t VALUES (2)")
          }
        }
      }
      let bystander = Task {
        try await queue.perform { connection in
          try connection.execute(sql: "INSERT INTO other VALUES (1)")
          return try connection.integers("SELECT count(*) FROM other")[0]
        }
      }
      let spin = delay * 20
      await apart { for _ in 0..<spin { pause() } }
      if !hasDeadline { victim.cancel() }
      switch await victim.result {
      case .success: written += 1
      case .failure(let error):
        cancelled += 1
        #expect(
          hasDeadline ? error is DeadlineError : error is CancellationError,
          "\(error), seed \(seed), round \(round)")
      }
      #expect(try await bystander.value == round + 1, "seed \(seed), round \(round)")
      let counts = try await queue.perform { connection in
        connection.isInAutocommit
          ? try connection.integers("SELECT count(*) FROM t WHERE a = 1")
            + connection.integers("SELECT count(*) FROM t WHERE a = 2") : []
      }
      #expect(counts == [written, written], "seed \(seed), round \(round)")
    }
    #expect(written + cancelled == count)
  }
}

/// Has no effect and is never inlined, so that calling the function in a loop takes time.
@inline(never) private func pause() {}
