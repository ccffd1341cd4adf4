import Foundation
import LocalNodes
import SluiceCluster
import Testing

@Suite(.serialized, .timeLimit(.minutes(5))) struct `Copies of a database of a cluster` {
  private static func rows(_ count: Int) -> String {
    """
    CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, data BLOB);
    CREATE VIRTUAL TABLE note USING fts5(text);
    INSERT INTO note VALUES ('analytical engine'), ('difference engine');
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
    INSERT INTO item SELECT i, 'item ' || i, randomblob(1000) FROM n;
    CREATE INDEX item_by_data ON item(data);
    """
  }

  private static func file(_ path: String, rows count: Int) throws {
    let connection = try Connection(path: path)
    try connection.execute(sql: rows(count))
    try connection.close()
  }

  /// The content of a file that a restore must preserve, without the tables of Sluice.
  private static func content(_ path: String) throws -> [[DatabaseValue]] {
    let connection = try Connection(path: path, readOnly: true)
    #expect(try connection.integrityProblems().isEmpty)
    let schema = try connection.query(
      .values,
      sql: "SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sluice%' ORDER BY 2")
    let rows = try connection.query(.values, sql: "SELECT * FROM item ORDER BY id")
    let notes = try connection.query(
      .values, sql: "SELECT rowid, text FROM note WHERE note MATCH 'engine' ORDER BY rowid")
    return (schema + rows + notes).map(\.values)
  }

  @Test func `a backup contains each commit that was acknowledged, while others write`()
    async throws
  {
    try await TestCluster.with { nodes in
      let cluster = try Cluster(nodes: nodes.addresses, database: "main", options: .underLoad)
      try await cluster.write { try $0.execute(sql: "CREATE TABLE t(n INTEGER PRIMARY KEY)") }
      let writer = try Cluster(nodes: nodes.addresses, database: "main", options: .underLoad)
      let writes = Task {
        var count = 0
        while !Task.isCancelled {
          try await writer.write { try $0.execute(sql: "INSERT INTO t DEFAULT VALUES") }
          count += 1
        }
        return count
      }
      for number in 1...5 {
        let acknowledged = try await cluster.read { connection in
          try connection.first(.column(.int), sql: "SELECT count(*) FROM t") ?? 0
        }
        let file = nodes.path("copy\(number).db")
        try await cluster.backup(to: file)
        let copy = try Connection(path: file, readOnly: true)
        let count = try copy.first(.column(.int), sql: "SELECT count(*) FROM t") ?? 0
        #expect(count >= acknowledged)
      }
      writes.cancel()
      _ = try? await writes.value
      try await writer.close()
      try await cluster.close()
    }
  }

  @Test func `a file is restored although its leaders end, and comes back as a backup`()
    async throws
  {
    try await TestCluster.with { nodes in
      let source = nodes.path("source.db")
      try Self.file(source, rows: 12_000)
      let cluster = try Cluster(nodes: nodes.addresses, database: "main", options: .underLoad)
      let restore = Task { try await cluster.restore(from: source) }
      for _ in 0..<2 {
        try await Task.sleep(for: .milliseconds(400))
        let leader = try await nodes.leader()
        try await nodes.kill(leader)
        try await nodes.restart(leader)
      }
      try await restore.value
      let copy = nodes.path("copy.db")
      try await cluster.backup(to: copy)
      #expect(try Self.content(copy) == Self.content(source))
      try await cluster.close()
    }
  }

  @Test func `the commands copy a database, and go on with a restore that was ended`() async throws
  {
    try await TestCluster.with(nodes: 1) { nodes in
      let (source, copy) = (nodes.path("source.db"), nodes.path("copy.db"))
      try Self.file(source, rows: 12_000)
      let address = "\(nodes.addresses[0])"
      let words = ["restore", "--database", "main", "--from", source, address]
      let first = try await NodeProcess.run(words + ["--timeout", "1"])
      #expect([0, 3].contains(first.status), "\(first.output)")
      let restore = try await NodeProcess.run(words)
      // The first run can have been fast enough; the database is then complete.
      #expect(restore.status == (first.status == 0 ? 3 : 0), "\(restore.output)")
      let backup = try await NodeProcess.run("backup", "--database", "main", "--to", copy, address)
      #expect(backup.status == 0, "\(backup.output)")
      #expect(try Self.content(copy) == Self.content(source))
      let missing = try await NodeProcess.run(
        "backup", "--database", "mian", "--to", copy + "2", address)
      #expect(missing.status == 3)
      #expect(missing.output.contains("no database \"mian\""))
    }
  }
}
