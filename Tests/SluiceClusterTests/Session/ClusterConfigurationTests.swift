import Foundation
import SluiceCluster
import SluiceCore
import TestSupport
import Testing

@Suite struct `the configuration of a cluster` {
  private final class Recorder: ConnectionMonitor {
    let statements = Locked<[String]>([])
    let accesses = Locked<[String]>([])

    func statementDidEnd(_ statement: StatementRecord) {
      statements.withLock { $0.append(statement.sql) }
    }

    func accessDidEnd(_ access: AccessRecord) { accesses.withLock { $0.append(access.label) } }
  }

  @Test func `a monitor gets each statement as it was written, and each access`() async throws {
    let nodes = try FakeCluster()
    let recorder = Recorder()
    var configuration = Configuration()
    configuration.monitor = recorder
    let cluster = try Cluster(
      nodes: nodes.addresses, database: "main", configuration: configuration)
    try await cluster.write { connection in
      try connection.execute(sql: "CREATE TABLE t(a, b)")
      try connection.execute("INSERT INTO t VALUES (\(1), \("x"))")
    }
    let count = try await cluster.read { connection in
      try connection.first(.column(.int), sql: "SELECT count(*) FROM t -- all")
    }
    #expect(count == 1)
    #expect(recorder.accesses.withLock { $0 } == ["Cluster.writer", "Cluster.reader 0"])
    try await cluster.close()
    #expect(
      recorder.statements.withLock { $0 } == [
        "BEGIN IMMEDIATE", "CREATE TABLE t(a, b)", "INSERT INTO t VALUES (?, ?)", "COMMIT",
        "BEGIN DEFERRED", "SELECT count(*) FROM t -- all", "COMMIT",
      ])
  }

  @Test func `coding strategies apply to rows and parameters`() async throws {
    struct Event: Codable, Equatable {
      var at: Date
    }
    let nodes = try FakeCluster()
    var configuration = Configuration()
    configuration.codingStrategies.dates = .timeIntervalSince1970
    let cluster = try Cluster(
      nodes: nodes.addresses, database: "main", configuration: configuration)
    let event = Event(at: Date(timeIntervalSince1970: 1.5))
    try await cluster.write { connection in
      try connection.execute(sql: "CREATE TABLE event(at)")
      try connection.prepare(sql: "INSERT INTO event VALUES (:at)").bind(encoding: event).execute()
    }
    let stored = try await cluster.read { connection in
      (
        try connection.first(.column(.double), sql: "SELECT at FROM event"),
        try connection.query(Event.self, sql: "SELECT at FROM event")
      )
    }
    #expect(stored.0 == 1.5)
    #expect(stored.1 == [event])
  }

  @Test func `settings of SQLite are refused`() throws {
    var configurations = [Configuration](repeating: Configuration(), count: 5)
    configurations[0].journalMode = .wal
    configurations[1].foreignKeys = false
    configurations[2].readOnly = true
    configurations[3].prepareConnection { _ in }
    configurations[4].limits[.columns] = 5
    for configuration in configurations {
      let error = failure(as: SQLiteError.self) {
        try Cluster(nodes: ["127.0.0.1:9001"], database: "main", configuration: configuration)
      }
      #expect(error?.code == .misuse)
    }
  }
}
