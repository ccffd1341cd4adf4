import Dispatch
import SluiceCore
import TestSupport
import Testing

/// A box that lets a value escape from an access, as Swift 5 allows.
private final class Kept<Value>: @unchecked Sendable {
  var value: Value
  init(_ value: Value) { self.value = value }
}

/// A box that lets a row escape from an access.
private final class KeptRow: @unchecked Sendable {
  let row: Row
  init(_ row: consuming Row) { self.row = row }
}

/// Connections, statements, rows and other objects that are used outside the closure that received them.
@Suite(.tags(.concurrency), .timeLimit(.minutes(10))) struct `escaped connections` {
  private static func isRefused(_ use: () throws -> Void) -> Bool {
    guard let error = failure(use) else { return false }
    return error.code == .misuse && error.message.contains("belongs to a queue or pool")
  }

  private func queue() throws -> ConnectionQueue {
    let queue = try ConnectionQueue()
    try queue.sync { connection in
      try connection.execute(
        sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, a); INSERT INTO t(a) VALUES (1), (2), (3)")
    }
    return queue
  }

  @Test func `using an escaped connection after its access throws`() throws {
    let queue = try queue()
    let kept = try queue.sync { Kept($0) }.value
    #expect(Self.isRefused { try kept.execute(sql: "SELECT 1") })
    #expect(Self.isRefused { try kept.execute(sql: "CREATE TABLE u(a)") })
    #expect(Self.isRefused { _ = try kept.first(.column(.int), sql: "SELECT 1") })
    #expect(Self.isRefused { _ = try kept.prepare(sql: "SELECT 1") })
    #expect(Self.isRefused { try kept.transaction { _, _ in } })
    #expect(Self.isRefused { try kept.addFunction("f", arity: 0) { _ in .null } })
    #expect(Self.isRefused { try kept.close() })
    kept.clearStatementCache()
    #expect(try queue.sync { try $0.first(.column(.int), sql: "SELECT count(*) FROM t") } == 3)
  }

  @Test func `an escaped connection can be used inside the next access`() throws {
    let queue = try queue()
    let kept = try queue.sync { Kept($0) }
    #expect(
      try queue.sync { _ in try kept.value.first(.column(.int), sql: "SELECT count(*) FROM t") }
        == 3)
  }

  @Test
  func `an escaped connection can be used outside the queue if its closure assigned another one`()
    throws
  {
    let queue = try queue()
    let kept = try queue.sync { Kept($0) }
    #expect(throws: SQLiteError.self) { try queue.sync { $0 = try Connection() } }
    #expect(try kept.value.first(.column(.int), sql: "SELECT count(*) FROM t") == 3)
    try kept.value.close()
  }

  @Test func `using a connection that escaped from an awaited access of a queue or pool throws`()
    async throws
  {
    let queue = try queue()
    let awaited = try await queue.perform { Kept($0) }
    #expect(Self.isRefused { try awaited.value.execute(sql: "SELECT 1") })
    let folder = try TestFolder()
    let pool = try ConnectionPool(path: folder.file())
    let written = try await pool.perform { connection in
      try connection.execute(sql: "CREATE TABLE t(a)")
      return Kept(connection)
    }
    let read = try await pool.read { connection in
      _ = try connection.first(.column(.int), sql: "SELECT count(*) FROM t")
      return Kept(connection)
    }
    #expect(Self.isRefused { try written.value.execute(sql: "SELECT 1") })
    #expect(Self.isRefused { try read.value.execute(sql: "SELECT 1") })
  }

  @Test func `using an escaped statement or its row after the access throws`() throws {
    let queue = try queue()
    let (statement, row) = try queue.sync { connection in
      let statement = try connection.prepare(sql: "SELECT a FROM t WHERE id >= ?")
      guard let row = try statement.bind(1).step() else { throw ForeignError() }
      return (Kept(statement), KeptRow(row))
    }
    #expect(failure { _ = try row.row.value(at: 0) }?.code == .misuse)
    #expect(Self.isRefused { _ = try statement.value.step() as Row? })
    #expect(Self.isRefused { try statement.value.bind(2) })
    #expect(Self.isRefused { try statement.value.reset() })
    #expect(Self.isRefused { _ = try statement.value.rows() })
    // The statement can be used again in the next access.
    let rest = try queue.sync { _ in
      try statement.value.reset()
      try statement.value.bind(2, toParameter: 1)
      return try statement.value.query(.column(.int))
    }
    #expect(rest == [2, 3])
    #expect(Self.isRefused { _ = try statement.value.step() as Row? })
  }

  @Test(.enabled(if: SQLiteLibrary.has(.sessions)))
  func `using an escaped blob, session or backup after its access throws`() throws {
    let queue = try queue()
    let target = try Connection()
    let other = Kept(target)
    let kept = try queue.sync { connection in
      try connection.execute(sql: "UPDATE t SET a = zeroblob(4)")
      let blob = try connection.openBlob(table: "t", column: "a", rowid: 1)
      return (
        Kept(blob), Kept(try connection.session()),
        Kept(try Backup(of: connection, to: other.value))
      )
    }
    #expect(Self.isRefused { _ = try kept.0.value.read() })
    #expect(Self.isRefused { try kept.0.value.close() })
    #expect(Self.isRefused { _ = try kept.1.value.changeset() })
    #expect(Self.isRefused { try kept.1.value.close() })
    #expect(Self.isRefused { _ = try kept.2.value.step() })
    #expect(Self.isRefused { try kept.2.value.cancel() })
    try queue.syncClose()
  }

  @Test(.enabled(if: SQLiteLibrary.has(.sessions)))
  func `an escaped object released outside an access is freed in the next access`() throws {
    let queue = try queue()
    let source = try Connection()
    try source.execute(sql: "CREATE TABLE s(a)")
    let other = Kept(source)
    weak var statement: Statement?
    weak var blob: Blob?
    weak var backup: Backup?
    do {
      let kept = try queue.sync { connection in
        try connection.execute(sql: "UPDATE t SET a = zeroblob(4)")
        let statement = try connection.prepare(sql: "SELECT a FROM t")
        guard try statement.step() as Row? != nil else { throw ForeignError() }
        return (
          Kept(statement), Kept(try connection.openBlob(table: "t", column: "a", rowid: 1)),
          Kept(try connection.session()), Kept(try Backup(of: connection, to: other.value))
        )
      }
      (statement, blob, backup) = (kept.0.value, kept.1.value, kept.3.value)
      try queue.sync { _ in }
      #expect(statement != nil && blob != nil && backup != nil)
    }
    try queue.sync { _ in }
    #expect(statement == nil && blob == nil && backup == nil)
    try queue.sync { connection in
      // An open blob or an active statement would lock the table, and a session would occupy the hook.
      try connection.execute(sql: "DROP TABLE t")
      try connection.onPreUpdate { _ in }.cancel()
    }
  }

  @Test func `a statement that a function captured in one read cannot continue in the next read`()
    async throws
  {
    let folder = try TestFolder()
    let pool = try ConnectionPool(path: folder.file(), readers: 1)
    let queue = try ConnectionQueue(path: folder.file())
    let reader = try ConnectionReadQueue(writeQueue: queue)
    try await pool.write { connection in
      try connection.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1), (2), (3)")
    }
    // The connection retains the function that captures the statement: this compiles in Swift 6.
    let keep: @Sendable (inout sending Connection) throws -> Void = { connection in
      let statement = try connection.prepare(sql: "SELECT a FROM t")
      #expect(try statement.step()?.get(.int, at: 0) == 1)
      try connection.addFunction("keep", arity: 0) { _ in
        do { return try statement.step() == nil ? .null : .integer(1) } catch {
          return .text("ended")
        }
      }
    }
    try await pool.read(keep)
    try await reader.readTransaction(keep)
    try await pool.write(keep)
    try await pool.write { try $0.execute(sql: "DELETE FROM t") }
    let count = "SELECT count(*) || keep() FROM t"
    #expect(try await pool.read { try $0.first(.column(.string), sql: count) } == "0ended")
    #expect(
      try await reader.readTransaction { try $0.first(.column(.string), sql: count) } == "0ended")
    try await pool.write { try $0.execute(sql: "DROP TABLE t") }
  }

  @Test
  func `nonthrowing properties of an escaped connection or statement return zero or empty values`()
    throws
  {
    let queue = try queue()
    let (connection, statement) = try queue.sync { connection in
      (Kept(connection), Kept(try connection.prepare(sql: "SELECT a FROM t")))
    }
    #expect(connection.value.lastInsertRowid == 0)
    #expect(connection.value.changes == 0)
    #expect(connection.value.totalChanges == 0)
    #expect(statement.value.columnNames == [])
    #expect(statement.value.columnCount == 0)
    connection.value.interrupt()
    try queue.sync { connection in
      #expect(connection.lastInsertRowid == 3)
      #expect(connection.changes == 3)
      #expect(statement.value.columnNames == ["a"])
      #expect(statement.value.columnCount == 1)
    }
  }

  @Test func `releasing a queue and an escaped statement releases the connection`() throws {
    weak var connection: Connection?
    do {
      let queue = try queue()
      let kept = try queue.sync { Kept(try $0.prepare(sql: "SELECT a FROM t")) }
      connection = try queue.sync { Kept($0) }.value
      #expect(Self.isRefused { try kept.value.execute() })
    }
    #expect(connection == nil)
  }

  @Test func `closing a queue during a stream releases the connection`() async throws {
    weak var connection: Connection?
    do {
      let queue = try queue()
      connection = try await queue.perform { Kept($0) }.value
      let sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
      var rows = queue.rows(.column(.int), sql: sql).makeAsyncIterator()
      #expect(try await rows.next() == 1)
      try await queue.close()
      var isRefused = false
      do { while try await rows.next() != nil {} } catch is SQLiteError { isRefused = true }
      #expect(isRefused)
    }
    // The last job releases the queue.
    let end = ContinuousClock.now + .seconds(patience)
    while connection != nil, ContinuousClock.now < end { await Task.yield() }
    #expect(connection == nil)
  }

  @Test
  func `using an escaped statement after its queue is released throws and leaks no connection`()
    throws
  {
    weak var connection: Connection?
    var kept: Kept<Statement>?
    do {
      let queue = try queue()
      kept = try queue.sync { Kept(try $0.prepare(sql: "SELECT a FROM t")) }
      connection = try queue.sync { Kept($0) }.value
    }
    #expect(failure { try kept?.value.execute() }?.code == .misuse)
    kept = nil
    #expect(connection == nil)
  }

  @Test func `using an escaped connection throws while other threads use its queue`() throws {
    let queue = try queue()
    let kept = try queue.sync { Kept($0) }
    let wrong = SharedLog<String>()
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
      for _ in 0..<500 {
        do {
          if thread.isMultiple(of: 2) {
            try queue.sync { try $0.execute(sql: "UPDATE t SET a = a + 1") }
          } else if !Self.isRefused({ try kept.value.execute(sql: "UPDATE t SET a = a + 1") }) {
            wrong.append("it ran")
          }
        } catch { wrong.append("\(error)") }
      }
    }
    #expect(wrong.entries == [])
    #expect(try queue.sync { try $0.first(.column(.int), sql: "SELECT a FROM t") } == 2001)
  }

  @Test
  func
    `using escaped statements throws, and releasing them is safe, while threads use their queue`()
    throws
  {
    let queue = try queue()
    let wrong = SharedLog<String>()
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
      for _ in 0..<200 {
        do {
          let kept = try queue.sync { connection in
            let statement = try connection.prepare(sql: "SELECT a FROM t")
            guard try statement.step() as Row? != nil else { throw ForeignError() }
            return Kept(statement)
          }
          if !Self.isRefused({ try kept.value.execute() }) { wrong.append("it ran") }
          try queue.sync { try $0.execute(sql: "CREATE TABLE IF NOT EXISTS u(a)") }
        } catch { wrong.append("\(error)") }
      }
    }
    #expect(wrong.entries == [])
    // The first access finalizes the statements at its end, so none is active when the table is dropped.
    try queue.sync { _ in }
    try queue.sync { try $0.execute(sql: "DROP TABLE u") }
  }
}
