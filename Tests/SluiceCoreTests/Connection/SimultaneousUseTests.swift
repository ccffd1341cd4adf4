import Dispatch
import Foundation
import SluiceCore
import Synchronization
import TestSupport
import Testing

/// Threads that share a connection without a queue, which only the Swift 5 language mode allows.
@Suite struct `two threads that use a connection at the same time` {
  /// Passes values to other threads without the compiler's check.
  private struct Shared<Value>: @unchecked Sendable { let value: Value }

  private static let message =
    "Two threads use the connection at the same time; share a ConnectionQueue or a ConnectionPool instead"

  private let db: Connection
  private let prepared: Statement

  init() throws {
    db = try Connection()
    try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")
    prepared = try db.prepare(sql: "INSERT INTO t VALUES (0)")
  }

  /// Returns the results of calling `body` on another thread.
  private func elsewhere<T>(_ body: @escaping () throws -> T) -> Result<T, any Error> {
    let body = Shared(value: body)
    let result = Mutex<Shared<Result<T, any Error>>?>(nil)
    let end = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      let value = Shared(value: Result { try body.value() })
      result.withLock { $0 = value }
      end.signal()
    }
    end.wait()
    return result.withLock { $0!.value }
  }

  /// Expects that each use of the connection on another thread throws misuse, and changes nothing.
  private func expectRefusals(_ location: SourceLocation = #_sourceLocation) throws {
    let uses: [(String, () throws -> Void)] = [
      ("execute", { try db.execute(sql: "INSERT INTO t VALUES (3)") }),
      ("script", { try db.execute(sql: "INSERT INTO t VALUES (3); SELECT 1") }),
      ("literal", { try db.execute("INSERT INTO t VALUES (\(3))") }),
      ("query", { _ = try db.query(.column(.int), sql: "SELECT a FROM t") }),
      ("first", { _ = try db.first(.column(.int), sql: "SELECT a FROM t") }),
      ("prepare", { _ = try db.prepare(sql: "SELECT a FROM t") }),
      ("warm up", { try db.warmUp(["SELECT max(a) FROM t"]) }),
      ("execute a statement", { try prepared.execute() }),
      ("step", { _ = try prepared.step() != nil }),
      ("rows", { _ = try prepared.rows() }),
      ("first row", { _ = try prepared.first(.values) }),
      ("reset", { try prepared.reset() }),
      ("transaction", { try db.transaction { _ in } }),
      ("savepoint", { try db.savepoint { _ in } }),
      ("begin", { try db.begin(.immediate) }),
      ("function", { try db.addFunction("f", arity: 0) { _ in 1 } }),
      ("collation", { try db.addCollation("c") { $0 == $1 ? .same : .ascending } }),
      ("hook", { _ = try db.onUpdate { _ in } }),
      ("session", { _ = try db.session() }),
      ("tables", { _ = try db.tables() }),
      ("backup", { try db.backup(to: Connection()) }),
      ("pragma", { try db.setUserVersion(5) }),
      ("limit", { _ = try db.limit(.length) }),
      ("close", { try db.close() }),
    ]
    for (name, use) in uses {
      let result = elsewhere(use)
      #expect(throws: SQLiteError(.misuse, Self.message), "\(name)", sourceLocation: location) {
        try result.get()
      }
    }
    #expect(uses.count > 20)
  }

  @Test(arguments: ["SELECT a FROM t", "SELECT 1; SELECT 2"])
  func `throws while a row closure runs`(_ sql: String) throws {
    try db.execute(sql: sql) { _ in try expectRefusals() }
    #expect(try elsewhere { try db.column("SELECT a FROM t") }.get() == [1, 2])
  }

  @Test func `throws while a prepared statement, a transaction or a function runs`() throws {
    let me = Shared(value: self)
    let select = try db.prepare(sql: "SELECT a FROM t")
    try select.forEachRow { _ in try expectRefusals() }
    _ = try select.first(RowConverter { _ in try me.value.expectRefusals() })
    try db.transaction { _ in try expectRefusals() }
    try db.savepoint { _, _ in try expectRefusals() }
    try db.addFunction("use", arity: 0) { _ in
      try me.value.expectRefusals()
      return 1
    }
    // The function retains the connection, and the connection retains the function.
    defer { try? db.removeFunction("use", arity: 0) }
    try db.execute(sql: "SELECT use()")
    let function = try db.prepare(sql: "SELECT use()")
    #expect(try function.step()?.value(at: 0) == 1)
    #expect(try db.column("SELECT a FROM t") == [1, 2])
    #expect(try db.userVersion == 0)
  }

  @Test func `the connection can be used by one thread after another, also after an error`() throws
  {
    for number in 3...5 {
      try elsewhere { try db.execute("INSERT INTO t VALUES (\(number))") }.get()
      _ = elsewhere { try db.execute(sql: "SELECT a FROM t") { _ in throw ForeignError() } }
      _ = elsewhere { try db.execute(sql: "SELECT nothing") }
      _ = elsewhere { try db.transaction { _ in throw ForeignError() } }
      _ = elsewhere { try db.prepare(sql: "SELECT nothing") }
      try prepared.execute()
    }
    #expect(try db.value("SELECT count(*) FROM t") == 8)
    try elsewhere { try db.close() }.get()
    #expect(failure { try db.execute(sql: "SELECT 1") }?.message == "The connection is closed")
  }

  @Test func `many threads store exactly the rows whose insertion did not throw`() throws {
    let shared = Shared(value: db)
    let counts = Locked((stored: 0, refused: 0, other: 0))
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
      for number in 0..<300 {
        let name = "\(thread) \(number)"
        do {
          try shared.value.execute("INSERT INTO t VALUES (\(name))")
          counts.withLock { $0.stored += 1 }
          let sql: SQL = "SELECT a FROM t WHERE a = \(name)"
          if let found = try? shared.value.query(.column(.string), sql) {
            #expect(found == [name])
          }
        } catch SQLiteError.misuse {
          counts.withLock { $0.refused += 1 }
        } catch {
          counts.withLock { $0.other += 1 }
        }
      }
    }
    let found = counts.withLock { $0 }
    #expect(found.other == 0)
    #expect(found.stored + found.refused == 2400)
    #expect(try db.value("SELECT count(*) - 2 FROM t") == .integer(Int64(found.stored)))
    #expect(try db.integrityProblems().isEmpty)
  }
}
