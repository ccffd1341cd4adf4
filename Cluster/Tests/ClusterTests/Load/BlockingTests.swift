import Foundation
import LocalNodes
import SluiceCluster
import Testing

extension `A cluster under load` {
  @Suite struct `goes on` {
    @Test func `when a silent program that blocks all others loses its transaction`() async throws {
      try await TestCluster.with { cluster in
        let (holds, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        try await Load.run(on: cluster) { load in
          _ = try await load.progress()
          let silent = try Cluster(nodes: cluster.addresses, database: "main")
          let blocked = Task {
            try await silent.perform { connection in
              try connection.execute(sql: "BEGIN IMMEDIATE; UPDATE counter SET n = n + 1000000")
              holds.signal()
              _ = mayEnd.wait(timeout: .now() + 60)
              try connection.execute(sql: "COMMIT")
            }
          }
          await blocking { _ = holds.wait(timeout: .now() + 30) }
          try await expectBusy(cluster)
          let leader = try await cluster.leader()
          let other = try #require(cluster.ids.first { $0 != leader })
          try await cluster.transfer(to: other)
          Figures.add(to: .transfers)
          _ = try await load.progress()
          mayEnd.signal()
          // The transfer has rolled the transaction back, so its commit must not succeed.
          await #expect(throws: ClusterError.self) { try await blocked.value }
          try await silent.close()
        }
      }
    }

    @Test func `when a silent program that blocks all others is ended by the door`() async throws {
      try await TestCluster.with(nodes: 1, options: ["--silence", "1"]) { cluster in
        let (holds, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        try await cluster.execute("CREATE TABLE t(a)")
        let silent = try Cluster(nodes: cluster.addresses, database: "main", options: .underLoad)
        let blocked = Task {
          try await silent.perform { connection in
            try connection.execute(sql: "BEGIN IMMEDIATE; INSERT INTO t VALUES (1)")
            holds.signal()
            _ = mayEnd.wait(timeout: .now() + 60)
            try connection.execute(sql: "COMMIT")
          }
        }
        await blocking { _ = holds.wait(timeout: .now() + 30) }
        var options = Cluster.Options.underLoad
        options.busyTimeout = .seconds(30)
        let other = try Cluster(nodes: cluster.addresses, database: "main", options: options)
        try await other.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
        mayEnd.signal()
        await #expect(throws: ClusterError.self) { try await blocked.value }
        let rows = try await other.read { try $0.query(.column(.int), sql: "SELECT a FROM t") }
        #expect(rows == [2])
        try await silent.close()
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
