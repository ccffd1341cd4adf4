import Foundation
import Sluice
import Synchronization
import TestSupport
import Testing

/// Other processes that use the same file.
@Suite(.tags(.concurrency), .timeLimit(.minutes(15))) struct `several processes` {
  let folder: TestFolder
  let file: URL

  init() throws {
    folder = try TestFolder()
    file = folder.url.appending(path: "a.db")
    var configuration = Configuration()
    configuration.journalMode = .wal
    let connection = try Connection(url: file, configuration: configuration)
    try connection.execute(sql: "CREATE TABLE counter(value); INSERT INTO counter VALUES (0)")
    try connection.close()
  }

  @Test(arguments: [[[], []], [["shim"], ["shim"]], [["shim"], []]])
  func `processes that increment one counter lose no increment, even through a Swift file system`(
    _ ways: [[String]]
  )
    throws
  {
    let count = rounds(200, long: 1_000)
    let workers = try ways.map { try OtherWriter(file, ["increment", "\(count)"] + $0) }
    for worker in workers { try worker.expectReady() }
    for worker in workers { try worker.start() }
    for worker in workers { #expect(try worker.output() == "done\n") }
    let connection = try Connection(url: file)
    #expect(
      try connection.first(.column(.int), sql: "SELECT value FROM counter") == count * 2)
    #expect(try connection.integrityProblems().isEmpty)
  }

  @Test func `processes respect each other's locks through a Swift file system`() throws {
    struct Shim: VirtualFileSystemShim {}
    try SQLiteLibrary.addFileSystem("several processes", Shim())
    defer { try? SQLiteLibrary.removeFileSystem("several processes") }
    var configuration = Configuration()
    configuration.fileSystem = "several processes"
    let connection = try Connection(url: file, configuration: configuration)
    // SQLite does not write an unchanged value, so each round sets another one.
    for (value, way) in [(7, []), (8, ["shim"])] {
      try connection.execute(sql: "BEGIN IMMEDIATE; UPDATE counter SET value = \(value)")
      #expect(try OtherWriter(file, ["lock"] + way).output() == "busy\n")
      try connection.execute(sql: "COMMIT; BEGIN")
      #expect(try connection.first(.column(.int), sql: "SELECT value FROM counter") == value)
      // An open read transaction prevents the WAL from being truncated.
      #expect(try OtherWriter(file, ["lock"] + way).output() == "busy\n")
      try connection.execute(sql: "COMMIT")
      #expect(try OtherWriter(file, ["lock"] + way).output() == "free\n")
    }
  }

  @Test func `suspending a queue and a pool releases all locks for other processes`() async throws {
    let queue = try ConnectionQueue(url: file)
    let pool = try ConnectionPool(path: file.path)
    let begun = Count()
    let endless = "WITH c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"
    let tasks = [
      Task {
        try await queue.transaction { connection, _ in
          try connection.execute(sql: "UPDATE counter SET value = 7")
          begun.value.add(1, ordering: .acquiringAndReleasing)
          try connection.execute(sql: endless)
        }
        return ()
      },
      Task {
        try await pool.read { connection in
          try connection.execute(sql: "SELECT * FROM counter")
          begun.value.add(1, ordering: .acquiringAndReleasing)
          try connection.execute(sql: endless)
        }
      },
    ]
    while begun.value.load(ordering: .acquiring) < 2 { await Task.yield() }
    #expect(try OtherWriter(file, ["lock"]).output() == "busy\n")
    try await queue.suspend()
    try await pool.suspend()
    #expect(try OtherWriter(file, ["lock"]).output() == "free\n")
    for task in tasks {
      await #expect { try await task.value } throws: { SQLiteError.interrupt ~= $0 }
    }
    queue.resume()
    pool.resume()
    let value = try await pool.read {
      try $0.first(.column(.int), sql: "SELECT value FROM counter")
    }
    #expect(value == 0)
  }
}

/// A counter that any thread can increment.
private final class Count: Sendable {
  let value = Atomic(0)
}
