import SluiceCore
import TestSupport
import Testing

/// A function must not end the transaction of the writing statement that calls it.
@Suite(.tags(.reliability)) struct `functions that roll back` {
  let folder: TestFolder
  let connection: Connection

  init() throws {
    folder = try TestFolder()
    connection = try Connection(path: folder.file())
    try connection.execute(sql: "CREATE TABLE t(a UNIQUE, b); INSERT INTO t VALUES (100, 0)")
  }

  /// Inserts many rows through a temporary table, with a call of `f` before the first row.
  private let writing = """
    INSERT INTO t SELECT f(), hex(zeroblob(3000)) UNION ALL
    SELECT value, hex(zeroblob(3000)) FROM json_each('[1,2,3,4,5,6,8,9]') RETURNING a
    """

  private func expectSound(_ rows: [Int]) throws {
    #expect(try connection.integers("SELECT a FROM t ORDER BY a") == rows)
    #expect(try connection.value("PRAGMA integrity_check") == "ok")
    try connection.execute(sql: "INSERT INTO t VALUES (1000, 1)")
    try connection.close()
    let other = try Connection(path: folder.file())
    #expect(try other.integers("SELECT a FROM t ORDER BY a") == rows + [1000])
  }

  @Test func `a writing statement completes if its function fails to begin a transaction`()
    throws
  {
    var refused: ResultCode?
    try connection.addFunction("f") { [unowned connection] () in
      refused = failure { try connection.transaction { _, _ in } }?.code
      return 7
    }
    try connection.execute(sql: writing)
    #expect(refused == .misuse)
    try expectSound([1, 2, 3, 4, 5, 6, 7, 8, 9, 100])
  }

  @Test(arguments: ["ROLLBACK", "INSERT OR ROLLBACK INTO t VALUES (100, 2)"])
  func `a function that rolls back the transaction aborts the statement that called the function`(
    sql: String
  ) throws {
    try connection.addFunction("f") { [unowned connection] () in
      try? connection.execute(sql: sql)
      return 7
    }
    try connection.begin()
    try connection.execute(sql: "INSERT INTO t VALUES (50, 0)")
    let error = failure { try connection.execute(sql: writing) }
    #expect(error?.code == .abortRollback)
    #expect(connection.isInAutocommit)
    try expectSound([100])
  }

  @Test func `an autocommit statement fails if its function causes a conflict with OR ROLLBACK`()
    throws
  {
    try connection.addFunction("f") { [unowned connection] () in
      try? connection.execute(sql: "INSERT OR ROLLBACK INTO t VALUES (100, 2)")
      return 7
    }
    #expect(failure { try connection.execute(sql: writing) } != nil)
    try expectSound([100])
  }
}
