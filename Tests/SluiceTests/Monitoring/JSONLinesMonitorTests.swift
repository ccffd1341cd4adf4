import Foundation
import Sluice
import Synchronization
import TestSupport
import Testing

@Suite(.tags(.monitoring)) struct `the JSON Lines monitor` {
  private enum Request {
    @TaskLocal static var id: String?
  }

  private final class Lines: Sendable {
    private let storage = Mutex<[String]>([])
    func append(_ line: String) { storage.withLock { $0.append(line) } }
    var all: [String] { storage.withLock { $0 } }

    /// The fields of each line; fails the test for a line that is not valid JSON.
    func fields() throws -> [[String: Any]] {
      try all.map { line in
        try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      }
    }
  }

  private let lines = Lines()

  /// A configuration whose monitor writes the task-local identifier.
  private var traced: Configuration {
    var configuration = Configuration()
    configuration.monitor = JSONLinesMonitor(
      write: { [lines] in lines.append($0) }, traceID: { Request.id })
    return configuration
  }

  @Test func `each statement and access is written as one line of valid JSON`()
    async throws
  {
    var configuration = Configuration()
    configuration.monitor = JSONLinesMonitor { [lines] in lines.append($0) }
    let queue = try ConnectionQueue(label: "a \"queue\"", configuration: configuration)
    try await queue.perform { try $0.execute(sql: "SELECT 1,\n'secret' || ?", parameters: "bound") }
    let events = try lines.fields()
    #expect(events.compactMap { $0["event"] as? String } == ["statement", "access"])
    #expect(events[0]["sql"] as? String == "SELECT 1,\n'secret' || ?")
    #expect(events[0]["rows"] as? Int == 1)
    #expect(events[1]["label"] as? String == "a \"queue\"")
    #expect(events[1]["failed"] as? Bool == false)
    #expect(events.allSatisfy { $0["traceID"] == nil })
    #expect(lines.all.allSatisfy { !$0.contains("\n") && !$0.contains("bound") })
  }

  @Test func `statements and accesses below the threshold are not written`() throws {
    var configuration = Configuration()
    configuration.monitor = JSONLinesMonitor(threshold: .seconds(600)) { [lines] in lines.append($0)
    }
    try ConnectionQueue(configuration: configuration).sync { try $0.execute(sql: "SELECT 1") }
    #expect(lines.all.isEmpty)
  }

  @Test func `the maintenance of a pool is written with its numbers`() async throws {
    let folder = try TestFolder()
    var upkeep = PoolUpkeep()
    upkeep.checkpointFrames = 1
    var configuration = Configuration()
    let writer = JSONLinesMonitor(threshold: .seconds(600)) { [lines] in lines.append($0) }
    configuration.monitor = SlowStatementMonitor(threshold: .seconds(600), reportingTo: writer)
    let pool = try ConnectionPool(
      path: folder.file(), label: "app", configuration: configuration, upkeep: upkeep)
    try await pool.write { try $0.execute(sql: "CREATE TABLE t(a)") }
    for _ in 0..<3000 where lines.all.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
    let fields = try #require(lines.fields().first)
    #expect(fields["event"] as? String == "upkeep" && fields["label"] as? String == "app")
    #expect(fields["work"] as? String == "checkpoint")
    #expect(fields["frames"] as? Int == 2 && fields["checkpointedFrames"] as? Int == 2)
    #expect(try #require(fields["duration"] as? Double) >= 0)
    try await pool.close()
  }

  @Test func `a line contains the wall-clock time at which its work began`() throws {
    let queue = try ConnectionQueue(configuration: traced)
    let before = Date.now.timeIntervalSince1970
    try queue.sync { try $0.execute(sql: "SELECT 1") }
    let after = Date.now.timeIntervalSince1970
    let starts = try lines.fields().compactMap { $0["start"] as? Double }
    #expect(starts.count == 2)
    // The times are rounded to microseconds.
    #expect(starts.allSatisfy { $0 > before - 0.001 && $0 < after + 0.001 }, "\(before) \(starts)")
  }

  @Test func `lines contain the trace identifier of the caller`() async throws {
    let folder = try TestFolder()
    let queue = try ConnectionQueue(path: folder.file(), configuration: traced)
    let pool = try ConnectionPool(path: folder.file("pool.db"), configuration: traced)
    let sql = "SELECT 41"
    try await Request.$id.withValue("await") {
      try await queue.perform { try $0.execute(sql: sql) }
      try await queue.transaction { connection, _ in try connection.execute(sql: sql) }
      try await pool.read { try $0.execute(sql: sql) }
      try await pool.write { try $0.execute(sql: sql) }
    }
    let awaited = try ids()
    #expect(awaited.count == 8 && Set(awaited) == ["await"])
    try Request.$id.withValue("sync") { try synchronously(queue, pool, sql) }
    let synchronous = try ids().dropFirst(awaited.count)
    #expect(synchronous.count == 10 && Set(synchronous) == ["sync"])
    try await queue.perform { try $0.execute(sql: sql) }
    #expect(try ids().suffix(2) == [nil, nil])
  }

  private func synchronously(_ queue: ConnectionQueue, _ pool: ConnectionPool, _ sql: String) throws
  {
    try queue.sync { try $0.execute(sql: sql) }
    try queue.sync(deadline: .now + .seconds(600)) { try $0.execute(sql: sql) }
    try queue.syncTransaction { connection, _ in try connection.execute(sql: sql) }
    try pool.syncRead { try $0.execute(sql: sql) }
    try pool.syncWrite { try $0.execute(sql: sql) }
  }

  /// The trace identifier of each line about a statement or access, but not of the statements that open a pool.
  private func ids() throws -> [String?] {
    try lines.fields().filter {
      $0["event"] as? String == "access" || $0["sql"] as? String == "SELECT 41"
    }
    .map { $0["traceID"] as? String }
  }

  @Test(arguments: [
    "a\nb", "\r\n", "\"", "\\", "\0", "\u{1}\u{1b}[31m", "\u{7f}\u{80}", "'--", "{}", "a\u{feff}",
    "",
    "a\u{2028}b", "\u{2029}\u{301}", "\u{85}", "\u{202e}abc", "👩‍👩‍👧‍👦", "e\u{301}\u{301}", "\u{10ffff}",
    String(decoding: [0xff, 0xc0, 0x22, 0x0a, 0xed, 0xa0, 0x80] as [UInt8], as: UTF8.self),
  ]) func `a hostile identifier is one string of one line`(_ id: String) throws {
    let queue = try ConnectionQueue(label: id, configuration: traced)
    try Request.$id.withValue(id) {
      try queue.sync { try $0.execute(sql: "SELECT 1 -- \u{2028}\u{85}\u{2029}") }
    }
    let events = try lines.fields()
    #expect(events.count == 2)
    for event in events {
      let written = try #require(event["traceID"] as? String)
      #expect(Array(written.unicodeScalars) == Array(id.unicodeScalars))
    }
    #expect(events[1]["label"] as? String == id)
    #expect(events[0]["sql"] as? String == "SELECT 1 -- \u{2028}\u{85}\u{2029}")
    for line in lines.all {
      #expect(!line.unicodeScalars.contains { CharacterSet.newlines.contains($0) })
      #expect(!line.unicodeScalars.contains { $0.value < 32 })
    }
  }

  @Test(arguments: ["x", "\u{301}"]) func `a huge identifier is cut`(_ part: String) throws {
    let id = "e" + String(repeating: part, count: 1_000_000)
    let queue = try ConnectionQueue(configuration: traced)
    try Request.$id.withValue(id) { try queue.sync { try $0.execute(sql: "SELECT 1") } }
    for event in try lines.fields() {
      let written = try #require(event["traceID"] as? String)
      #expect(Array(written.unicodeScalars) == Array(id.unicodeScalars.prefix(128)))
    }
    #expect(lines.all.allSatisfy { $0.utf8.count < 1_000 })
  }

  @Test func `the plan of a slow statement is written once, with the trace identifier`()
    async throws
  {
    var configuration = Configuration()
    configuration.monitor = SlowStatementMonitor(
      threshold: .zero,
      reportingTo: JSONLinesMonitor(
        threshold: .seconds(600), write: { [lines] in lines.append($0) }, traceID: { Request.id }))
    let queue = try ConnectionQueue(configuration: configuration)
    try await queue.perform { try $0.execute(sql: "CREATE TABLE t(a)") }
    let before = lines.all.count
    for _ in 0..<2 {
      try await Request.$id.withValue("mine") {
        try await queue.perform {
          try $0.execute(sql: "SELECT a FROM t WHERE a = ?", parameters: "bound")
        }
      }
    }
    let events = try lines.fields().dropFirst(before)
    #expect(events.count == 1)
    let plan = try #require(events.first)
    #expect(plan["event"] as? String == "plan")
    #expect(plan["plan"] as? String == "QUERY PLAN\n`--SCAN t")
    #expect(plan["sql"] as? String == "SELECT a FROM t WHERE a = ?")
    #expect(plan["traceID"] as? String == "mine")
    #expect(plan["start"] is Double && plan["duration"] is Double)
    let scans = plan["scans"] as? [[String: Any]]
    #expect(
      scans?.first?["explanation"] as? String == (SQLiteLibrary.has(.scanStatus) ? "SCAN t" : nil))
  }
}
