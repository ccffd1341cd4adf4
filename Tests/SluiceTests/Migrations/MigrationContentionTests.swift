import Dispatch
import Foundation
import Sluice
import TestSupport
import Testing

@Suite(.tags(.migrations), .timeLimit(.minutes(10))) struct `concurrent migrations` {
  @Test(arguments: [Configuration.JournalMode.wal, .delete], [false, true])
  func `each migration runs once when four connections migrate concurrently`(
    _ mode: Configuration.JournalMode, _ atomically: Bool
  ) throws {
    let folder = try TestFolder()
    let file = folder.url.appending(path: "a.db")
    var configuration = Configuration()
    configuration.busyTimeout = .seconds(120)
    configuration.journalMode = mode
    let settings = configuration
    // The journal mode is set in advance, because setting it does not wait for other connections.
    try Connection(url: file, configuration: settings).execute(
      sql: "CREATE TABLE log(number, worker)")
    let migrations = { @Sendable (worker: Int) in
      (1...20).map { number in
        Migration(number, "add t\(number)") { connection in
          try connection.execute("CREATE TABLE \(identifier: "t\(number)")(a)")
          try connection.execute("INSERT INTO log VALUES (\(number), \(worker))")
        }
      }
    }
    let failures = Failures()
    DispatchQueue.concurrentPerform(iterations: 4) { worker in
      failures.note {
        var configuration = settings
        configuration.journalMode = nil
        let connection = try Connection(url: file, configuration: configuration)
        let report = try Migrator(migrations(worker)).migrate(connection, atomically: atomically)
        #expect(report.version == 20)
        try connection.close()
      }
    }
    #expect(failures.all.isEmpty)
    let connection = try Connection(url: file)
    #expect(
      try connection.query(.column(.int), "SELECT number FROM log ORDER BY rowid") == Array(1...20))
    #expect(try Migrator(migrations(0)).applied(on: connection).count == 20)
  }

  @Test func `a migrator does not repeat a migration that another connection has applied`() throws {
    let folder = try TestFolder()
    let file = folder.url.appending(path: "a.db")
    let (first, second) = (try Connection(url: file), try Connection(url: file))
    let migrator = try Migrator(People.all)
    // An interrupted migrator continues after the migrations that another one has applied in the meantime.
    #expect(throws: ForeignError()) {
      try migrator.migrate(second) { progress in
        if progress.step.number == 2 { throw ForeignError() }
      }
    }
    try migrator.migrate(first, upTo: 2)
    #expect(try migrator.migrate(second).applied.map(\.number) == [3])
    #expect(try migrator.migrate(first).applied.isEmpty)
  }

  @Test func `a migrator notices that another connection migrates between two of its migrations`()
    throws
  {
    let folder = try TestFolder()
    let file = folder.url.appending(path: "a.db")
    let (first, second) = (try Connection(url: file), try Connection(url: file))
    let migrator = try Migrator([
      Migration(1, sql: "CREATE TABLE log(number)"),
      Migration(2, inTransaction: false, sql: "INSERT INTO log VALUES (2)"),
      Migration(3, sql: "INSERT INTO log VALUES (3)"),
    ])
    var report: MigrationReport?
    // The call before a migration outside a transaction is not part of a transaction either.
    let own = try migrator.migrate(first) { progress in
      if progress.step.number == 2 { report = try migrator.migrate(second) }
    }
    #expect(own.applied.map(\.number) == [1])
    #expect(own.version == 3)
    #expect(report?.applied.map(\.number) == [2, 3])
    #expect(try first.query(.column(.int), sql: "SELECT number FROM log") == [2, 3])
  }

  @Test func `a migration that removes the record of an earlier one is reported`() throws {
    let migrator = try Migrator([
      Migration(1, "one", sql: "CREATE TABLE a(a)"), Migration(2, "two", sql: "CREATE TABLE b(a)"),
      Migration(3, "three", sql: "DELETE FROM sluice_migration WHERE number = 1"),
    ])
    #expect(throws: MigrationError.missing(migrator.steps[0])) {
      try migrator.migrate(Connection())
    }
  }
}

private final class Failures: @unchecked Sendable {
  private let lock = NSLock()
  private var messages: [String] = []

  var all: [String] { lock.withLock { messages } }

  func note(_ body: () throws -> Void) {
    do { try body() } catch { lock.withLock { messages.append("\(error)") } }
  }
}
