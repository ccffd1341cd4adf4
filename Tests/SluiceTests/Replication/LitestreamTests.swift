import Foundation
import Sluice
import TestSupport
import Testing

@Suite(
  .tags(.storage, .reliability), .timeLimit(.minutes(15)),
  .enabled(if: Litestream.installed != nil, "Scripts/litestream has not installed Litestream"))
struct `replication by Litestream` {
  /// Checks that a database contains the first transactions of a writer, each of them completely.
  ///
  /// - Returns: The number of transactions.
  private func transactions(in file: String) throws -> Int {
    let connection = try Connection(path: file, create: false)
    let problems = try connection.integrityProblems()
    #expect(problems.isEmpty, "\(file): \(problems)")
    let hasTable = try connection.first(
      .column(.int), sql: "SELECT count(*) FROM sqlite_schema WHERE name = 'entry'")
    guard hasTable == 1 else { return 0 }
    let count =
      try connection.first(.column(.int), sql: "SELECT count(DISTINCT number) FROM entry") ?? 0
    let last =
      try connection.first(.column(.int), sql: "SELECT coalesce(max(number), 0) FROM entry") ?? 0
    #expect(count == last)
    let intact = try connection.first(
      .column(.int),
      sql: "SELECT count(*) FROM entry WHERE part IN (1, 2, 3) AND length(content) = 200 * part")
    #expect(intact == 3 * count)
    try connection.close()
    return count
  }

  /// Restores the database repeatedly, until it contains a number of transactions.
  private func restores(_ site: ReplicatedSite, upTo number: Int) async throws {
    try await eventually("a replica with \(number) transactions") {
      guard let file = try await site.restore() else { return false }
      return try transactions(in: file) >= number
    }
  }

  @Test func `a restored database lacks at most what was committed after the last sync`()
    async throws
  {
    let site = try ReplicatedSite()
    var (known, committed, missing, window) = (0, 0, 0, Duration.zero)
    let count = rounds(4, long: 20)
    for round in 1...count {
      // The pool reaches its WAL limit, and so runs checkpoints, before Litestream runs.
      let writer = try site.write()
      try await eventually("transactions") { writer.lastNumber >= known + 100 }
      let replicator = try site.replicate()
      try await eventually("transactions") { writer.lastNumber >= known + 200 }
      // The application continues to write while the database is restored.
      let marked = writer.lastNumber
      try await restores(site, upTo: marked)
      try await Task.sleep(for: .milliseconds(.random(in: 0...1000)))
      let killed = ContinuousClock.now
      for process in [writer, replicator].shuffled() { process.signal(SIGKILL) }
      _ = try await (writer.end(), replicator.end())

      let restored = try #require(try await site.restore())
      let found = try transactions(in: restored)
      let acknowledged = writer.numbers
      let last = writer.lastNumber
      // Each of the four tasks of the process may have committed a transaction that it had not yet reported.
      #expect(acknowledged.count > last - known - 4)
      #expect(found >= marked && found <= last + 4)
      committed += acknowledged.count
      missing += max(0, last - found)
      for (number, time) in acknowledged where number > found {
        window = max(window, killed - time)
      }

      // The files of a killed process contain all its transactions. A lost machine has no files.
      if round.isMultiple(of: 2) {
        try site.replaceMachine(with: restored)
        known = found
      } else {
        known = try transactions(in: site.file)
        #expect(known >= last)
      }
    }
    print(
      "Litestream \(site.litestream.version): \(count) kills, \(committed) transactions acknowledged,",
      "\(missing) missing after a restore, the oldest acknowledged \(window) before the kill")
  }

