import SluiceCluster
import SluiceTesting
import TestSupport
import Testing

@Suite struct `lost answers and leaders` {
  typealias Statement = FakeCluster.Statement

  static func isCommit(_ statement: Statement) -> Bool { statement.sql.hasSuffix("COMMIT") }

  @Test(arguments: [
    FakeCluster.Fault.dropBefore, .dropAfter, .failure(10250, "not leader"),
    .failureAfter(10506, "leadership lost"), .failure(10506, "leadership lost"),
    .failure(778, "disk I/O error"), .failureAfter(778, "disk I/O error"),
    .failure(5, "checkpoint in progress"), .failure(12, "no database opened"),
    .failure(7, "no more rows available"),
  ])
  func `a commit without a clear answer takes effect once`(_ fault: FakeCluster.Fault) async throws
  {
    let stage = try ClusterStage()
    try await stage.addCounter()
    for round in 1...5 {
      stage.nodes.plan(fault, when: Self.isCommit)
      #expect(try await stage.increment() == 1)
      #expect(try await stage.count == round)
    }
  }

  @Test func `a lost answer to the question about a lost answer is settled too`() async throws {
    let stage = try ClusterStage()
    try await stage.addCounter()
    for round in 1...4 {
      // Both the commit and the commits of the questions about it are lost.
      stage.nodes.plan(round % 2 == 0 ? .dropAfter : .dropBefore, times: 3, when: Self.isCommit)
      #expect(try await stage.increment() == 1)
      #expect(try await stage.count == round)
    }
  }

  @Test(arguments: [
    FakeCluster.Fault.dropBefore, .dropAfter, .failure(10250, "not leader"),
    .failure(12, "no database opened"), .failureAfter(10506, "leadership lost"),
    .failure(5, "database is locked"), .failure(7, "no more rows available"),
  ])
  func `a body that is interrupted runs again`(_ fault: FakeCluster.Fault) async throws {
    let stage = try ClusterStage()
    try await stage.addCounter()
    // Only the beginning of a transaction can find the database locked.
    let isBusy = if case .failure(5, _) = fault { true } else { false }
    let statements = ["BEGIN IMMEDIATE"] + (isBusy ? [] : ["UPDATE counter"])
    for sql in statements {
      stage.nodes.plan(fault) { $0.sql.hasPrefix(sql) }
      try await stage.increment()
    }
    #expect(try await stage.count == statements.count)
  }

