import SluiceCore
import SluiceTesting
import TestSupport
import Testing

/// A file system that is written entirely in Swift.
@Suite(.tags(.fileSystems)) struct `the in-memory file system` {
  @Test(arguments: [Configuration.JournalMode.delete, .persist, .wal])
  func `random SQL has the same results in memory and on disk`(_ mode: Configuration.JournalMode)
    throws
  {
    let folder = try TestFolder()
    let system = try RegisteredFileSystem(MemoryFileSystem())
    var configuration = Configuration()
    configuration.journalMode = mode
    let there = try Connection(path: folder.file(), configuration: configuration)
    let here = try system.connection("app.db", mode)
    var random = SeededGenerator(seed: 7)
    for connection in [here, there] {
      try connection.execute(
        sql:
          "PRAGMA synchronous = off; PRAGMA page_size = 512; PRAGMA cache_size = 5; CREATE TABLE t(id INTEGER PRIMARY KEY, a, b); CREATE INDEX i ON t(a)"
      )
    }
    for _ in 0..<2_000 {
      let sql = statement(&random)
      let error = failure { try there.execute(sql: sql) }
      #expect(failure { try here.execute(sql: sql) }?.code == error?.code, "\(sql)")
    }
    for connection in [here, there] { _ = failure { try connection.execute(sql: "COMMIT") } }
    let all = "SELECT count(*), sum(id), group_concat(hex(a)), sum(length(b)) FROM t"
    #expect(try here.first(.values, sql: all) == there.first(.values, sql: all))
    #expect(try here.value("PRAGMA integrity_check") == "ok")
    #expect(try here.value("PRAGMA journal_mode") == .text(mode.rawValue))
    try here.close()
    // The file outlives its connection.
    #expect(
      try system.connection("app.db").first(.values, sql: all) == there.first(.values, sql: all))
    #expect(
      failure { try system.connection("other.db", nil).value("SELECT * FROM t") }?.code == .error)
  }

  private func statement(_ random: inout SeededGenerator) -> String {
    let key = Int.random(in: 0..<300, using: &random)
    switch Int.random(in: 0..<200, using: &random) {
    case 0..<80: return "INSERT INTO t(a, b) VALUES (\(key), zeroblob(\(key * 3)))"
    case 80..<110: return "UPDATE t SET a = a + 1, b = zeroblob(\(key)) WHERE a % 50 = \(key % 50)"
    case 110..<140: return "DELETE FROM t WHERE a = \(key)"
    case 140..<150: return "BEGIN"
    case 150..<158: return "COMMIT"
    case 158..<165: return "ROLLBACK"
    case 165..<173: return "SAVEPOINT s\(key % 3)"
    case 173..<183: return "ROLLBACK TO s\(key % 3)"
    case 183..<191: return "RELEASE s\(key % 3)"
    case 191..<197: return "CREATE TEMP TABLE IF NOT EXISTS u AS SELECT * FROM t"
    default: return "VACUUM"
    }
  }

  @Test func `conflicting locks on an in-memory file throw busy`() throws {
    let system = try RegisteredFileSystem(MemoryFileSystem())
    var configuration = system.configuration()
    configuration.busyTimeout = .zero
    let first = try Connection(path: "a", configuration: configuration)
    let second = try Connection(path: "a", configuration: configuration)
    try first.execute(sql: "CREATE TABLE t(a); BEGIN IMMEDIATE; INSERT INTO t VALUES (1)")
    #expect(try second.value("SELECT count(*) FROM t") == 0)
    #expect(failure { try second.execute(sql: "BEGIN IMMEDIATE") }?.code == .busy)
    try second.execute(sql: "BEGIN")
    #expect(try second.value("SELECT count(*) FROM t") == 0)
    #expect(failure { try first.execute(sql: "COMMIT") }?.code == .busy)
    // The pending commit waits for the reader to end, and blocks new readers.
    let third = try Connection(path: "a", configuration: configuration)
    #expect(failure { try third.value("SELECT count(*) FROM t") }?.code == .busy)
    try second.execute(sql: "COMMIT")
    try first.execute(sql: "COMMIT")
    #expect(try third.value("SELECT count(*) FROM t") == 1)
  }

  @Test func `connections share the WAL of an in-memory file`() throws {
    let system = try RegisteredFileSystem(MemoryFileSystem())
    let writer = try system.connection("a", .wal)
    let reader = try system.connection("a")
    try writer.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
    try reader.execute(sql: "BEGIN")
    #expect(try reader.value("SELECT count(*) FROM t") == 1)
    for _ in 0..<100 { try writer.execute(sql: "INSERT INTO t VALUES (randomblob(400))") }
    #expect(try reader.value("SELECT count(*) FROM t") == 1)
    try reader.execute(sql: "COMMIT")
    #expect(try reader.value("SELECT count(*) FROM t") == 101)
    try reader.close()
    try writer.checkpoint(.truncate)
    try writer.close()
    #expect(try system.connection("a").value("PRAGMA integrity_check") == "ok")
  }

  @Test func `without shared memory, WAL mode requires exclusive locking mode`() throws {
    struct Lonely: VirtualFileSystem {
      let memory = MemoryFileSystem()
      func open(_ request: borrowing VirtualFileRequest) throws -> any VirtualFile {
        File(base: try memory.open(request))
      }
      func delete(_ path: String, syncsFolder: Bool) throws {
        try memory.delete(path, syncsFolder: syncsFolder)
      }
      func access(_ path: String, _ access: VirtualFileAccess) -> Bool {
        memory.access(path, access)
      }
      struct File: VirtualFileShim {
        let base: any VirtualFile
        var hasSharedMemory: Bool { false }
      }
    }
    let system = try RegisteredFileSystem(Lonely())
    #expect(failure { try system.connection("a", .wal) }?.code == .misuse)
    let connection = try system.connection("a")
    try connection.execute(sql: "PRAGMA locking_mode = exclusive")
    #expect(try connection.value("PRAGMA journal_mode = wal") == "wal")
    try connection.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
    #expect(try connection.value("SELECT a FROM t") == 1)
  }

  @Test(.timeLimit(.minutes(10))) func `four queues can use an in-memory file concurrently`()
    async throws
  {
    let system = try RegisteredFileSystem(MemoryFileSystem())
    for mode in [Configuration.JournalMode.wal, .delete] {
      var configuration = system.configuration(mode)
      // Other tests can delay these threads for a long time.
      configuration.busyTimeout = .seconds(300)
      let path = mode.rawValue
      let queue = try ConnectionQueue(path: path, label: "setup", configuration: configuration)
      try await queue.perform { try $0.execute(sql: "CREATE TABLE t(a)") }
      try await withThrowingTaskGroup { group in
        for _ in 0..<4 {
          let queue = try ConnectionQueue(path: path, label: "worker", configuration: configuration)
          group.addTask {
            for _ in 0..<25 {
              try await queue.transaction(.immediate) { connection, _ in
                try connection.execute(sql: "INSERT INTO t VALUES (zeroblob(2000))")
              }
              _ = try await queue.perform { try $0.value("SELECT count(*) FROM t") }
            }
          }
        }
        try await group.waitForAll()
      }
      let count = try await queue.perform { try $0.value("SELECT count(*) FROM t") }
      #expect(count == 100)
      let check = try await queue.perform { try $0.value("PRAGMA integrity_check") }
      #expect(check == "ok")
    }
  }
}