  @Test func `a database can be restored to a point in time`() async throws {
    let site = try ReplicatedSite()
    let pool = try ConnectionPool(path: site.file, configuration: .replicated)
    try await pool.write { try $0.execute(sql: "CREATE TABLE event(title)") }
    let replicator = try site.replicate()
    func titles(_ options: [String] = []) async throws -> [String] {
      guard let file = try await site.restore(options) else { return [] }
      let connection = try Connection(path: file, create: false)
      return try connection.query(.column(.string), sql: "SELECT title FROM event")
    }
    try await pool.write { try $0.execute(sql: "INSERT INTO event VALUES ('Note G')") }
    try await eventually("the first row") { try await titles() == ["Note G"] }
    try await Task.sleep(for: .milliseconds(1500))
    let time = Date.now.ISO8601Format()
    try await Task.sleep(for: .milliseconds(1500))
    try await pool.write { try $0.execute(sql: "UPDATE event SET title = 'A mistake'") }
    try await eventually("the update") { try await titles() == ["A mistake"] }
    #expect(try await titles(["-timestamp", time]) == ["Note G"])
    try await replicator.terminate()
    try await pool.close()
  }

  @Test func `VACUUM, changes of the schema and restored copies are replicated`() async throws {
    let site = try ReplicatedSite()
    let pool = try ConnectionPool(path: site.file, configuration: .replicated)
    let migrator = try Migrator([
      Migration(1, "events", sql: "CREATE TABLE event(title)"),
      Migration(2, "places", sql: "ALTER TABLE event ADD COLUMN place DEFAULT 'London'"),
    ])
    try await migrator.migrate(pool, upTo: 1)
    let replicator = try site.replicate()
    func places(_ expected: [String]) async throws {
      try await eventually("\(expected)") {
        guard let file = try await site.restore() else { return false }
        let connection = try Connection(path: file, create: false)
        #expect(try connection.integrityProblems().isEmpty)
        guard try connection.tables().contains(where: { $0.name == "event" }),
          try migrator.applied(on: connection).count == 2
        else { return false }
        return try connection.query(.column(.string), sql: "SELECT place FROM event") == expected
      }
    }
    try await pool.write { try $0.execute(sql: "INSERT INTO event VALUES ('Note G')") }
    try await migrator.migrate(pool)
    try await places(["London"])

    // Litestream's read transaction keeps the program from restarting the WAL.
    #expect(try await pool.perform { try $0.checkpoint(.truncate) }.isBusy)
    try await pool.perform { connection in
      try connection.execute(sql: "UPDATE event SET place = 'Turin'; VACUUM")
    }
    try await places(["Turin"])

    let copy = site.folder.file("copy.db")
    try await pool.perform { connection in
      try connection.vacuum(into: copy)
      try connection.execute(sql: "DELETE FROM event")
    }
    try await places([])
    try await pool.perform { try $0.restore(from: copy) }
    try await places(["Turin"])
    #expect(try await pool.read { try migrator.drift(on: $0) }.isEmpty)
    try await replicator.terminate()
    try await pool.close()
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/sqlite3")))
  func `the restore drill of the article finds a fresh and a stale replica`() async throws {
    let article = DocumentationTests.root.appending(
      path: "Sources/Sluice/Sluice.docc/DisasterRecovery.md")
    let text = try String(contentsOf: article, encoding: .utf8)
    let script = try #require(
      text.components(separatedBy: "```sh\n").dropFirst().first { $0.hasPrefix("#!/bin/sh") }?
        .components(separatedBy: "```").first)
    let site = try ReplicatedSite()
    try Data(script.utf8).write(to: URL(filePath: site.folder.file("drill")))
    let pool = try ConnectionPool(path: site.file, configuration: .replicated)
    func beat(_ age: Int) async throws {
      try await pool.write { connection in
        try connection.execute(
          "REPLACE INTO heartbeat VALUES (1, strftime('%s', 'now') - \(age))")
      }
    }
    func drill() async throws -> (status: Int32, output: String) {
      let others = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
      let path = "PATH=\(site.litestream.program.deletingLastPathComponent().path):\(others)"
      let child = try Child(
        URL(filePath: "/usr/bin/env"),
        [path, "sh", site.folder.file("drill"), site.configuration, site.file])
      return (try await child.end(), child.output)
    }
    try await pool.write { connection in
      try connection.execute(
        sql: "CREATE TABLE heartbeat(id INTEGER PRIMARY KEY, time INTEGER NOT NULL)")
    }
    try await beat(0)
    #expect(try await drill().status != 0)
    let replicator = try site.replicate()
    try await eventually("a fresh replica") { try await drill().status == 0 }
    #expect(try await drill().output.contains("seconds old"))
    try await beat(1000)
    try await eventually("a stale replica") { try await drill().status != 0 }
    #expect(try await drill().output.contains("100"))
    try await replicator.terminate()
    try await pool.close()
  }

