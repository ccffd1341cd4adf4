import SluiceCore
import TestSupport
import Testing

/// Cached BEGIN, COMMIT and savepoint statements behave as if they were prepared each time.
@Suite(.tags(.transactions)) struct `repeated transactions` {
  let folder: TestFolder
  let one: Connection
  let other: Connection

  init() throws {
    folder = try TestFolder()
    one = try Connection(path: folder.path + "/one", configuration: .impatient)
    other = try Connection(path: folder.path + "/other", configuration: .impatient)
    try other.execute(sql: "CREATE TABLE t(a)")
  }

  private func file(_ name: String) -> String { folder.path + "/" + name }

  private func otherCanWrite() throws -> Bool {
    let error = failure { try other.execute(sql: "INSERT INTO t VALUES (1)") }
    #expect(error == nil || error?.code == .busy)
    return error == nil
  }

  @Test(arguments: [TransactionKind.immediate, .exclusive])
  func `a scope locks a database attached since the previous scope`(_ kind: TransactionKind) throws
  {
    try one.transaction(kind) { _, _ throws in #expect(try otherCanWrite()) }
    try one.attach(path: file("other"), as: "other")
    #expect(try one.databases().map(\.name) == ["main", "other"])
    try one.transaction(kind) { _, _ throws in #expect(try !otherCanWrite()) }
    try one.detach("other")
    try one.transaction(kind) { _, _ throws in #expect(try otherCanWrite()) }
    try one.attach(path: file("third"), as: "third")
    try one.transaction(kind) { _, _ throws in #expect(try otherCanWrite()) }
  }

  @Test(arguments: [TransactionKind.immediate, .exclusive])
  func `begin locks a database attached since the previous transaction`(_ kind: TransactionKind)
    throws
  {
    try one.begin(kind)
    #expect(try otherCanWrite())
    try one.commit()
    try one.attach(path: file("other"), as: "other")
    try one.begin(kind)
    #expect(try !otherCanWrite())
    try one.commit()
  }

  @Test func `a transaction locks a re-attached database according to its current access mode`()
    throws
  {
    try one.attach(path: file("other"), as: "other")
    try one.transaction(.immediate) { _, _ in }
    try one.detach("other")
    try one.attach(path: file("other"), as: "other", readOnly: true)
    try one.transaction(.immediate) { one, _ throws in
      #expect(try one.transactionState(schema: "other") == .read)
    }
    try one.detach("other")
    try one.attach(path: file("other"), as: "other")
    try one.transaction(.immediate) { one, _ throws in
      #expect(try one.transactionState(schema: "other") == .write)
    }
  }

  @Test func `scopes nested deeper than the number of cached statements commit and roll back`()
    throws
  {
    try one.execute(sql: "CREATE TABLE t(a)")
    func nest(_ depth: Int) throws {
      try one.execute(sql: "INSERT INTO t VALUES (?)", parameters: .int(depth))
      guard depth < 20 else { return }
      try one.savepoint { _, command throws in
        try nest(depth + 1)
        if depth == 15 { command = .rollback }
      }
    }
    for _ in 0..<3 {
      try one.execute(sql: "DELETE FROM t")
      try nest(0)
      #expect(try one.integers("SELECT a FROM t ORDER BY a") == Array(0...15))
    }
  }

  @Test func `a WAL commit handler can run its own transactions`() throws {
    var configuration = Configuration.impatient
    configuration.journalMode = .wal
    let connection = try Connection(path: file("wal"), configuration: configuration)
    try connection.execute(sql: "CREATE TABLE t(a); CREATE TABLE log(a)")
    try connection.onWALCommit { connection, _ in
      // A failure here would leave a gap in the log.
      _ = try? connection.transaction(.immediate) { connection, _ throws in
        try connection.savepoint { connection, _ throws in
          try connection.execute(sql: "INSERT INTO log SELECT count(*) FROM t")
        }
      }
    }
    for _ in 0..<3 {
      try connection.transaction(.immediate) { connection, _ throws in
        try connection.execute(sql: "INSERT INTO t VALUES (1)")
      }
      try connection.savepoint { connection, _ throws in
        try connection.execute(sql: "INSERT INTO t VALUES (1)")
      }
    }
    #expect(try connection.integers("SELECT a FROM log") == [1, 2, 3, 4, 5, 6])
  }

  @Test func `the authorizer is called for each transaction`() throws {
    var isAllowed = true
    try one.authorize { request in
      guard case .transaction = request.action else { return .allow }
      return isAllowed ? .allow : .deny
    }
    try one.transaction { _, _ in }
    isAllowed = false
    #expect(failure { try one.transaction { _, _ in } }?.code == .authorization)
    isAllowed = true
    try one.transaction { _, _ in }
    #expect(one.isInAutocommit)
  }

  @Test func `cached scope statements do not prevent closing the connection`() throws {
    try one.transaction { one, _ throws in try one.savepoint { _, _ in } }
    try one.close()
    #expect(failure { try one.transaction { _, _ in } }?.code == .misuse)
  }
}

/// The heap limit applies to the whole process, so each test runs in its own process.
@Suite(.tags(.transactions, .reliability)) struct `rolling back scopes without memory` {
  @Test func `a scope rolls back while no memory is available`() async {
    await #expect(processExitsWith: .success) {
      let connection = try Starving()
      let error = failure {
        try connection.db.transaction { db, _ throws in
          try db.execute(sql: "INSERT INTO t VALUES (1)")
          try connection.starve()
        }
      }
      #expect(error?.code == .noMemory)
      #expect(connection.db.isInAutocommit)
      try connection.feed()
      #expect(try connection.db.integers("SELECT a FROM t") == [0])
    }
  }

  @Test
  func `a savepoint that runs out of memory rolls back alone or together with its transaction`()
    async
  {
    await #expect(processExitsWith: .success) {
      let connection = try Starving()
      let error = failure {
        try connection.db.transaction { db, _ throws in
          try db.execute(sql: "INSERT INTO t VALUES (1)")
          let error = failure {
            try db.savepoint { db, _ throws in
              try db.execute(sql: "INSERT INTO t VALUES (2)")
              try connection.starve()
            }
          }
          #expect(error?.code == .noMemory)
          try connection.feed()
          // SQLite allocates memory to roll back to a savepoint, so this transaction may be gone.
          try db.execute(sql: "INSERT INTO t VALUES (3)")
        }
      }
      #expect(error == nil || error?.code == .noMemory)
      #expect(connection.db.isInAutocommit)
      #expect(try connection.db.integers("SELECT a FROM t") == (error == nil ? [0, 1, 3] : [0]))
    }
  }

  @Test func `a rollback that failed for lack of memory completes before the next statement`() async
  {
    await #expect(processExitsWith: .success) {
      let connection = try Starving()
      let error = failure {
        try connection.db.transaction { db, _ throws in
          try db.execute(sql: "INSERT INTO t VALUES (1)")
          // After this, SQLite re-prepares even the cached statements, which requires memory.
          try db.authorize { _ in .allow }
          try connection.starve()
        }
      }
      #expect(error?.code == .noMemory)
      #expect(!connection.db.isInAutocommit)
      #expect(failure { try connection.db.execute(sql: "DELETE FROM t") }?.code == .noMemory)
      try connection.feed()
      try connection.db.execute(sql: "INSERT INTO t VALUES (2)")
      #expect(connection.db.isInAutocommit)
      #expect(try connection.db.integers("SELECT a FROM t") == [0, 2])
    }
  }

  @Test func `a rollback that failed for lack of memory completes with an explicit rollback`() async
  {
    await #expect(processExitsWith: .success) {
      let connection = try Starving()
      _ = failure {
        try connection.db.transaction { db, _ throws in
          try db.execute(sql: "INSERT INTO t VALUES (1)")
          try db.authorize { _ in .allow }
          try connection.starve()
        }
      }
      try connection.feed()
      try connection.db.rollback()
      #expect(connection.db.isInAutocommit)
      #expect(try connection.db.integers("SELECT a FROM t") == [0])
    }
  }
}

/// A connection that can be deprived of memory.
private final class Starving {
  let db: Connection
  /// Statements that occupy all of the connection's lookaside memory.
  private var statements: [Statement] = []

  init() throws {
    db = try Connection()
    try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (0)")
    for _ in 0..<200 { statements.append(try db.prepare(sql: "SELECT 1 FROM t WHERE a = 1")) }
  }

  /// Makes further allocations fail, and throws the resulting error.
  func starve() throws {
    try SQLiteLibrary.setHardHeapLimit(1)
    try db.execute(sql: "SELECT hex(zeroblob(100000))")
  }

  func feed() throws { try SQLiteLibrary.setHardHeapLimit(nil) }
}
