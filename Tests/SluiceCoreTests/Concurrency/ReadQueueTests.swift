import Dispatch
import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.concurrency), .timeLimit(.minutes(10))) struct `read queues` {
  let folder: TestFolder
  let queue: ConnectionQueue
  let reader: ConnectionReadQueue

  init() throws {
    folder = try TestFolder()
    queue = try ConnectionQueue(path: folder.file(), configuration: .impatientWAL)
    try queue.sync { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
    reader = try ConnectionReadQueue(writeQueue: queue, label: "reader")
  }

  @Test(arguments: [
    "INSERT INTO t VALUES (2)", "UPDATE t SET a = 2", "DELETE FROM t", "CREATE TABLE u(a)",
    "DROP TABLE t", "CREATE INDEX i ON t(a)", "PRAGMA user_version = 7",
  ])
  func `a write on a read queue throws readOnly`(_ sql: String) throws {
    #expect(failure { try reader.sync { try $0.execute(sql: sql) } }?.code == .readOnly)
    #expect(
      failure { try reader.syncReadTransaction { try $0.execute(sql: sql) } }?.code == .readOnly)
    #expect(try queue.sync { try $0.rows } == [1])
  }

  @Test func `neither a pragma nor ATTACH lets a read queue write`() throws {
    let error = failure {
      try reader.sync { try $0.execute(sql: "PRAGMA query_only = 0; INSERT INTO t VALUES (2)") }
    }
    #expect(error?.code == .readOnly)
    let attached = failure {
      try reader.sync { connection in
        try connection.execute(sql: "ATTACH ? AS again", parameters: .string(folder.file()))
        try connection.execute(sql: "INSERT INTO again.t VALUES (2)")
      }
    }
    #expect(attached?.code == .readOnly)
    #expect(try queue.sync { try $0.rows } == [1])
  }

  @Test func `a read queue can write temporary tables`() throws {
    try reader.sync { connection in
      try connection.execute(sql: "CREATE TEMP TABLE u AS SELECT a + 10 AS a FROM t")
      try connection.execute(sql: "INSERT INTO u VALUES (12)")
      #expect(try connection.integers("SELECT a FROM u") == [11, 12])
    }
  }

  @Test func `each statement of a read queue outside a transaction sees the latest commit`() throws
  {
    #expect(try reader.sync { try $0.rows } == [1])
    try queue.sync { try $0.insert(2) }
    #expect(try reader.sync { try $0.rows } == [1, 2])
  }

  @Test func `a read queue supports awaited calls, errors and completions`() async throws {
    #expect(try await reader.perform { try $0.rows } == [1])
    await #expect(throws: ForeignError()) { try await reader.perform { _ in throw ForeignError() } }
    let rows = await withCheckedContinuation { continuation in
      reader.async {
        try $0.rows
      } completion: {
        continuation.resume(returning: try? $0.get())
      }
    }
    #expect(rows == [1])
  }

  @Test func `calls on a read queue run in order`() throws {
    let log = SharedLog<Int>()
    let group = DispatchGroup()
    for number in 0..<600 {
      switch number % 4 {
      case 0: try reader.sync { _ in log.append(number) }
      case 1:
        reader.async(group: group) { _ in
          log.append(number)
        } completion: { _ in
        }
      case 2: try reader.syncReadTransaction { _ in log.append(number) }
      default:
        reader.asyncReadTransaction(group: group) { _ in
          log.append(number)
        } completion: { _ in
        }
      }
    }
    #expect(group.finishes())
    #expect(log.entries == Array(0..<600))
  }

  @Test func `several read queues see only whole commits while the writer writes`() throws {
    // Even a sole writer sometimes waits while a reader recovers the WAL.
    var patient = Configuration.impatientWAL
    patient.busyTimeout = .seconds(30)
    let queue = try ConnectionQueue(path: folder.file(), configuration: patient)
    let readers = try (0..<3).map { _ in try ConnectionReadQueue(writeQueue: queue) }
    let isDone = concurrently(4) { number in
      do {
        if number == 3 {
          for value in 0..<100 {
            // Each commit adds two rows, so no reader sees an even number of rows.
            try queue.syncTransaction { connection, _ in
              try connection.insert(value)
              try connection.insert(value)
            }
          }
        } else {
          var last = 0
          for _ in 0..<100 {
            let count = try readers[number].syncReadTransaction { connection in
              let first = try connection.integers("SELECT count(*) FROM t")[0]
              let second = try connection.integers("SELECT count(*) FROM t")[0]
              return first == second ? first : -1
            }
            #expect(count % 2 == 1 && count >= last)
            last = count
          }
        }
      } catch { Issue.record(error) }
    }
    #expect(isDone)
    #expect(try readers[0].sync { try $0.integers("SELECT count(*) FROM t") } == [201])
  }

  @Test func `creating a read queue for an in-memory or temporary database throws misuse`() throws {
    let memory = try ConnectionQueue()
    #expect(failure { try ConnectionReadQueue(writeQueue: memory) }?.code == .misuse)
    let named = try ConnectionQueue(path: ":memory:")
    #expect(failure { try ConnectionReadQueue(writeQueue: named) }?.code == .misuse)
    let temporary = try ConnectionQueue(opening: { try Connection.temporary() })
    #expect(failure { try ConnectionReadQueue(writeQueue: temporary) }?.code == .misuse)
  }

  @Test(arguments: ["file::memory:", "file:x?mode=memory", "file:"])
  func `creating a read queue with the URI of an in-memory or temporary database throws misuse`(
    _ uri: String
  )
    throws
  {
    let queue = try ConnectionQueue(uri: uri)
    #expect(failure { try ConnectionReadQueue(writeQueue: queue) }?.code == .misuse)
  }

  @Test func `a read queue copies the settings of its write queue, or opens a path or a URI`()
    throws
  {
    #expect(try reader.sync { $0.configuration.busyTimeout } == .zero)
    let byPath = try ConnectionReadQueue(path: folder.file())
    #expect(try byPath.sync { try $0.rows } == [1])
    let byURI = try ConnectionReadQueue(uri: "file:\(folder.file())")
    #expect(try byURI.sync { try $0.rows } == [1])
    #expect(failure { try byURI.sync { try $0.insert(2) } }?.code == .readOnly)
    try byURI.syncClose()
    #expect(failure { try byURI.sync { try $0.rows } }?.code == .misuseClosed)
  }

  @Test(arguments: ["mode=rwc", "mode=rw", "mode=rwc&nolock=0", "nolock=0#x"])
  func `a read queue opens the file that its writer's URI names`(query: String) throws {
    let uri = "file:\(folder.file())%23%3f%25é?\(query)"
    // With mode=rw, the file must exist.
    try Connection(path: "\(folder.file())#?%é").close()
    let queue = try ConnectionQueue(uri: uri)
    try queue.sync { try $0.execute(sql: "CREATE TABLE u(a); INSERT INTO u VALUES (5)") }
    let reader = try ConnectionReadQueue(writeQueue: queue)
    #expect(try reader.sync { try $0.integers("SELECT a FROM u") } == [5])
  }

  @Test func `a read queue cannot write through a shared cache`() throws {
    // A debug build of SQLite shares the caches even of connections that do not request this,
    // so this test uses a separate file, which no read-only connection has opened.
    let uri = "file:\(folder.path)/shared.db?cache=shared"
    let queue = try ConnectionQueue(uri: uri)
    try queue.sync { try $0.execute(sql: "CREATE TABLE IF NOT EXISTS v(a)") }
    #expect(failure { try ConnectionReadQueue(uri: uri) }?.code == .misuse)
    let reader = try ConnectionReadQueue(writeQueue: queue)
    #expect(failure { try reader.sync { try $0.execute(sql: "DELETE FROM v") } }?.code == .readOnly)
  }

  @Test(
    arguments: ["file:x?mode=memory&cache=shared", "file::memory:"]
      // A library without serialization lacks the memdb file system.
      + (SQLiteLibrary.has(.serialization) ? ["file:x?vfs=memdb"] : []))
  func `creating a read queue for the write queue of a database without a file throws misuse`(
    uri: String
  ) throws {
    let queue = try ConnectionQueue(uri: uri)
    #expect(failure { try ConnectionReadQueue(writeQueue: queue) }?.code == .misuse)
  }
}