  /// A monitor that counts the unused readers that a pool has closed.
  private final class Upkeep: ConnectionMonitor {
    let closings = Locked(0)
    func upkeepDidRun(_ record: UpkeepRecord) {
      if case .closedReaders(let count) = record.event { closings.withLock { $0 += count } }
    }
  }

  @Test func `no upkeep of a pool makes Litestream copy the database again`()
    async throws
  {
    // A commit during a checkpoint of Litestream can make it copy the whole database, so it runs none.
    let site = try ReplicatedSite(checkpointPages: 1_000_000)
    let monitor = Upkeep()
    var configuration = Configuration.replicated
    configuration.monitor = monitor
    var upkeep = PoolUpkeep()
    upkeep.checkpointFrames = 1
    upkeep.checkpointInterval = .milliseconds(100)
    upkeep.idleReaderTimeout = .milliseconds(100)
    upkeep.optimizeInterval = .milliseconds(100)
    let pool = try ConnectionPool(path: site.file, configuration: configuration, upkeep: upkeep)
    try await pool.write { connection in
      try connection.execute(sql: "CREATE TABLE entry(number, part, content)")
    }
    func insert(_ numbers: ClosedRange<Int>) async throws {
      for number in numbers {
        try await pool.write { connection in
          for part in 1...3 {
            try connection.execute(
              "INSERT INTO entry VALUES (\(number), \(part), hex(zeroblob(100 * \(part))))")
          }
        }
      }
      let count = monitor.closings.withLock { $0 }
      _ = try await pool.read { try $0.first(.column(.int), "SELECT count(*) FROM entry") }
      try await eventually("upkeep") { monitor.closings.withLock { $0 } > count }
    }
    var replicator = try site.replicate()
    try await insert(1...200)
    try await restores(site, upTo: 200)
    try await replicator.terminate()
    var output = replicator.output
    try await insert(201...300)
    try await pool.close()
    replicator = try site.replicate()
    try await restores(site, upTo: 300)
    try await replicator.terminate()
    output += replicator.output
    let copies = output.split(separator: "\n").filter {
      $0.contains("msg=sync") && $0.contains("snap=true")
    }
    #expect(copies.count == 1, "\(copies)")
  }

  @Test func `a checkpoint while Litestream is stopped loses nothing`() async throws {
    let site = try ReplicatedSite(checkpointPages: 10_000)
    // The WAL stays below 1000 frames, so no other checkpoint runs.
    let pool = try ConnectionPool(path: site.file, configuration: .replicated, upkeep: .none)
    func insert() async throws {
      try await pool.write { try $0.execute(sql: "INSERT INTO event VALUES (zeroblob(3000))") }
    }
    func restore(rows: Int, _ sql: String) async throws -> Int? {
      var count: Int?
      try await eventually("\(rows) rows") {
        guard let file = try await site.restore() else { return false }
        let connection = try Connection(path: file, create: false)
        #expect(try connection.integrityProblems().isEmpty)
        count = try connection.first(.column(.int), sql: sql)
        return try connection.first(.column(.int), sql: "SELECT count(*) FROM event") == rows
      }
      return count
    }
    try await pool.write { try $0.execute(sql: "CREATE TABLE event(content)") }
    for _ in 1...200 { try await insert() }
    var replicator = try site.replicate()
    let changed = "SELECT count(*) FROM event WHERE typeof(content) = 'text'"
    #expect(try await restore(rows: 200, changed) == 0)
    try await replicator.terminate()

    for id in 1...200 {
      try await pool.write { connection in
        try connection.execute(
          "UPDATE event SET content = hex(zeroblob(1500)) WHERE rowid = \(id)")
      }
    }
    #expect(try await pool.perform { try $0.checkpoint() }.isComplete)
    // The next commit restarts the WAL, although Litestream has not read the changes.
    try await insert()
    replicator = try site.replicate()
    #expect(try await restore(rows: 201, changed) == 200)
    try await replicator.terminate()
    try await pool.close()
  }
}
