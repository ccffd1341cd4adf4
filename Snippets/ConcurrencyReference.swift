// The code samples in the documentation comments about queues and pools; all compile and run.

// snippet.hide
import Foundation
import Sluice

let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
guard FileManager.default.changeCurrentDirectoryPath(folder.path) else {
  throw CocoaError(.fileNoSuchFile)
}
try await deadlines()
try await pools()
try preparations()
try await monitors()
try await repositories()

func deadlines() async throws {
  let queue = try ConnectionQueue()
  try await queue.perform { try $0.execute(sql: "CREATE TABLE event(title)") }
  do {
    try await queue.transaction(deadline: .now + .seconds(2)) { connection in
      try connection.execute(sql: "DELETE FROM event WHERE title LIKE '%draft%'")
    }
  } catch is DeadlineError {
    print("The write took too long.")
  }
}

func pools() async throws {
  let pool = try ConnectionPool(path: "app.db", readers: 4)
  try await pool.write { connection in
    try connection.execute(sql: "CREATE TABLE IF NOT EXISTS event(title TEXT NOT NULL)")
  }
  let count = try await pool.read { connection in
    try connection.first(.column(.int), sql: "SELECT count(*) FROM event")
  }
  guard count == 0 else { fatalError() }
}

func preparations() throws {
  var configuration = Configuration()
  configuration.prepareConnection { connection in
    try connection.addFunction("initial") { (name: String) in String(name.prefix(1)) }
    try connection.addCollation("backwards") { (a: String, b: String) in SQLOrder(b, a) }
  }
  let pool = try ConnectionPool(path: "app.db", configuration: configuration)
  try pool.syncClose()
}

func monitors() async throws {
  var configuration = Configuration()
  configuration.monitor = JSONLinesMonitor()
  let queue = try ConnectionQueue(label: "app", configuration: configuration)
  try await queue.perform { try $0.execute(sql: "SELECT 1") }

  configuration.monitor = JSONLinesMonitor(traceID: { Request.id })

  configuration.monitor = SlowStatementMonitor(
    threshold: .milliseconds(100),
    reportingTo: JSONLinesMonitor(threshold: .milliseconds(100)))
}

enum Request {
  @TaskLocal static var id: String?
}

struct EventRepository {
  var database: any DatabaseWriter

  func add(_ title: String) async throws -> Int64 {
    try await database.write { connection in
      try connection.execute("INSERT INTO event(title) VALUES (\(title))")
      return connection.lastInsertRowid
    }
  }

  func count() async throws -> Int {
    try await database.read { try $0.first(.column(.int), sql: "SELECT count(*) FROM event") ?? 0 }
  }
}

func count(in database: some DatabaseReader) async throws -> Int {
  try await database.read { connection in
    try connection.first(.column(.int), sql: "SELECT count(*) FROM event") ?? 0
  }
}

func repositories() async throws {
  let migrator = try Migrator([
    Migration(1, "create", sql: "CREATE TABLE event(id INTEGER PRIMARY KEY, title TEXT)")
  ])
  let pool = try ConnectionPool(path: "events.db")
  let report = try await migrator.migrate(pool)
  let repository = EventRepository(database: pool)
  guard report.version == 1, try await repository.add("Notes") == 1 else { fatalError() }
  let copy = try ConnectionQueue()
  try await pool.backup(to: copy)
  guard try await repository.count() == 1, try await count(in: copy) == 1 else { fatalError() }
}
