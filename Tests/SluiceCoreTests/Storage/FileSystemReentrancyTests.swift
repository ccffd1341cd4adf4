import SluiceCore
import SluiceTesting
import Synchronization
import TestSupport
import Testing

/// Connections that a file system uses while SQLite calls it.
@Suite(.tags(.fileSystems)) struct `connections used by a file system` {
  /// Gives a file system access to the calling connection, which the compiler would otherwise reject.
  private final class Back: @unchecked Sendable {
    var connection: Connection?
    var statement: Statement?
    var refusals: [SQLiteError?] = []
    private var isBusy = false

    func use(_ call: FileSystemCall) {
      guard let connection, !isBusy else { return }
      isBusy = true
      defer { isBusy = false }
      refusals += [
        failure { try connection.execute(sql: "DELETE FROM t") },
        failure { try connection.execute(sql: "ROLLBACK") },
        failure { try connection.prepare(sql: "SELECT 1") },
        failure { try connection.addFunction("f") { 1 } },
        failure { try connection.transaction { _, _ in } },
        failure { try connection.resetCache() },
        failure { try connection.close() },
        failure { try statement?.step() },
      ]
      // A statement that is released here is finalized later.
      statement = nil
    }
  }

  @Test(arguments: [Configuration.JournalMode.delete, .wal])
  func `a file system cannot use the connection that calls it`(_ mode: Configuration.JournalMode)
    throws
  {
    let folder = try TestFolder()
    let back = Back()
    let system = try RegisteredFileSystem(WatchedFileSystem { back.use($0) })
    let connection = try system.connection(folder.file(), mode)
    try connection.execute(sql: "CREATE TABLE t(a); CREATE TABLE u(a)")
    back.statement = try connection.prepare(sql: "SELECT 1")
    back.connection = connection
    for _ in 0..<3 { try connection.execute(sql: "INSERT INTO t VALUES (1)") }
    try connection.execute(sql: "ATTACH ':memory:' AS m")
    #expect(try connection.value("SELECT count(*) FROM t") == 3)
    back.connection = nil
    #expect(back.refusals.count > 50)
    let others = back.refusals.filter { $0?.code != .misuse }
    // Only `statement?.step()` may not throw, because the statement may already be released.
    #expect(others.allSatisfy { $0 == nil } && others.count < back.refusals.count / 7)
    try connection.close()
  }

  @Test func `a file system cannot use the connection that attached its database`() throws {
    let folder = try TestFolder()
    let back = Back()
    let system = try RegisteredFileSystem(WatchedFileSystem { back.use($0) })
    let connection = try Connection()
    try connection.execute(sql: "CREATE TABLE t(a); CREATE TABLE u(a)")
    back.connection = connection
    try connection.attach(uri: "file:\(folder.file())?vfs=\(system.name)", as: "other")
    try connection.execute(sql: "CREATE TABLE other.v(a)")
    back.connection = nil
    #expect(back.refusals.count > 10)
    #expect(back.refusals.allSatisfy { $0 == nil || $0?.code == .misuse })
    #expect(back.refusals.contains { $0 != nil })
    #expect(try connection.value("SELECT count(*) FROM other.v") == 0)
  }

  @Test func `a file system can use a connection other than the one that calls it`() throws {
    let folder = try TestFolder()
    let log = try ConnectionQueue(label: "log")
    try log.sync { try $0.execute(sql: "CREATE TABLE call(name)") }
    let system = try RegisteredFileSystem(
      WatchedFileSystem { call in
        try log.sync {
          try $0.execute(sql: "INSERT INTO call VALUES (?)", parameters: .string(call.rawValue))
        }
      })
    let connection = try system.connection(folder.file())
    try connection.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
    let writes = try log.sync { connection in
      try connection.value("SELECT count(*) FROM call WHERE name = 'write'")
    }
    #expect(writes != 0)
  }

  @Test func `a file system cannot use the queue that calls it`() throws {
    let folder = try TestFolder()
    let found = Mutex<[ResultCode?]>([])
    let queues = Mutex<ConnectionQueue?>(nil)
    let system = try RegisteredFileSystem(
      WatchedFileSystem { call in
        guard let queue = queues.withLock({ $0 }) else { return }
        let error = failure { try queue.sync { try $0.execute(sql: "DELETE FROM t") } }
        found.withLock { $0.append(error?.code) }
      })
    let queue = try ConnectionQueue(
      path: folder.file(), label: "queue", configuration: system.configuration())
    queues.withLock { $0 = queue }
    try queue.sync { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
    queues.withLock { $0 = nil }
    let count = try queue.sync { try $0.value("SELECT count(*) FROM t") }
    #expect(count == 1)
    let codes = found.withLock { $0 }
    #expect(codes.count > 10 && codes.allSatisfy { $0 == .misuse })
  }
}
