import Foundation
import SluiceCluster
import SluiceData
import TestSupport
import Testing

@Suite struct `restores of a cluster` {
  /// A file with each kind of object, and with more rows than a portion contains.
  private static func source(in folder: TestFolder, rows: Int = 4000) throws -> String {
    let path = folder.file("source-\(rows).db")
    let connection = try Connection(path: path)
    try connection.execute(
      """
      PRAGMA user_version = 7;
      PRAGMA application_id = 9;
      CREATE TABLE person(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, data BLOB);
      CREATE TABLE pet(name TEXT, owner INTEGER REFERENCES person(id));
      CREATE TABLE tag(a, b, PRIMARY KEY (a, b)) WITHOUT ROWID;
      CREATE INDEX pet_by_name ON pet(name);
      CREATE VIEW names AS SELECT name FROM person;
      CREATE TRIGGER watch AFTER INSERT ON pet BEGIN DELETE FROM tag; END;
      CREATE VIRTUAL TABLE note USING fts5(text);
      CREATE TABLE sluice_commit(
        client BLOB PRIMARY KEY, number INTEGER NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID;
      INSERT INTO tag VALUES (1, 'x'), (2.5, x'00ff');
      INSERT INTO note VALUES ('the analytical engine'), ('it''s a note');
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
      INSERT INTO person(id, name, data) SELECT i * 3, 'name ' || i, randomblob(200) FROM n;
      DELETE FROM person WHERE id = 3 * \(rows);
      """)
    // Foreign keys and triggers would refuse or change these rows.
    try connection.execute(
      "PRAGMA foreign_keys = 0; DROP TRIGGER watch; INSERT INTO pet(rowid, name, owner) VALUES (9, NULL, 1);"
        + "CREATE TRIGGER watch AFTER INSERT ON pet BEGIN DELETE FROM tag; END; ANALYZE")
    try connection.close()
    return path
  }

  /// Expects that the nodes have the same database as a file.
  private static func expectEqual(_ copy: Connection, _ path: String) throws {
    let source = try Connection(path: path, readOnly: true)
    #expect(try copy.integrityProblems().isEmpty)
    let pieces = try [copy, source].map { connection in
      var script: [UInt8] = []
      try connection.dumpStatements(excluding: ["sluice_commit"]) { piece, _ in script += piece }
      return String(decoding: script, as: UTF8.self)
    }
    #expect(pieces[0] == pieces[1])
    #expect(pieces[0].contains("sqlite_sequence") && pieces[0].contains("user_version = 7"))
  }

  @Test func `a restored database has the same content as the file`() async throws {
    let (stage, folder) = (try ClusterStage(), try TestFolder())
    let connection = try stage.nodes.connection()
    let path = try Self.source(in: folder)
    let steps = Locked<[(Int, Int)]>([])
    try await stage.cluster.restore(from: path) { count, total in
      steps.withLock { $0.append((count, total)) }
    }
    try Self.expectEqual(connection, path)
    let counts = steps.withLock { $0 }
    #expect(counts.count > 3 && counts.last?.0 == counts.last?.1, "\(counts)")
    #expect(zip(counts, counts.dropFirst()).allSatisfy { $0.0 <= $1.0 })
    // The database can be used, and copied again.
    let name = try await stage.cluster.read { connection in
      try connection.first(.column(.string), sql: "SELECT name FROM person WHERE id = 3")
    }
    #expect(name == "name 1")
    try await stage.cluster.backup(to: folder.file("again.db"))
    #expect(stage.nodes.deaths.isEmpty)
  }

  private static let statements = [
    "BEGIN IMMEDIATE", "CREATE TABLE IF NOT EXISTS sluice_restore", "CREATE TABLE person",
    "DELETE FROM sluice_restore", "INSERT INTO sluice_restore", "COMMIT",
    "DROP TABLE IF EXISTS sluice_restore",
  ]

  /// Statements, each with a fault that it can meet.
  private static let faults: [(statement: String, fault: FakeCluster.Fault)] =
    statements.flatMap { statement in
      [FakeCluster.Fault.dropBefore, .dropAfter, .notLeader, .leadershipLost].map {
        (statement, $0)
      }
    }
    // Only the beginning and the end of a transaction can find the database locked.
    + ["BEGIN IMMEDIATE", "COMMIT"].map { ($0, .failure(5, "database is locked")) }

