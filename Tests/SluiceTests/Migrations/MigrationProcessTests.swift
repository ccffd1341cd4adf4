import Foundation
import Sluice
import TestSupport
import Testing

@Suite(.tags(.migrations), .timeLimit(.minutes(10))) struct `migrations by several processes` {
  @Test(arguments: [Configuration.JournalMode.wal, .delete])
  func `each migration runs once when three processes migrate concurrently`(
    _ mode: Configuration.JournalMode
  ) throws {
    let folder = try TestFolder()
    let file = folder.url.appending(path: "a.db")
    var configuration = Configuration()
    configuration.journalMode = mode
    let connection = try Connection(url: file, configuration: configuration)
    try connection.execute(sql: "CREATE TABLE log(number, worker)")

    let workers = try ["one", "two", "three"].map { try Worker(file, $0) }
    for worker in workers { try worker.expectReady() }
    for worker in workers { try worker.start() }
    let counts = try workers.map { try $0.result() }
    #expect(counts.map(\.version) == [30, 30, 30])
    #expect(counts.map(\.applied).reduce(0, +) == 30)

    #expect(
      try connection.query(.column(.int), "SELECT number FROM log ORDER BY rowid") == Array(1...30))
    #expect(
      try connection.query(.column(.int), "SELECT number FROM sluice_migration ORDER BY rowid")
        == Array(1...30))
    for (worker, count) in zip(workers, counts) {
      #expect(
        try connection.first(
          .column(.int), "SELECT count(*) FROM log WHERE worker = \(worker.name)") == count.applied)
    }
    #expect(try connection.schema.filter { $0.hasPrefix("t") }.count == 30)
    #expect(try connection.column("PRAGMA integrity_check") == ["ok"])
  }

  @Test(arguments: [false, true])
  func `a merged migration runs at most once when two processes migrate concurrently`(
    _ isNew: Bool
  ) throws {
    let folder = try TestFolder()
    let file = folder.url.appending(path: "a.db")
    let connection = try Connection(url: file)
    try connection.execute(sql: "CREATE TABLE log(number, worker)")
    if !isNew {
      let old = try Worker(file, "old")
      try old.expectReady()
      try old.start()
      #expect(try old.result().version == 30)
    }
    let workers = try ["one", "two"].map { try Worker(file, $0, "merged") }
    for worker in workers { try worker.expectReady() }
    for worker in workers { try worker.start() }
    let counts = try workers.map { try $0.result() }
    #expect(counts.map(\.version) == [30, 30])
    #expect(counts.map(\.applied).reduce(0, +) == (isNew ? 1 : 0))
    #expect(
      try connection.query(.column(.int), "SELECT number FROM log ORDER BY rowid") == Array(1...30))
    #expect(
      try connection.query(.column(.string), "SELECT name FROM sluice_migration ORDER BY number")
        == (isNew ? ["add all"] : (1...30).map { "add t\($0)" }))
  }

  @Test func `a migration during which a process ends is repeated by the next process`() throws {
    let folder = try TestFolder()
    let file = folder.url.appending(path: "a.db")
    let connection = try Connection(url: file)
    let worker = try Worker(file, "one", "crash")
    try worker.expectReady()
    try worker.start()
    #expect(try worker.exitStatus == 9)

    let migrator = try Migrator([
      Migration(
        1, "crash", inTransaction: false,
        sql: "CREATE TABLE IF NOT EXISTS half(a); CREATE TABLE IF NOT EXISTS other(a)")
    ])
    #expect(try connection.schema == ["half", "sluice_migration"])
    #expect(try migrator.applied(on: connection).isEmpty)
    #expect(try migrator.migrate(connection).repeated == migrator.steps)
    #expect(try connection.schema == ["half", "other", "sluice_migration"])
  }
}

/// Another process, which migrates the file on request.
private struct Worker {
  let name: String
  private let program: RunningProgram

  init(_ file: URL, _ name: String, _ more: String...) throws {
    self.name = name
    program = try RunningProgram("MigrationProcess", [file.path, name] + more)
  }

  func expectReady() throws { #expect(try program.isReady()) }

  func start() throws { try program.start() }

  /// The exit status of the process, which ends first.
  var exitStatus: Int32 {
    get throws { try program.result().status }
  }

  /// Returns the number of migrations that the process has applied, and the resulting version.
  func result() throws -> (applied: Int, version: Int) {
    let (status, output) = try program.result()
    #expect(status == 0)
    let numbers = output.split { $0 == " " || $0 == "\n" }.compactMap { Int($0) }
    try #require(numbers.count == 2)
    return (numbers[0], numbers[1])
  }
}
