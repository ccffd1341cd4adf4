import CSluice
import SluiceCore
import TestSupport
import Testing

/// The limits are far below the defaults of SQLite, so that small values exceed them.
@Suite struct TooBigTests {
  let db: Connection

  init() throws {
    let handle = try unsafe openedByC()
    unsafe sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, 1000)
    unsafe sqlite3_limit(handle, SQLITE_LIMIT_SQL_LENGTH, 2000)
    db = unsafe Connection(adopting: handle)
  }

  private let text = SQLParameter.string(String(repeating: "x", count: 1001))
  private let bytes = SQLParameter.bytes([UInt8](repeating: 1, count: 1001))

  @Test func `binding a value above the length limit throws`() throws {
    let statement = try db.prepare(sql: "SELECT ?")
    for parameter in [text, bytes] {
      let error = failure { try statement.bind(parameter) }
      #expect(error?.code == .tooBig)
      #expect(error?.code.rawValue == 18)
      #expect(error?.sql == "SELECT ?")
    }
    #expect(failure { try statement.execute() }?.code == .range)
    #expect(try statement.bind(.string(String(repeating: "x", count: 1000))).rows().count == 1)
  }

  @Test func `a rejected value above the length limit does not become NULL`() throws {
    try db.execute(sql: "CREATE TABLE t(a)")
    let statement = try db.prepare(sql: "INSERT INTO t VALUES (?)")
    try statement.bind(43)
    #expect(failure { try statement.bind(text) }?.code == .tooBig)
    #expect(failure { try statement.execute() }?.code == .range)
    try statement.bind(44).execute()
    #expect(try db.query(.column(.value), sql: "SELECT a FROM t") == [44])
  }

  @Test func `a value above the length limit leaves a parameter after the 64th unbound`() throws {
    let marks = Array(repeating: "?", count: 70).joined(separator: ",")
    let statement = try db.prepare(sql: "SELECT \(marks)")
    try statement.bind(SQLParameters(repeatElement(1, count: 70)))
    #expect(failure { try statement.bind(bytes, toParameter: 70) }?.code == .tooBig)
    #expect(failure { try statement.execute() }?.message.contains("Parameter 70 ") == true)
  }

  @Test func `the error for a rejected value does not contain the offset of an earlier error`()
    throws
  {
    let statement = try db.prepare(sql: "SELECT ?")
    #expect(failure { try db.prepare(sql: "SELECT 1, nobody") }?.offset == 10)
    let error = failure { try statement.bind(text) }
    #expect(error?.code == .tooBig)
    #expect(error?.offset == nil)
  }

  @Test func `running a statement whose result exceeds the length limit throws`() throws {
    #expect(failure { try db.value("SELECT zeroblob(1001)") }?.code == .tooBig)
    #expect(failure { try db.value("SELECT hex(zeroblob(600))") }?.code == .tooBig)
  }

  @Test func `preparing SQL above the length limit throws, and the connection remains usable`()
    throws
  {
    let long = "SELECT '" + String(repeating: "x", count: 2000) + "'"
    let error = failure { try db.prepare(sql: long) }
    #expect(error?.code == .tooBig)
    #expect(failure { try db.execute(sql: "SELECT 1; " + long) }?.code == .tooBig)
    #expect(try db.value("SELECT 1") == 1)
  }
}