  @Test(arguments: faults)
  func `a restore goes on after each lost answer`(
    statement: String, fault: FakeCluster.Fault
  ) async throws {
    let (stage, folder) = (try ClusterStage(), try TestFolder())
    let path = try Self.source(in: folder, rows: 1200)
    let connection = try stage.nodes.connection()
    let isRepeated = !statement.hasPrefix("CREATE") && !statement.hasPrefix("DROP")
    for skipped in isRepeated ? [0, 3] : [0] {
      stage.nodes.plan(fault, after: skipped) { $0.sql.hasPrefix(statement) }
    }
    try await stage.cluster.restore(from: path)
    try Self.expectEqual(connection, path)
    #expect(stage.nodes.deaths.isEmpty)
  }

  @Test func `an incomplete database is refused until the same file is restored`() async throws {
    struct Enough: Error {}
    let (stage, folder) = (try ClusterStage(), try TestFolder())
    let connection = try stage.nodes.connection()
    let path = try Self.source(in: folder)
    await #expect(throws: Enough.self) {
      try await stage.cluster.restore(from: path) { count, _ in
        if count > 2000 { throw Enough() }
      }
    }
    let before = stage.nodes.statements.count
    await expect(.busy) {
      let one = try await stage.cluster.read { connection in
        try connection.first(.column(.int), sql: "SELECT 1")
      }
      #expect(one == nil)
    }
    await expect(.busy) {
      try await stage.cluster.write { try $0.execute(sql: "INSERT INTO person DEFAULT VALUES") }
    }
    await expect(.busy) {
      try await stage.cluster.backup(to: folder.file("incomplete.db"))
    }
    #expect(!stage.nodes.statements.dropFirst(before).contains { $0.sql.hasPrefix("INSERT") })
    for other in [try Self.source(in: folder, rows: 4001), try Self.source(in: folder, rows: 5)] {
      await expect(.mismatch) { try await stage.cluster.restore(from: other) }
    }
    let done = stage.nodes.statements.count
    try await stage.cluster.restore(from: path)
    try Self.expectEqual(connection, path)
    // The tables were created by the first call.
    let repeated = stage.nodes.statements.dropFirst(done)
    #expect(!repeated.contains { $0.sql.hasPrefix("CREATE TABLE \"person\"") })
    #expect(try await stage.cluster.read { try $0.first(.column(.int), sql: "SELECT 1") } == 1)
  }

  @Test func `a database that is not empty, and a file that is no database, are refused`()
    async throws
  {
    let (stage, folder) = (try ClusterStage(), try TestFolder())
    await expect(.cantOpen) {
      try await stage.cluster.restore(from: folder.file("missing.db"))
    }
    try folder.write([], to: "empty.db")
    await expect(.notADatabase) {
      try await stage.cluster.restore(from: folder.file("empty.db"))
    }
    try folder.write(Array(repeating: 65, count: 5000), to: "text.db")
    await expect(.notADatabase) {
      try await stage.cluster.restore(from: folder.file("text.db"))
    }
    let wide = try Connection(path: folder.file("wide.db"))
    try wide.execute(sql: "PRAGMA encoding = 'UTF-16'; CREATE TABLE t(a)")
    await expect(.mismatch) {
      try await stage.cluster.restore(from: folder.file("wide.db"))
    }
    #expect(!stage.nodes.statements.contains { $0.sql.hasPrefix("CREATE") })
    try await stage.addCounter()
    let path = try Self.source(in: folder, rows: 2)
    await expect(.misuse) { try await stage.cluster.restore(from: path) }
    #expect(try await stage.count == 0)
  }

  @Test func `a statement that ends every node ends the restore`() async throws {
    let (stage, folder) = (try ClusterStage(), try TestFolder())
    let connection = try stage.nodes.connection()
    let path = try Self.source(in: folder, rows: 2)
    stage.nodes.plan(.dropBefore, times: 100) { $0.sql.contains("CREATE TABLE person") }
    await #expect(throws: ClusterError.self) { try await stage.cluster.restore(from: path) }
    stage.nodes.cancelPlans()
    try await stage.cluster.restore(from: path)
    try Self.expectEqual(connection, path)
  }

  @Test func `a cancelled restore stops, and a later one completes it`() async throws {
    let (stage, folder) = (try ClusterStage(), try TestFolder())
    let connection = try stage.nodes.connection()
    let path = try Self.source(in: folder)
    let task = Locked<Task<Void, any Error>?>(nil)
    let cluster = stage.cluster
    let restore = Task {
      try await cluster.restore(from: path) { count, _ in
        if count > 1000 { task.withLock { $0?.cancel() } }
      }
    }
    task.withLock { $0 = restore }
    await #expect(throws: CancellationError.self) { try await restore.value }
    try await cluster.restore(from: path)
    try Self.expectEqual(connection, path)
  }
}