  @Test func `a statement that breaks every connection is sent at most twice`() async throws {
    let stage = try ClusterStage()
    try await stage.addCounter()
    stage.nodes.plan(.dropBefore, times: .max) { $0.sql.hasPrefix("UPDATE") }
    await #expect { try await stage.increment() } throws: { error in
      if case ClusterError.interrupted(let reason) = error {
        reason.hasSuffix("because of the statement UPDATE counter SET n = n + 1")
      } else {
        false
      }
    }
    #expect(stage.nodes.statements.count { $0.sql.hasPrefix("UPDATE") } == 2)
    stage.nodes.cancelPlans()
    try await stage.increment()
    #expect(try await stage.count == 1)
  }

  @Test func `a statement outside a transaction takes effect once`() async throws {
    let stage = try ClusterStage()
    try await stage.addCounter()
    for (round, fault) in [FakeCluster.Fault.dropAfter, .dropBefore, .notLeader].enumerated() {
      stage.nodes.plan(fault, when: Self.isCommit)
      try await stage.cluster.perform { try $0.execute(sql: "UPDATE counter SET n = n + 1") }
      #expect(try await stage.count == round + 1)
    }
  }

  @Test func `each increment counts once, although answers are lost`() async throws {
    let stage = try ClusterStage(nodes: 3)
    try await stage.addCounter()
    let faults: [FakeCluster.Fault] = [
      .dropBefore, .dropAfter, .notLeader, .leadershipLost, .failure(778, "disk I/O error"),
      .failureAfter(778, "disk I/O error"),
    ]
    var generator = SeededGenerator(seed: 27)
    let count = rounds(300, long: 1_000)
    for round in 1...count {
      if round % 3 == 0 {
        let fault = faults.randomElement(using: &generator)!
        stage.nodes.plan(fault, when: Self.isCommit)
      }
      if round % 50 == 0 { stage.nodes.leader = UInt64.random(in: 1...3, using: &generator) }
      try await stage.increment()
    }
    #expect(try await stage.count == count)
  }

  @Test func `another leader is found, and a read is repeated`() async throws {
    let stage = try ClusterStage(nodes: 3)
    try await stage.addCounter()
    for leader: UInt64 in [2, 3, 1, 2] {
      stage.nodes.leader = leader
      try await stage.increment()
      #expect(try await stage.count != nil)
    }
    #expect(try await stage.count == 4)
    stage.nodes.stop(2)
    stage.nodes.leader = 3
    #expect(try await stage.count == 4)
  }

  @Test(arguments: [
    FakeCluster.Fault.dropBefore, .dropAfter, .notLeader, .failure(12, "no database opened"),
  ])
  func `a read whose transaction does not begin or end is answered by the leader`(
    _ fault: FakeCluster.Fault
  ) async throws {
    let stage = try ClusterStage()
    try await stage.addCounter()
    for round in 1...5 {
      try await stage.increment()
      for sql in ["BEGIN", "ROLLBACK", "SELECT n"] {
        stage.nodes.plan(fault) { $0.sql.hasPrefix(sql) && $0.sql != "BEGIN IMMEDIATE" }
        #expect(try await stage.count == round)
      }
      #expect(try await stage.count == round)
    }
  }

  @Test func `without a leader, a call ends with an error`() async throws {
    let stage = try ClusterStage(nodes: 3, failoverTimeout: .milliseconds(300))
    stage.nodes.leader = 0
    await #expect { try await stage.cluster.read { try $0.execute(sql: "SELECT 1") } } throws: {
      if case ClusterError.noLeader = $0 { true } else { false }
    }
  }

  @Test func `a commit whose fate cannot be learned is unknown`() async throws {
    let stage = try ClusterStage(failoverTimeout: .milliseconds(300))
    try await stage.addCounter()
    stage.nodes.plan(.crash, when: Self.isCommit)
    await #expect { try await stage.increment() } throws: { error in
      if case ClusterError.outcomeUnknown = error { true } else { false }
    }
  }

  @Test func `a setting that breaks each new connection does not hold up a call for ever`()
    async throws
  {
    let stage = try ClusterStage(failoverTimeout: .milliseconds(300))
    try await stage.addCounter()
    try await stage.cluster.perform { try $0.execute(sql: "PRAGMA recursive_triggers = 1") }
    stage.nodes.plan(.dropBefore) { $0.sql.hasPrefix("UPDATE") }
    stage.nodes.plan(.dropBefore, times: .max) { $0.sql.hasPrefix("PRAGMA") }
    await #expect(throws: ClusterError.self) {
      try await stage.cluster.write(deadline: .now + .seconds(20)) { connection in
        try connection.execute(sql: "UPDATE counter SET n = n + 1")
      }
    }
  }

  @Test func `a deadline ends a call that has no answer, and the next call works`() async throws {
    let stage = try ClusterStage()
    try await stage.addCounter()
    stage.nodes.plan(.silence) { $0.sql.hasPrefix("UPDATE") }
    await #expect(throws: DeadlineError.self) {
      try await stage.cluster.write(deadline: .now + .milliseconds(200)) { connection in
        try connection.execute(sql: "UPDATE counter SET n = n + 1")
      }
    }
    try await stage.increment()
    #expect(try await stage.count == 1)
  }

  @Test func `a deadline during the commit does not hide that its outcome is unknown`() async throws
  {
    let stage = try ClusterStage()
    try await stage.addCounter()
    stage.nodes.plan(.silence, times: .max, when: Self.isCommit)
    // On a slow machine, a deadline can pass before the commit begins.
    var patience = Duration.milliseconds(100)
    while true {
      let commits = stage.nodes.statements.count(where: Self.isCommit)
      do {
        try await stage.cluster.write(deadline: .now + patience) { connection in
          try connection.execute(sql: "UPDATE counter SET n = n + 1")
        }
        Issue.record("The commit has no answer")
        return
      } catch is DeadlineError {
        #expect(stage.nodes.statements.count(where: Self.isCommit) == commits)
        patience *= 2
      } catch ClusterError.outcomeUnknown { return }
    }
  }

  @Test func `a cancelled call ends at once`() async throws {
    let stage = try ClusterStage()
    try await stage.addCounter()
    stage.nodes.plan(.silence) { $0.sql.hasPrefix("UPDATE") }
    let task = Task { try await stage.increment() }
    while !stage.nodes.statements.contains(where: { $0.sql.hasPrefix("UPDATE") }) {
      try await Task.sleep(for: .milliseconds(5))
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    try await stage.increment()
    #expect(try await stage.count == 1)
  }

  @Test func `a confirmed read needs the majority`() async throws {
    let stage = try ClusterStage(nodes: 3, failoverTimeout: .milliseconds(300))
    try await stage.addCounter()
    let read: @Sendable (inout sending Connection) throws -> Int? = {
      try $0.first(.column(.int), sql: "SELECT n FROM counter")
    }
    #expect(try await stage.cluster.confirmedRead(read) == 0)
    stage.nodes.stop(2)
    #expect(try await stage.cluster.confirmedRead(read) == 0)
    stage.nodes.stop(3)
    #expect(try await stage.cluster.read(read) == 0)
    await #expect { try await stage.cluster.confirmedRead(read) } throws: { error in
      if case ClusterError.interrupted = error { true } else { false }
    }
  }
}
