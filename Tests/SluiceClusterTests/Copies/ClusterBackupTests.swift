import Foundation
import SluiceCluster
import TestSupport
import Testing

@Suite struct `backups of a cluster` {
  typealias Statement = FakeCluster.Statement

  private static let schema = """
    CREATE TABLE event(id INTEGER PRIMARY KEY, title TEXT NOT NULL);
    CREATE INDEX event_by_title ON event(title);
    INSERT INTO event(title) VALUES ('Note G'), ('Concert')
    """

  @Test func `a backup is one file, which contains everything that was committed`() async throws {
    let stage = try ClusterStage(nodes: 3)
    try await stage.cluster.write { try $0.execute(sql: Self.schema) }
    let folder = try TestFolder()
    let steps = Locked<[(Int, Int)]>([])
    try await stage.cluster.backup(to: folder.file("copy.db")) { count, total in
      steps.withLock { $0.append((count, total)) }
    }
    #expect(try folder.content == ["copy.db"])
    let copy = try Connection(path: folder.file("copy.db"), readOnly: true)
    #expect(
      try copy.query(.column(.string), sql: "SELECT title FROM event ORDER BY title")
        == ["Concert", "Note G"])
    #expect(try copy.first(.column(.string), sql: "PRAGMA journal_mode") == "delete")
    let all = steps.withLock { $0 }
    let last = try #require(all.last)
    #expect(last.0 == last.1 && last.1 > 8192)
  }

  @Test func `followers make the copy, and the leader only if they do not answer`() async throws {
    let stage = try ClusterStage(nodes: 3)
    try await stage.cluster.write { try $0.execute(sql: Self.schema) }
    let folder = try TestFolder()
    stage.nodes.refuseDumps(of: [1])
    try await stage.cluster.backup(to: folder.file("from-follower.db"))
    stage.nodes.refuseDumps(of: [2, 3])
    try await stage.cluster.backup(to: folder.file("from-leader.db"))
    #expect(stage.nodes.dumps.map { $0 == 1 } == [false, true])
    #expect(try folder.content == ["from-follower.db", "from-leader.db"])
  }

  @Test(arguments: [
    FakeCluster.Fault.dropBefore, .dropAfter, .notLeader, .leadershipLost,
  ])
  func `a leader that is lost before the copy does not end a backup`(
    _ fault: FakeCluster.Fault
  ) async throws {
    let stage = try ClusterStage()
    try await stage.cluster.write { try $0.execute(sql: Self.schema) }
    let folder = try TestFolder()
    for (index, sql) in ["BEGIN IMMEDIATE", "INSERT INTO sluice_commit"].enumerated() {
      stage.nodes.plan(fault) { $0.sql.hasPrefix(sql) }
      try await stage.cluster.backup(to: folder.file("\(index).db"))
    }
    #expect(try folder.content == ["0.db", "1.db"])
  }

  @Test func `a follower that does not have the database yet is skipped`() async throws {
    let stage = try ClusterStage(nodes: 3)
    try await stage.cluster.write { try $0.execute(sql: Self.schema) }
    let folder = try TestFolder()
    let isFirst = Locked(true)
    stage.nodes.alterDumps { files in
      let isMissing = isFirst.withLock { isFirst in
        defer { isFirst = false }
        return isFirst
      }
      if isMissing { files = [] }
    }
    try await stage.cluster.backup(to: folder.file("copy.db"))
    #expect(stage.nodes.dumps.count == 2)
    #expect(try folder.content == ["copy.db"])
  }

  @Test func `a follower makes the copy also through a door`() async throws {
    let nodes = try FakeCluster(nodes: 3)
    let door = try FakeDoor(any: nodes.addresses[0])
    let cluster = try Cluster(nodes: [door.address], database: "main")
    try await cluster.write { try $0.execute(sql: Self.schema) }
    let folder = try TestFolder()
    try await cluster.backup(to: folder.file("copy.db"))
    let follower = try #require(nodes.dumps.first)
    #expect(nodes.dumps.count == 1 && follower != 1)
    // Only the backup has asked the door for this node.
    let port = nodes.addresses[Int(follower) - 1].endpoint?.port
    #expect(door.greetings.contains { UInt16($0[2]) << 8 | UInt16($0[3]) == port })
    try await cluster.close()
  }

  @Test func `a link and a device are not replaced`() async throws {
    let stage = try ClusterStage()
    try await stage.cluster.write { try $0.execute(sql: Self.schema) }
    let folder = try TestFolder()
    try folder.write([1], to: "target")
    let link = folder.file("link")
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: folder.file("target"))
    for path in [link, "/dev/null", folder.path] {
      await expect(.cantOpen) { try await stage.cluster.backup(to: path, overwriting: true) }
    }
    #expect(try folder.bytes("target") == [1])
  }

  @Test func `a copy that lacks the newest commits is not a backup`() async throws {
    let stage = try ClusterStage(nodes: 2, failoverTimeout: .milliseconds(200))
    try await stage.cluster.write { try $0.execute(sql: Self.schema) }
    let old = try stage.nodes.files()
    stage.nodes.alterDumps { $0 = old }
    let folder = try TestFolder()
    await #expect(throws: ClusterError.self) {
      try await stage.cluster.backup(to: folder.file("copy.db"))
    }
    #expect(try folder.content == [])
  }

  @Test func `a damaged copy, a database that does not exist and an existing file are refused`()
    async throws
  {
    let stage = try ClusterStage()
    let folder = try TestFolder()
    let path = folder.file("copy.db")
    await expect(.notFound) { try await stage.cluster.backup(to: path) }
    try await stage.cluster.write { try $0.execute(sql: Self.schema) }
    try folder.write([1, 2, 3], to: "copy.db")
    await expect(.cantOpen) { try await stage.cluster.backup(to: path) }
    #expect(try folder.bytes("copy.db") == [1, 2, 3])
    try await stage.cluster.backup(to: path, overwriting: true)
    #expect(try Connection(path: path).first(.column(.int), sql: "SELECT count(*) FROM event") == 2)
    try folder.write([1], to: "copy.db-wal")
    await expect(.cantOpen) {
      try await stage.cluster.backup(to: path, overwriting: true)
    }
    await expect(.cantOpen) {
      try await stage.cluster.backup(to: folder.file("missing/copy.db"))
    }
    try stage.nodes.connection().execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
    stage.nodes.alterDumps { files in
      files[0].bytes.replaceSubrange(4096..<8192, with: repeatElement(7, count: 4096))
    }
    await #expect(throws: SQLiteError.self) {
      try await stage.cluster.backup(to: folder.file("damaged.db"))
    }
    #expect(try folder.content == ["copy.db", "copy.db-wal"])
  }

  @Test func `an error of the closure for the progress ends a backup, and leaves no file`()
    async throws
  {
    struct Enough: Error {}
    let stage = try ClusterStage()
    try await stage.cluster.write { try $0.execute(sql: Self.schema) }
    let folder = try TestFolder()
    await #expect(throws: Enough.self) {
      try await stage.cluster.backup(to: folder.file("copy.db")) { _, _ in throw Enough() }
    }
    #expect(try folder.content == [])
  }
}
