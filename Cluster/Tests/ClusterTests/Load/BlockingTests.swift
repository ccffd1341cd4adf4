import Foundation
import LocalNodes
import SluiceCluster
import Testing

extension `A cluster under load` {
  @Suite struct `goes on` {
    @Test func `when a silent program that blocks all others loses its transaction`() async throws {
      try await TestCluster.with { cluster in
        try await Load.run(on: cluster) { load in
          _ = try await load.progress()
          let silent = try await SilentProgram(
            in: cluster, "UPDATE counter SET n = n + 1000000")
          try await expectBusy(cluster)
          let leader = try await cluster.leader()
          let other = try #require(cluster.ids.first { $0 != leader })
          try await cluster.transfer(to: other)
          Figures.add(to: .transfers)
          _ = try await load.progress()
          // The transfer has rolled the transaction back, so its commit must not succeed.
          await #expect(throws: ClusterError.self) { try await silent.commit() }
        }
      }
    }

    @Test func `when a silent program that blocks all others is ended by the door`() async throws {
      try await TestCluster.with(nodes: 1, options: ["--silence", "1"]) { cluster in
        try await cluster.execute("CREATE TABLE t(a)")
        let silent = try await SilentProgram(in: cluster, "INSERT INTO t VALUES (1)")
        var options = Cluster.Options.underLoad
        options.busyTimeout = .seconds(30)
        let other = try Cluster(nodes: cluster.addresses, database: "main", options: options)
        try await other.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
        await #expect(throws: ClusterError.self) { try await silent.commit() }
        let rows = try await other.read { try $0.query(.column(.int), sql: "SELECT a FROM t") }
        #expect(rows == [2])
        try await other.close()
      }
    }

    private func expectBusy(_ cluster: TestCluster) async throws {
      var options = Cluster.Options.underLoad
      options.busyTimeout = .milliseconds(100)
      let program = try Cluster(nodes: cluster.addresses, database: "main", options: options)
      do {
        try await program.write { try $0.execute(sql: "UPDATE counter SET n = n + 1000000") }
        Issue.record("two programs write at the same time")
      } catch let error as SQLiteError {
        #expect(error.code.primary == .busy)
      }
      // A read does not wait for the writer.
      let count = try await program.read {
        try $0.first(.column(.int), sql: "SELECT n FROM counter")
      }
      #expect(count ?? .max < 1_000_000)
      try await program.close()
    }

    @Test func `when a statement takes longer than an election`() async throws {
      try await TestCluster.with { cluster in
        try await Load.run(on: cluster) { load in
          _ = try await load.progress()
          var options = Cluster.Options()
          options.failoverTimeout = .milliseconds(100)
          options.requestTimeout = .seconds(30)
          let program = try Cluster(nodes: cluster.addresses, database: "main", options: options)
          try await program.write { try $0.execute(sql: "CREATE TABLE slow(n)") }
          let ledger = Ledger()
          for number in 1...rounds(1, long: 5) {
            _ = await ledger.record(number) {
              try await program.write { connection in
                try connection.execute(
                  """
                  WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 4000000)
                  INSERT INTO slow SELECT \(number) FROM r WHERE n = 4000000
                  """)
              }
            }
          }
          try await cluster.restartEnded(.slowStatementFailures)
          _ = try await load.progress()
          try await cluster.waitUntilComplete()
          let found = try await program.read {
            try $0.query(.column(.int), sql: "SELECT n FROM slow")
          }
          ledger.verify(found)
          try await program.close()
        }
      }
    }
  }
}

/// A program that begins a transaction, and sends nothing until it is told to commit.
private struct SilentProgram {
  private let mayEnd = DispatchSemaphore(value: 0)
  private let program: Cluster
  private let work: Task<Void, any Error>

  /// Executes a statement in a transaction.
  init(in cluster: TestCluster, _ sql: String) async throws {
    let (program, mayEnd) = (try Cluster(nodes: cluster.addresses, database: "main"), mayEnd)
    let holds = DispatchSemaphore(value: 0)
    self.program = program
    work = Task {
      try await program.perform { connection in
        try connection.execute(sql: "BEGIN IMMEDIATE; \(sql)")
        holds.signal()
        _ = mayEnd.wait(timeout: .now() + 60)
        try connection.execute(sql: "COMMIT")
      }
    }
    await blocking { _ = holds.wait(timeout: .now() + 30) }
  }

  /// Commits the transaction, and ends the program.
  func commit() async throws {
    mayEnd.signal()
    let result = await work.result
    try await program.close()
    try result.get()
  }
}
