import Foundation
import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.functions, .reliability)) struct `errors thrown by functions` {
  let connection: Connection

  init() throws {
    connection = try Connection()
    try connection.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1), (2), (3)")
  }

  /// Adds a function that throws `error` for 2, and counts its calls.
  private func addThrowing(_ error: any Error) throws -> Tally {
    let tally = Tally()
    try connection.addFunction("fail", arity: 1) { values in
      tally.count += 1
      if try values[0] == 2 { throw error }
      return try values[0]
    }
    return tally
  }

  @Test func `the statement throws a function's SQLiteError with its code and message`() throws {
    _ = try addThrowing(SQLiteError(.constraintCheck, "no twos: \"ünï☃\""))
    let error = failure { try connection.column("SELECT fail(a) FROM t") }
    #expect(error?.code == .constraintCheck)
    #expect(error?.message == "no twos: \"ünï☃\"")
    #expect(error?.sql == "SELECT fail(a) FROM t")
  }

  @Test func `the statement rethrows a function's error of any type`() throws {
    _ = try addThrowing(ForeignError("no twos"))
    #expect(throws: ForeignError("no twos")) { try connection.column("SELECT fail(a) FROM t") }
  }

  @Test func `a NUL in the message of an SQLiteError is escaped`() throws {
    _ = try addThrowing(SQLiteError(.permission, "no\0twos"))
    #expect(failure { try connection.column("SELECT fail(a) FROM t") }?.message == "no\\0twos")
    _ = try addThrowing(ForeignError("no\0twos"))
    #expect(throws: ForeignError("no\0twos")) { try connection.column("SELECT fail(a) FROM t") }
  }

  @Test func `nested statements rethrow a function's error of any type`() throws {
    _ = try addThrowing(ForeignError("no twos"))
    try connection.addFunction("nested", arity: 0) { [unowned connection] _ in
      try connection.value("SELECT fail(2)")
    }
    try connection.execute(sql: "CREATE TEMP VIEW v AS SELECT nested() AS a")
    #expect(throws: ForeignError("no twos")) { try connection.column("SELECT a FROM v") }
    #expect(failure { try connection.column("SELECT nobody") }?.message == "no such column: nobody")
  }

  @Test func `a thrown error can close the connection in the deinit of its payload`() throws {
    // Swift Testing briefly retains each thrown error while it holds a lock that every `throw` acquires. If it
    // releases the last reference, the deinit must not throw, and the test is repeated.
    final class Closing: @unchecked Sendable {
      let connection: Connection
      private let thread = ObjectIdentifier(Thread.current)
      init(_ connection: Connection) { self.connection = connection }
      deinit { if thread == ObjectIdentifier(Thread.current) { try? connection.close() } }
    }
    struct Holding: Error { let object: Closing }
    try connection.addFunction("fail", arity: 1) { [unowned connection] values in
      throw Holding(object: Closing(connection))
    }
    for _ in 0..<100 where connection.isOpen {
      try? connection.execute(sql: "SELECT fail(a) FROM t")
    }
    #expect(!connection.isOpen)
  }

  @Test func `an error with an empty message thrown by a function keeps its code`() throws {
    _ = try addThrowing(SQLiteError(.misuse, ""))
    #expect(failure { try connection.column("SELECT fail(a) FROM t") }?.code == .misuse)
  }

  static let codes: [ResultCode] = [
    .error, .internal, .permission, .abort, .busy, .locked, .noMemory, .readOnly, .interrupt,
    .ioError, .corrupt, .notFound, .full, .cantOpen, .protocol, .empty, .tooBig, .constraint,
    .mismatch, .misuse, .noLargeFileSupport, .authorization, .format, .range, .notADatabase,
    .notice, .warning, .busySnapshot, .abortRollback, .constraintFunction,
  ]

  @Test(arguments: codes)
  func `a statement rethrows every error code of a function, and the connection remains usable`(
    _ code: ResultCode
  )
    throws
  {
    let tally = try addThrowing(SQLiteError(code, "by us"))
    let error = failure { try connection.column("SELECT fail(a) FROM t") }
    #expect(error?.code == code)
    #expect(tally.count == 2)
    #expect(try connection.integers("SELECT a FROM t") == [1, 2, 3])
    #expect(try connection.value("PRAGMA integrity_check") == "ok")
  }

  @Test(.timeLimit(.minutes(10)))
  func `a thrown schema error does not make SQLite restart the statement`() throws {
    let tally = try addThrowing(SQLiteError(.schema, "by us"))
    var seen: [Int] = []
    let error = failure {
      try connection.execute(sql: "SELECT fail(a) FROM t") { row in
        seen.append(try row[0])
        if seen.count > 9 { throw ForeignError() }
      }
    }
    #expect(error?.code.primary == .schema)
    #expect(error?.message == "by us")
    #expect(seen == [1])
    #expect(tally.count == 2)
  }

  /// The success codes, including extended ones, and numbers that are not result codes.
  static let strange: [Int32] = [
    0, 100, 101, 256, 512, 100 | 256, 101 | 256, -1, -2, .min, .max, 77, 255,
  ]

  @Test(arguments: strange)
  func `a function that throws a success code or an unknown code fails its statement`(_ raw: Int32)
    throws
  {
    let tally = try addThrowing(SQLiteError(ResultCode(rawValue: raw), "by us"))
    let statement = try connection.prepare(sql: "SELECT fail(a) FROM t")
    var seen: [Int] = []
    let error = failure { try statement.forEachRow { row in seen.append(try row[0]) } }
    #expect(error != nil)
    #expect(error?.message == "by us")
    #expect(error?.code.primary != .ok && error?.code != .row && error?.code != .done)
    #expect(seen == [1])
    #expect(tally.count == 2)
    #expect(failure { try connection.execute(sql: "DROP TABLE t") } == nil)
  }

  @Test func `a failing function rolls back only its statement`() throws {
    _ = try addThrowing(ForeignError())
    try connection.transaction { connection, _ in
      try connection.execute(sql: "INSERT INTO t VALUES (10)")
      let error = foreignFailure {
        try connection.execute(sql: "INSERT INTO t SELECT fail(a) FROM t")
      }
      #expect(error != nil)
      #expect(!connection.isInAutocommit)
    }
    #expect(try connection.integers("SELECT a FROM t") == [1, 2, 3, 10])
  }

  @Test func `a statement can run again after its function failed`() throws {
    try connection.addFunction("over", arity: 1) { values in
      if try values.integer(at: 0) > 5 { throw ForeignError() }
      return try values[0]
    }
    let statement = try connection.prepare(sql: "SELECT over(?)")
    #expect(throws: ForeignError()) { try statement.bind(6).first(.column(.int)) }
    #expect(try statement.bind(5).first(.column(.int)) == 5)
  }
}

/// A counter that closures share.
final class Tally {
  var count = 0
}
