import LocalNodes
import SluiceCluster
import Testing

extension `A cluster under load` {
  /// Statements of a program against a real node, which ends at SQL that its version cannot execute.
  @Suite struct `executes ordinary statements` {
    @Test func `of each kind, without the end of a node`() async throws {
      // By default, the node would keep the pages of thousands of large transactions in memory.
      try await TestCluster.with(nodes: 1, options: ["--snapshot", "32,32"]) { nodes in
        var options = Cluster.Options.underLoad
        // Some statements are slow, which costs a single node nothing.
        options.requestTimeout = .seconds(600)
        let program = try Cluster(nodes: nodes.addresses, database: "main", options: options)
        var statements = OrdinaryStatement(seed: isLong ? .random(in: 0 ... .max) : 29)
        var counts = (done: 0, failed: 0)
        for number in 0..<rounds(400, long: 8_000) {
          // Afterwards, the tables have their first size again.
          if number % 200 == 0 { try await Self.begin(program) }
          let sql = statements.next()
          do {
            try await program.perform { connection in
              defer { if !connection.isInAutocommit { try? connection.execute(sql: "ROLLBACK") } }
              try connection.execute(sql: sql) { _ in }
            }
            counts.done += 1
          } catch is SQLiteError {
            counts.failed += 1
          }
          guard try nodes.node(1).isRunning else {
            Issue.record("The node has ended during: \(sql)")
            return
          }
        }
        print("  ordinary statements: \(counts.done) executed, \(counts.failed) refused or failed")
        #expect(counts.done > 2 * counts.failed)
        let check = "PRAGMA integrity_check"
        #expect(try await program.read { try $0.query(.column(.string), sql: check) } == ["ok"])
        try await program.close()
      }
    }

    /// Replaces all tables by those of the schema.
    private static func begin(_ program: Cluster) async throws {
      let names = try await program.read { connection in
        try connection.query(
          .columns(.string, .string),
          sql: """
            SELECT type, name FROM sqlite_schema
            WHERE type IN ('view', 'table') AND name NOT LIKE 'sqlite_%' AND name <> 'sluice_commit'
              AND name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow')
            ORDER BY type DESC
            """)
      }
      try await program.perform { connection in
        try connection.execute(sql: "PRAGMA foreign_keys = 0; PRAGMA recursive_triggers = 0")
        for (type, name) in names { try connection.execute(sql: "DROP \(type) \"\(name)\"") }
        try connection.execute(sql: "PRAGMA foreign_keys = 1")
      }
      try await program.write { try $0.execute(sql: OrdinaryStatement.schema) }
    }
  }
}
